import { createRateTable } from '../../backend/rate-table.js';
import { Refusal, refuseWhile } from '../../backend/refusal.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { isSameToken } from './sealed-sessions.js';

/** How often an address may try: operators of one office may all have the same. */
const triesPerAddress = { tries: 20, windowMs: 10 * 60 * 1000 };

export interface SignIn {
  /** Settles where the key counts. Refuses with `rate_limited` and `invalid_credentials`. */
  withKey(key: unknown, household: string): Promise<string>;
  /** The key that a one-time link stands for. Refuses with `rate_limited` and `invalid_credentials`. */
  withLink(link: unknown, household: string): string;
}

export interface SignInOptions {
  /** Whether an operator has this key. */
  counts(key: string): Promise<boolean>;
  /** What the printed link leads to; null where none is printed. */
  link: { code: string; key: string } | null;
  now(): number;
}

/** Takes an operator's key, or the one-time link in its place. Every try counts for its household, right ones too. */
export function createSignIn({ counts, link, now }: SignInOptions): SignIn {
  const rate = createRateTable(triesPerAddress);
  let isUsed = false;

  function take(household: string): void {
    refuseWhile(rate.take(household, now()), 'console.signInsPerAddress');
  }

  return {
    async withKey(key, household) {
      take(household);
      if (typeof key !== 'string') throw new Refusal('invalid_request', { detail: '"key" must be a text.' });
      // No header can carry another one, so that the service would not take it either.
      const isSendable = key.length <= operatorDefaults.operatorKeyLength.max && /^[!-~]+$/.test(key);
      if (!isSendable || !(await counts(key))) throw new Refusal('invalid_credentials');
      return key;
    },

    withLink(given, household) {
      take(household);
      if (typeof given !== 'string') throw new Refusal('invalid_request', { detail: '"link" must be a text.' });
      if (link === null || isUsed || !isSameToken(given, link.code)) throw new Refusal('invalid_credentials');
      isUsed = true;
      return link.key;
    },
  };
}
