import { rateDefaults } from '../../protocol/gaps/rates.js';
import { Refusal } from '../refusal.js';
import type { LinkKey } from '../stores/records.js';
import type { Store } from '../stores/store.js';

/** How many attempts are allowed in how long. */
export interface Rate {
  /** How many attempts are allowed in a window, from 1 up. */
  tries: number;
  /** The window's length in ms; it begins with the first attempt. */
  windowMs: number;
}

/**
 * How often a service lets something be tried. What is left out has its default; more is refused with `rate_limited`.
 */
export interface RateLimits {
  /** Wrong passwords for one name, after which the name is locked; 5 in a minute by default. */
  wrongPasswordsPerAccount?: Rate;
  /** Wrong passwords and recovery codes from one address; 10 in ten minutes by default. */
  wrongPasswordsPerAddress?: Rate;
  /** New accounts from one address, guests included; 30 in an hour by default. */
  accountsPerAddress?: Rate;
  /** How long a name may be locked, in ms: each lock is twice as long as the one before; 15 minutes by default. */
  lockMaxMs?: number;
}

/** Counts attempts, and refuses with `rate_limited` where there are too many. */
export interface RateLimiter {
  /**
   * Counts an attempt at a name's password, for the name and for the address. It is called before the password is
   * checked, so that no attempt of many at once escapes. With `null` for the name the attempt counts for the address
   * alone: one at a recovery code, or one that asks about a name that nobody has.
   */
  countPasswordAttempt(name: LinkKey | null, address: string | undefined): Promise<void>;
  /** Takes back a right attempt: all attempts at the name are forgotten, and one of the address. */
  forgivePasswordAttempt(name: LinkKey | null, address: string | undefined): Promise<void>;
  countNewAccount(address: string | undefined): Promise<void>;
}

/** Without limits nothing is counted. */
export function createRateLimiter(store: Store, now: () => number, limits: RateLimits | null): RateLimiter {
  if (limits === null)
    return { countPasswordAttempt: countNothing, forgivePasswordAttempt: countNothing, countNewAccount: countNothing };
  const perAccount = limits.wrongPasswordsPerAccount ?? rateDefaults.wrongPasswordsPerAccount;
  const perAddress = limits.wrongPasswordsPerAddress ?? rateDefaults.wrongPasswordsPerAddress;
  const newAccounts = limits.accountsPerAddress ?? rateDefaults.guestsPerAddress;
  const lockMaxMs = limits.lockMaxMs ?? rateDefaults.lockMaxMs;

  async function count(key: string, rate: Rate, lock: number | null): Promise<void> {
    const retryAfterMs = await store.countAttempt({ key, ...rate, lockMaxMs: lock, now: now() });
    if (retryAfterMs > 0) throw new Refusal('rate_limited', { retryAfterMs });
  }

  return {
    async countPasswordAttempt(name, address) {
      if (address !== undefined) await count(addressKey('password', address), perAddress, null);
      if (name !== null) await count(nameKey(name), perAccount, lockMaxMs);
    },
    async forgivePasswordAttempt(name, address) {
      if (name !== null) await store.forgiveAttempt({ key: nameKey(name), forget: 'all' });
      if (address !== undefined) await store.forgiveAttempt({ key: addressKey('password', address), forget: 'one' });
    },
    async countNewAccount(address) {
      if (address !== undefined) await count(addressKey('account', address), newAccounts, null);
    },
  };
}

async function countNothing(): Promise<void> {}

function nameKey({ gameId, environment, method, subject }: LinkKey): string {
  return JSON.stringify(['password', gameId, environment, method, subject]);
}

function addressKey(kind: string, address: string): string {
  return JSON.stringify([kind, 'address', householdOf(address)]);
}

/** Spec gap: one household has one IPv4 address, or all 2^64 IPv6 addresses that share the first half. */
function householdOf(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]`)) return address;
  // An IPv6 address can be written in many ways; the URL parser reads them all and writes the shortest.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill('0');
  const all = [...left, ...zeros, ...right];
  return all.slice(0, 4).every((group) => group === '0') ? all.join(':') : `${all.slice(0, 4).join(':')}::/64`;
}
