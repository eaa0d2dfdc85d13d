import { isSdkError } from '../errors.js';
import { dateText } from './format.js';
import type { Texts } from './texts/texts.js';

/** What was shown to the service: a wrong password is another thing to the player than a wrong code. */
export type Shown = 'password' | 'code';

/** What an error of the service says besides its code. */
interface Details {
  readonly retryAfterMs?: number;
  readonly minLength?: number;
  readonly until?: string | null;
  readonly reason?: string;
  readonly removedAt?: number;
}

/** What the codes mean to a player, where that is one text. */
const meanings = {
  not_found: 'gone',
  name_not_allowed: 'nameNotAllowed',
  method_already_linked: 'alreadyLinked',
  would_orphan: 'lastMethod',
  reauthentication_required: 'signInAgain',
  delivery_not_set_up: 'noDelivery',
  conflict_cancelled: 'chooseFirst',
  conflict_pending: 'chooseFirst',
  conflict_unhandled: 'chooseFirst',
  conflict_expired: 'choiceOver',
  conflict_stale: 'choiceOver',
  merge_failed: 'cannotMerge',
  merge_not_allowed: 'cannotMerge',
  too_large: 'tooMuch',
  quota_exceeded: 'tooMuch',
  storage_unavailable: 'deviceStorage',
  not_authenticated: 'nobody',
} as const;

/** What went wrong, for the player, with a way out. Empty where there is nothing to be told. */
export function errorText({ errors, language }: Texts, error: unknown, shown: Shown = 'password'): string {
  if (!isSdkError(error)) return errors.other('sdk_failed');
  const { code } = error;
  const { retryAfterMs, minLength = 8, until, reason = '', removedAt } = error as Details;
  switch (code) {
    case 'aborted':
      return '';
    case 'rate_limited':
      return errors.tooManyTries(retryAfterMs === undefined ? undefined : Math.ceil(retryAfterMs / 1_000));
    case 'invalid_credentials':
    case 'user_not_found':
      return shown === 'code' ? errors.wrongCode : errors.wrongPassword;
    case 'password_too_short':
      return errors.passwordTooShort(minLength);
    case 'account_banned':
      return errors.banned(until ? dateText(language, Date.parse(until)) : '', reason);
    case 'account_deleted':
      return errors.beingDeleted(removedAt === undefined ? '' : dateText(language, removedAt));
  }
  if (Object.hasOwn(meanings, code)) return errors[meanings[code as keyof typeof meanings]];
  // What may succeed later is no fault of the player's: `network`, `timeout` and each code of a 5xx.
  return error.retryable ? errors.unreachable : errors.other(code);
}
