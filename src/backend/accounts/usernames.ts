import { Refusal } from '../refusal.js';

const refused = /[\p{Cc}\p{Cn}\p{Cs}]/u;

/**
 * The form in which a name is looked up. Spec gap: NFKC and case folding, so that two players cannot have one name in
 * two spellings. Control and unassigned characters are refused: a later Unicode may fold them in another way.
 */
export function usernameSubject(username: string): string {
  if (refused.test(username)) {
    throw new Refusal('invalid_request', { detail: 'A username must not have control or unassigned characters.' });
  }
  // Folded twice, for a letter that the first round composes may have a lower case of its own.
  return fold(fold(username));
}

/**
 * JavaScript has no case folding. Through upper case, letters become one that differ only in lower case, such as σ and
 * ς.
 */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
