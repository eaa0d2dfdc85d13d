import { days, hours, kibibytes, minutes } from './units.js';

/**
 * Rate limits (docs/interface.md#limits). A back end in the process of a test has none, unless
 * its options ask for them.
 */
export const rateDefaults = {
  /** Too many of these lock the name for the address, each time for twice as long. */
  wrongPasswordsPerNameAndAddress: { tries: 5, windowMs: minutes(1) },
  lockMaxMs: minutes(15),
  wrongPasswordsPerAddress: { tries: 10, windowMs: minutes(10) },
  /** Of all addresses together, but for the devices that know the name. */
  wrongPasswordsPerName: { tries: 200, windowMs: hours(1) },
  /** Each is a message to the player, and five guesses for whoever has asked for it. */
  resetsPerName: { tries: 5, windowMs: days(1) },
  resetsPerAddress: { tries: 60, windowMs: hours(1) },
  wrongResetCodesPerAddress: { tries: 20, windowMs: hours(1) },
  /** Each is a mail to an address that may be somebody else's. */
  verificationsPerAccount: { tries: 5, windowMs: days(1) },
  verificationsPerAddress: { tries: 60, windowMs: hours(1) },
  verificationsPerMailbox: { tries: 5, windowMs: days(1) },
  wrongTokensPerAddress: { tries: 100, windowMs: minutes(10) },
  /** Each may be a question to a platform. */
  tokensPerAddress: { tries: 3_000, windowMs: minutes(1) },
  tokensPerPlayer: { tries: 300, windowMs: minutes(1) },
  /** A school or a mobile network is one address. */
  newGuestsPerAddressPerHour: 1_000,
  signInsPerAddress: { tries: 6_000, windowMs: minutes(1) },
  readsPerAccount: { tries: 3_000, windowMs: minutes(1) },
  readsPerAddress: { tries: 60_000, windowMs: minutes(1) },
  writesPerAccount: { tries: 3_000, windowMs: minutes(1) },
  writesPerAddress: { tries: 60_000, windowMs: minutes(1) },
  refreshesPerAccount: { tries: 300, windowMs: minutes(1) },
  refreshesPerAddress: { tries: 30_000, windowMs: minutes(1) },
  gameRequestsPerAccount: { tries: 3_000, windowMs: minutes(1) },
  /** The game's own back end may be one address for all of its players. */
  gameRequestsPerAddress: { tries: 120_000, windowMs: minutes(1) },
  operatorRequestsPerAddress: { tries: 1_200, windowMs: minutes(1) },
} as const;

/** What an account's request brings or reads counts as one more for each so many bytes. */
export const bytesPerCount = kibibytes(64);

/** Of how many accounts or addresses a process remembers the latest requests: the one longest unused is forgotten. */
export const rememberedPerRate = 100_000;
