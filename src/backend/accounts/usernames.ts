import { Refusal } from '../refusal.js';

const refused = /[\p{Cc}\p{Cn}\p{Cs}]/u;

/**
 * The form in which a name is looked up. Spec gap: NFKC and case folding, so that one name cannot be had twice in
 * look-alike spellings; control and unassigned characters are refused, for what they fold to may change.
 */
export function usernameSubject(username: string): string {
  if (refused.test(username)) {
    throw new Refusal('invalid_request', { detail: 'A username must not have control or unassigned characters.' });
  }
  // Twice: what the first round composes may have a lower case of its own.
  return fold(fold(username));
}

/** JavaScript has no case folding; by way of upper case, letters that differ in lower case only become one. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().toUpperCase().toLowerCase().normalize('NFKC');
}
