import { base64url } from 'jose';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { sha256 } from '../sha256.js';

/** Crockford's base32. It has no I, L, O and U, so that a code can be read again that was written down by hand. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A code for the player to write down, in groups of five. Spec gap: 128 bits. */
export function newRecoveryCode(
  random: (size: number) => Uint8Array,
  bytes: number = accountDefaults.recoveryCodeBytes,
): string {
  const length = Math.ceil((bytes * 8) / 5);
  let number = random(bytes).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let code = '';
  for (let place = 0; place < length; place += 1) {
    code = (digits[Number(number % 32n)] ?? '') + code;
    number /= 32n;
  }
  return (code.match(/.{1,5}/g) ?? []).join('-').replace(/-(.)$/, '$1');
}

/** A code as it was made: case, dashes and spaces do not count, nor do letters that hands mistake. */
export function readCode(code: string): string {
  return code.toUpperCase().replace(/[-\s]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
}

/** What a code is looked up by: its hash, so that no store sees the code. */
export async function recoverySubject(code: string): Promise<string> {
  return base64url.encode(await sha256(readCode(code)));
}
