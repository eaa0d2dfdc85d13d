import type { NameReason } from '../../protocol/player-messages.js';
import { Refusal } from '../refusal.js';

/** Control characters, as they have always been refused. */
const control = /\p{Cc}/u;

/** What a later Unicode may fold in another way, and halves of characters. */
const unknown = /[\p{Cn}\p{Cs}]/u;

/** What nobody sees: with it, two names look like one. */
const invisible = /[\p{Cf}\p{Default_Ignorable_Code_Point}]/u;

/**
 * The form in which a name is looked up. Spec gap: NFKC and case folding, so that two players cannot have one name in
 * two spellings. Control and unassigned characters are refused.
 */
export function usernameSubject(username: string): string {
  if (control.test(username)) throw nameNotAllowed('invisible_characters');
  if (unknown.test(username)) throw nameNotAllowed('unknown_characters');
  // Folded twice, for a letter that the first round composes may have a lower case of its own.
  return fold(fold(username));
}

/**
 * Whether a name may be taken. One that was taken before it was refused stays its owner's. White space at an end is
 * what keyboards of phones add: nobody sees it, and the name would be another one on the next device.
 */
export function canBeTaken(username: string): boolean {
  return !invisible.test(username) && username.trim() === username;
}

export function nameNotAllowed(reason: NameReason): Refusal {
  return new Refusal('name_not_allowed', { reason, detail: why[reason] });
}

const why: { readonly [reason in NameReason]: string } = {
  empty: 'It is empty.',
  too_long: 'It is too long.',
  invisible_characters: 'It has characters that cannot be seen, or white space at an end.',
  unknown_characters: 'It has characters that Unicode does not know.',
};

/**
 * JavaScript has no case folding. Through upper case, letters become one that differ only in lower case, such as σ and
 * ς.
 */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
