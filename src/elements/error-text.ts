import { isSdkError } from '../errors.js';
import { dateText } from './format.js';
import type { Texts } from './texts/texts.js';

/** What was shown to sign in: a wrong password is another thing to the player than a wrong code. */
export type Shown = 'password' | 'code';

/** What went wrong, for the player, with a way out. Empty where there is nothing to be told. */
export function errorText(texts: Texts, error: unknown, shown: Shown = 'password'): string {
  const { errors, language } = texts;
  if (!isSdkError(error)) return errors.other('sdk_failed');
  const details = error as Partial<Details>;
  switch (error.code) {
    case 'aborted':
      return '';
    case 'network':
    case 'timeout':
    case 'unavailable':
    case 'internal':
    case 'invalid_answer':
      return errors.unreachable;
    case 'rate_limited':
      return errors.tooManyTries(
        details.retryAfterMs === undefined ? undefined : Math.ceil(details.retryAfterMs / 1_000),
      );
    case 'invalid_credentials':
      return shown === 'code' ? errors.wrongCode : errors.wrongPassword;
    case 'user_not_found':
      return shown === 'code' ? errors.wrongCode : errors.wrongPassword;
    case 'not_found':
      return errors.gone;
    case 'password_too_short':
      return errors.passwordTooShort(details.minLength ?? 8);
    case 'name_not_allowed':
      return errors.nameNotAllowed;
    case 'method_already_linked':
      return errors.alreadyLinked;
    case 'would_orphan':
      return errors.lastMethod;
    case 'account_banned':
      return errors.banned(details.until ? dateText(language, Date.parse(details.until)) : '', details.reason ?? '');
    case 'account_deleted':
      return errors.beingDeleted(details.removedAt === undefined ? '' : dateText(language, details.removedAt));
    case 'reauthentication_required':
      return errors.signInAgain;
    case 'delivery_not_set_up':
      return errors.noDelivery;
    case 'conflict_cancelled':
    case 'conflict_pending':
    case 'conflict_unhandled':
      return errors.chooseFirst;
    case 'conflict_expired':
    case 'conflict_stale':
      return errors.choiceOver;
    case 'merge_failed':
    case 'merge_not_allowed':
      return errors.cannotMerge;
    case 'too_large':
    case 'quota_exceeded':
      return errors.tooMuch;
    case 'storage_unavailable':
      return errors.deviceStorage;
    case 'not_authenticated':
      return errors.nobody;
    default:
      return errors.other(error.code);
  }
}

/** What an error of the service says besides its code. */
interface Details {
  retryAfterMs: number;
  minLength: number;
  until: string | null;
  reason: string;
  removedAt: number;
}
