import { isSdkError } from '../errors.js';
import { dateText, textFor } from './format.js';
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

/** Codes that mean the same to a player as the one that a text is named by. */
const sameAs: { readonly [code: string]: string } = {
  conflict_pending: 'conflict_cancelled',
  conflict_unhandled: 'conflict_cancelled',
  conflict_stale: 'conflict_expired',
  merge_not_allowed: 'merge_failed',
  quota_exceeded: 'too_large',
};

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
  // What may succeed later is no fault of the player's: `network`, `timeout` and each code of a 5xx.
  return textFor(errors, sameAs[code] ?? code) ?? (error.retryable ? errors.unreachable : errors.other(code));
}
