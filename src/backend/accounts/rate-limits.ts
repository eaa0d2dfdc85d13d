import { hours } from '../../protocol/gaps/units.js';
import { householdOf } from '../household.js';
import type { Rate, Rates } from '../rates.js';
import { refuseWhile } from '../refusal.js';
import type { LinkKey, Owner } from '../stores/records.js';
import type { Store } from '../stores/store.js';

/** Who tries a name. */
export interface NameTry {
  name: LinkKey;
  /** The account that has the name; null where nobody has it. */
  accountId: string | null;
  /** The subject of the device that asks. */
  device: string;
  address: string | undefined;
}

/** How the tries of one device and address at a name are counted. */
export interface NameTries {
  /** Whether the device is none that knows the name's account. */
  isStranger: boolean;
  /**
   * Counts a try. It is called before the password is checked, so that no try of many at once escapes. Refuses with
   * `rate_limited` where there have been too many, and counts nothing then.
   */
  count(): Promise<void>;
  /** The password was right: the tries of this device or address at the name are forgotten. */
  forgive(): Promise<void>;
  /** Nobody has learned whether the password is right: this try is forgotten. */
  takeBack(): Promise<void>;
}

/** Counts what a stranger could find something out by, in the store, for all processes together. */
export interface RateLimiter {
  /**
   * How tries at a name are counted. A device that knows the name counts by itself. All others count by
   * name and address, by address, and by name, so that no stranger can keep the owner out. A name that
   * nobody has counts in the same way.
   */
  triesAt(who: NameTry): Promise<NameTries>;
  /** Counts a recovery code that is wrong. */
  countWrongCode(address: string | undefined): Promise<void>;
  /**
   * Counts that a code for a name is asked for: by the name, and where the device knows it by the device, so that no
   * stranger keeps the owner from it; and by the address. A name that nobody has counts in the same way.
   */
  countReset(who: NameTry): Promise<void>;
  /** Counts a try of a code, before it is compared. */
  countResetTry(address: string | undefined): Promise<void>;
  /** Takes that back: the code was right, or nobody has learned whether it is. */
  forgiveResetTry(address: string | undefined): Promise<void>;
  /**
   * Counts that a code for an e-mail address is asked for: by the account, by the network's address, and by the
   * mailbox, of which a hash is given, so that nobody's mailbox is flooded.
   */
  countVerification(who: { owner: Owner; address: string | undefined; mailbox: string }): Promise<void>;
  /** Counts an account that is about to be made. */
  countNewAccount(address: string | undefined): Promise<void>;
  /** Takes that back, where none was made. */
  forgiveNewAccount(address: string | undefined): Promise<void>;
}

/** Something that is counted: `lockMaxMs` is null where too many do not lock it. */
interface Counted {
  key: string;
  /** Which limit it is, for whoever is refused. It is the same whether somebody has the name or nobody. */
  limitName: StoredRate;
  rate: Rate;
  lockMaxMs: number | null;
}

type StoredRate = Extract<
  keyof Rates,
  `${'wrongPasswords' | 'resets' | 'wrongResetCodes' | 'verifications' | 'newGuests'}${string}`
>;

/** Without limits nothing is counted. */
export function createRateLimiter(store: Store, now: () => number, rates: Rates | null): RateLimiter {
  if (rates === null) return unlimited;
  const { lockMaxMs: nameLockMs } = rates;
  const newGuestsPerAddressPerHour = { tries: rates.newGuestsPerAddressPerHour, windowMs: hours(1) };
  const stored: { readonly [name in StoredRate]: Rate } = { ...rates, newGuestsPerAddressPerHour };

  const by = (limitName: StoredRate, key: string, lockMaxMs: number | null = null): Counted => ({
    key,
    limitName,
    rate: stored[limitName],
    lockMaxMs,
  });

  /** Nothing, where the address is not known. */
  const byAddress = (kind: string, address: string | undefined, limitName: StoredRate): Counted[] =>
    address === undefined ? [] : [by(limitName, JSON.stringify([kind, 'address', householdOf(address)]))];

  const asNewAccount = (address: string | undefined): Counted[] =>
    byAddress('account', address, 'newGuestsPerAddressPerHour');

  async function count({ key, limitName, rate, lockMaxMs }: Counted): Promise<void> {
    refuseWhile(await store.countAttempt({ key, ...rate, lockMaxMs, now: now() }), limitName);
  }

  const takeBack = (counted: Counted): Promise<void> => store.forgiveAttempt({ key: counted.key, forget: 'one' });

  async function countAll(all: readonly Counted[]): Promise<void> {
    const done: Counted[] = [];
    try {
      for (const counted of all) {
        await count(counted);
        done.push(counted);
      }
    } catch (error) {
      // What cannot be taken back stays counted; the caller has to learn why the others were not.
      for (const counted of done) await takeBack(counted).catch(() => {});
      throw error;
    }
  }

  /** What a try at a name counts by. What locks comes first: where it refuses, there is nothing to be taken back. */
  async function countedBy({ name, accountId, device, address }: NameTry): Promise<Counted[]> {
    const { gameId, environment, method, subject } = name;
    const keyOf = (...rest: string[]): string =>
      JSON.stringify(['password', gameId, environment, method, subject, ...rest]);
    const locked = (key: string): Counted => by('wrongPasswordsPerNameAndAddress', key, nameLockMs);
    // The store is asked about a name that nobody has as well, so that the time does not tell.
    const owner = { gameId, environment, accountId: accountId ?? nobody };
    if (await store.knowsDevice({ owner, device })) return [locked(keyOf('device', device))];
    return [
      locked(keyOf('address', address === undefined ? '' : householdOf(address))),
      ...byAddress('password', address, 'wrongPasswordsPerAddress'),
      by('wrongPasswordsPerName', keyOf()),
    ];
  }

  async function countReset({ name, accountId, device, address }: NameTry): Promise<void> {
    const { gameId, environment, method, subject } = name;
    const owner = { gameId, environment, accountId: accountId ?? nobody };
    const ofDevice = (await store.knowsDevice({ owner, device })) ? ['device', device] : [];
    const key = JSON.stringify(['reset', gameId, environment, method, subject, ...ofDevice]);
    await countAll([...byAddress('reset', address, 'resetsPerAddress'), by('resetsPerName', key)]);
  }

  return {
    async triesAt(who) {
      const all = await countedBy(who);
      return {
        isStranger: all.length > 1,
        count: () => countAll(all),
        async forgive() {
          for (const { key, lockMaxMs } of all) {
            await store.forgiveAttempt({ key, forget: lockMaxMs === null ? 'one' : 'all' });
          }
        },
        async takeBack() {
          for (const counted of all) await takeBack(counted);
        },
      };
    },
    countWrongCode: (address) => countAll(byAddress('password', address, 'wrongPasswordsPerAddress')),
    countReset,
    countResetTry: (address) => countAll(byAddress('reset code', address, 'wrongResetCodesPerAddress')),
    countVerification: ({ owner: { gameId, environment, accountId }, address, mailbox }) =>
      countAll([
        ...byAddress('verification', address, 'verificationsPerAddress'),
        by('verificationsPerAccount', JSON.stringify(['verification', gameId, environment, accountId])),
        by('verificationsPerMailbox', JSON.stringify(['verification', 'mailbox', mailbox])),
      ]),
    async forgiveResetTry(address) {
      for (const counted of byAddress('reset code', address, 'wrongResetCodesPerAddress')) await takeBack(counted);
    },
    countNewAccount: (address) => countAll(asNewAccount(address)),
    async forgiveNewAccount(address) {
      for (const counted of asNewAccount(address)) await takeBack(counted);
    },
  };
}

const nobody = '00000000-0000-4000-8000-000000000000';

async function nothing(): Promise<void> {}

const unlimited: RateLimiter = {
  triesAt: async () => ({ isStranger: true, count: nothing, forgive: nothing, takeBack: nothing }),
  countWrongCode: nothing,
  countReset: nothing,
  countResetTry: nothing,
  forgiveResetTry: nothing,
  countVerification: nothing,
  countNewAccount: nothing,
  forgiveNewAccount: nothing,
};
