import { rateDefaults } from '../../protocol/gaps/rates.js';
import { Refusal } from '../refusal.js';
import type { LinkKey } from '../stores/records.js';
import type { Store } from '../stores/store.js';

/** How many tries a window takes. */
export interface Rate {
  tries: number;
  windowMs: number;
}

/** The limits of a service; what is left out has its default. */
export interface RateLimits {
  wrongPasswordsPerAccount?: Rate;
  wrongPasswordsPerAddress?: Rate;
  /** New accounts, guests above all. */
  accountsPerAddress?: Rate;
  /** How long the doubling lock of an account can get. */
  lockMaxMs?: number;
}

/** Refuses with `rate_limited` what comes too often. */
export interface RateLimiter {
  /**
   * Counts a try at a name's password before it is checked, so that many at once cannot slip through. Without a name, it
   * counts for the address alone: a try at a recovery code, or a look at a name that nobody has.
   */
  countPasswordAttempt(name: LinkKey | null, address: string | undefined): Promise<void>;
  /** It was right: the tries at this name are forgotten, and the address gets its own back. */
  forgivePasswordAttempt(name: LinkKey | null, address: string | undefined): Promise<void>;
  /** Counts a new account. */
  countNewAccount(address: string | undefined): Promise<void>;
}

/** Spec gap: five wrong passwords an account a minute, then a doubling lock; ten an address in ten minutes. */
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

/** Spec gap: a household has one IPv4 address, but 2^64 of IPv6 with the same first half. */
function householdOf(address: string): string {
  if (!address.includes(':') || !URL.canParse(`http://[${address}]`)) return address;
  // The URL parser knows every way to write one, and gives the shortest.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - left.length - right.length).fill('0');
  const all = [...left, ...zeros, ...right];
  return all.slice(0, 4).every((group) => group === '0') ? all.join(':') : `${all.slice(0, 4).join(':')}::/64`;
}
