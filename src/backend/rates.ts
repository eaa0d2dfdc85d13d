import { rateDefaults } from '../protocol/gaps/rates.js';

/** How many are allowed in how long. */
export interface Rate {
  /** How many are allowed in a window, from 1 up. */
  tries: number;
  /** The window's length in ms, from 1 up. */
  windowMs: number;
}

/**
 * How often a service lets something be done. What is left out has its default; more is refused with `rate_limited`,
 * which says when to try again. An address is the one of the socket, or what a trusted proxy says; of IPv6 it is a /64.
 *
 * @see docs/interface.md#ours-errors-and-limits
 */
export interface RateLimits {
  /**
   * Wrong passwords for one name from one address, after which the name is locked there; 5 in a minute by default. A
   * device that knows the name has the same for itself, and none of the next two counts for it.
   */
  wrongPasswordsPerNameAndAddress?: Rate;
  /** How long a name may be locked, in ms: each lock is twice as long as the one before; 15 minutes by default. */
  lockMaxMs?: number;
  /** Wrong passwords and recovery codes from one address; 10 in ten minutes by default. */
  wrongPasswordsPerAddress?: Rate;
  /** Wrong passwords for one name from all addresses together; 200 in an hour by default. */
  wrongPasswordsPerName?: Rate;
  /**
   * Codes to set a new password that are asked for one name; 5 in a day by default. A device that knows the name
   * has the same for itself.
   */
  resetsPerName?: Rate;
  /** Codes to set a new password that are asked for from one address; 60 in an hour by default. */
  resetsPerAddress?: Rate;
  /** Wrong codes to set a new password, or to verify an e-mail address, from one address; 20 in an hour by default. */
  wrongResetCodesPerAddress?: Rate;
  /** Codes to verify an e-mail address that one account asks for; 5 in a day by default. */
  verificationsPerAccount?: Rate;
  /** Codes to verify an e-mail address that are asked for from one address in the network; 60 in an hour by default. */
  verificationsPerAddress?: Rate;
  /**
   * Codes to verify an e-mail address that are sent to one mailbox, whoever asks for them; 5 in a day by default. Case
   * does not count, nor does what stands behind a `+`.
   */
  verificationsPerMailbox?: Rate;
  /** Identity and social tokens from one address that do not hold; 100 in ten minutes by default. */
  wrongTokensPerAddress?: Rate;
  /** Identity and social tokens from one address, right and wrong ones; 3,000 in a minute by default. */
  tokensPerAddress?: Rate;
  /** Identity and social tokens that hold, of one player at one provider or platform; 300 in a minute by default. */
  tokensPerPlayer?: Rate;
  /** New accounts from one address in an hour, guests included, from 1 up; 1,000 by default. */
  newGuestsPerAddressPerHour?: number;
  /**
   * Sign-ins from one address, right and wrong ones, and what leads to one, a choice in a conflict too; 6,000 in a
   * minute by default. Each 64 KiB that they bring count as one more.
   */
  signInsPerAddress?: Rate;
  /** Reads of one account; 3,000 in a minute by default. Each 64 KiB that it is given count as one more. */
  readsPerAccount?: Rate;
  /** Reads from one address; 60,000 in a minute by default. */
  readsPerAddress?: Rate;
  /**
   * Writes of one account, and other changes of it; 3,000 in a minute by default. Each 64 KiB that they
   * bring count as one more.
   */
  writesPerAccount?: Rate;
  /** Writes and other changes from one address; 60,000 in a minute by default. */
  writesPerAddress?: Rate;
  /** Exchanges of refresh tokens of one account; 300 in a minute by default. */
  refreshesPerAccount?: Rate;
  /** Exchanges of refresh tokens from one address; 30,000 in a minute by default. */
  refreshesPerAddress?: Rate;
  /**
   * Signed requests for one custom id, and by themselves those to the private API about one player; 3,000 in a minute by
   * default. Each 64 KiB that the latter read or bring count as one more.
   */
  gameRequestsPerAccount?: Rate;
  /** Signed requests, and those to the private API, from one address; 120,000 in a minute by default. */
  gameRequestsPerAddress?: Rate;
  /** Requests with an operator's key, right and wrong ones, from one address; 1,200 in a minute by default. */
  operatorRequestsPerAddress?: Rate;
}

/** All rates of a service. */
export type Rates = Required<RateLimits>;

/** The rates that an option asks for; null where it asks for none. Throws TypeError naming what is wrong. */
export function ratesOf(option: boolean | RateLimits | undefined): Rates | null {
  if (option === undefined || option === false) return null;
  if (option === true) return rateDefaults;
  if (typeof option !== 'object' || option === null)
    throw new TypeError('limits.rates must be true, false or an object');
  const given = Object.entries(option).filter(([, value]) => value !== undefined);
  for (const [name, value] of given) {
    if (!Object.hasOwn(rateDefaults, name))
      throw new TypeError(`limits.rates.${name} must be left out: there is no such rate`);
    const isRate = typeof rateDefaults[name as keyof Rates] === 'object';
    if (isRate ? !isPositiveRate(value) : !isPositive(value)) {
      const what = isRate ? '{ tries, windowMs }, integers from 1 up' : 'an integer from 1 up';
      throw new TypeError(`limits.rates.${name} must be ${what}`);
    }
  }
  return { ...rateDefaults, ...Object.fromEntries(given) };
}

function isPositiveRate(value: unknown): boolean {
  const { tries, windowMs } = (value ?? {}) as { [name: string]: unknown };
  return isPositive(tries) && isPositive(windowMs);
}

function isPositive(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) > 0;
}
