import { passwordLength } from '../../protocol/gaps/sizes.js';
import { Refusal } from '../refusal.js';

const { min } = passwordLength;

/** Whether a password may be set. One that was set elsewhere, and imported, may be shorter and goes on to count. */
export function canBeSet(password: string): boolean {
  return password.length >= min;
}

export function passwordTooShort(): Refusal {
  return new Refusal('password_too_short', { minLength: min, detail: `It needs ${min} characters.` });
}
