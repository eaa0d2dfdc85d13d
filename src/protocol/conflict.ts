import * as z from 'zod/mini';

/**
 * The methods by which a player reaches an account. `device` is a guest's device, `custom` the user id of the game's
 * own system, `recovery` a code that the player wrote down.
 */
export const linkMethods = ['device', 'name', 'identity', 'social', 'custom', 'recovery'] as const;

export type LinkMethod = (typeof linkMethods)[number];

export const conflictField = z.object({ collection: z.string(), key: z.string(), field: z.string() });

/**
 * A field of an entry that a game wants to show the player in a conflict.
 *
 * @see docs/interface.md#states-and-transitions
 */
export interface ConflictField {
  /** The collection's name. */
  collection: string;
  /** The entry's key. */
  key: string;
  /** The path of the field inside the value, with dots: `stats.coins`. */
  field: string;
}

export const shownField = z.extend(conflictField, {
  value: z.optional(z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

/**
 * What one side of a conflict has in a field that the game wants to show.
 *
 * @see docs/interface.md#states-and-transitions
 */
export interface ShownField extends ConflictField {
  /**
   * The field's value; a text is cut after 256 characters. Absent where the account has no such field, and where it is
   * neither a text nor a number, a boolean or null.
   */
  value?: string | number | boolean | null | undefined;
}

export const conflictSide = z.object({
  userId: z.string(),
  methods: z.array(z.string()),
  createdAt: z.int(),
  changedAt: z.nullable(z.int()),
  entries: z.int(),
  bytes: z.int(),
  fields: z.array(shownField),
});

/**
 * One side of a conflict: an account, and a summary of what it holds.
 *
 * @see docs/interface.md#states-and-transitions
 */
export interface ConflictSide {
  /** The account's user id. */
  userId: string;
  /** The methods that are linked to the account, such as `device` and `name`. */
  methods: string[];
  /** When the account was created, by the service's clock in ms since 1970. */
  createdAt: number;
  /** When an entry was last written, by the service's clock in ms since 1970; null where there is no entry. */
  changedAt: number | null;
  /** How many entries the account has, over all collections. */
  entries: number;
  /** The size of all entries together, in bytes of JSON in UTF-8. */
  bytes: number;
  /** The fields that the game asked for with `conflictFields`, in the same order. */
  fields: ShownField[];
}

const versionAndSize = z.nullable(z.object({ version: z.int(), bytes: z.int() }));

/** How one side of a conflict holds an entry. */
interface VersionAndSize {
  /** The entry's version on that side, 0 and up. */
  version: number;
  /** The size of the value on that side, in bytes of JSON in UTF-8. */
  bytes: number;
}

export const conflictDifference = z.object({
  collection: z.string(),
  key: z.string(),
  local: versionAndSize,
  cloud: versionAndSize,
  same: z.boolean(),
});

/**
 * An entry that at least one side of a conflict has, compared.
 *
 * @see docs/interface.md#states-and-transitions
 */
export interface ConflictDifference {
  /** The collection's name. */
  collection: string;
  /** The entry's key. */
  key: string;
  /** The entry on the local side; null where that side does not have it. */
  local: VersionAndSize | null;
  /** The entry on the cloud's side; null where that side does not have it. */
  cloud: VersionAndSize | null;
  /** Whether both sides hold the same value. */
  same: boolean;
}

export const conflictKinds = ['fast-forward', 'diverged'] as const;

/**
 * How the two sides of a conflict differ. `fast-forward`: one side has nothing of its own, so that taking the other one
 * loses nothing. `diverged`: each side has something that the other one has not.
 *
 * @see docs/interface.md#states-and-transitions
 */
export type ConflictKind = (typeof conflictKinds)[number];

export const conflictSides = z.object({
  ticket: z.string(),
  method: z.string(),
  expiresAt: z.int(),
  local: conflictSide,
  cloud: conflictSide,
  kind: z.enum(conflictKinds),
  ahead: z.nullable(z.enum(['local', 'cloud'])),
  diff: z.array(conflictDifference),
  mergeable: z.boolean(),
});

/** What the service tells with `profile_conflict`: both sides, and the ticket that alone authorises the choice. */
export interface ConflictSides {
  /** The secret that authorises the choice, once. */
  ticket: string;
  /** The method that is linked to the other account: `name`, `identity`, `social` or `recovery`. */
  method: string;
  /** When the ticket ends, by the service's clock in ms since 1970; 10 minutes after it was made. */
  expiresAt: number;
  /** The account that the player is signed in to. */
  local: ConflictSide;
  /** The account that owns the method. */
  cloud: ConflictSide;
  /** Whether taking one of the sides loses nothing. */
  kind: ConflictKind;
  /** The side that has all that the other one has, `cloud` where both hold the same; null where they diverged. */
  ahead: 'local' | 'cloud' | null;
  /** The entries of both sides, those that differ first; at most 200. */
  diff: ConflictDifference[];
  /** Whether the game allows the choice `merge`. */
  mergeable: boolean;
}

/** Cancelling needs no request, and so has no word here: nothing changes before a choice. */
export const conflictChoices = ['local', 'cloud', 'merge'] as const;

/**
 * What a player can choose in a conflict. `local` moves the method to the present account, `cloud` signs in to the
 * account that owns the method, and `merge` does that too and writes what the game's rules make of both sides.
 *
 * @see docs/interface.md#states-and-transitions
 */
export type ConflictChoice = (typeof conflictChoices)[number];
