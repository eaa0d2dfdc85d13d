import { base64url } from 'jose';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { sha256 } from '../sha256.js';

/** Crockford's base32. It has no I, L, O and U, so that a code can be read again that was written down by hand. */
const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = Math.ceil((accountDefaults.recoveryCodeBytes * 8) / 5);

/** A code for the player to write down, in groups of five. Spec gap: 128 bits. */
export function newRecoveryCode(random: (size: number) => Uint8Array): string {
  let number = random(accountDefaults.recoveryCodeBytes).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  let code = '';
  for (let place = 0; place < length; place += 1) {
    code = (digits[Number(number % 32n)] ?? '') + code;
    number /= 32n;
  }
  return (code.match(/.{1,5}/g) ?? []).join('-').replace(/-(.)$/, '$1');
}

/** What a code is looked up by: its hash, so that no store sees the code. Case, dashes and spaces do not count. */
export async function recoverySubject(code: string): Promise<string> {
  const read = code.toUpperCase().replace(/[-\s]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0');
  return base64url.encode(await sha256(read));
}
