import * as z from 'zod/mini';

/**
 * How an account can be reached. `device` is the guest's way in, `custom` the game's own user id (Spec 2.4),
 * `recovery` a code that the player wrote down.
 */
export const linkMethods = ['device', 'name', 'identity', 'social', 'custom', 'recovery'] as const;

export type LinkMethod = (typeof linkMethods)[number];

/** A field of an entry that a game wants shown in a conflict; `field` is a path with dots: `stats.coins`. */
export const conflictField = z.object({ collection: z.string(), key: z.string(), field: z.string() });

export type ConflictField = z.infer<typeof conflictField>;

/** The value is absent where the account has no such field, or where it is no text, number, boolean or null. */
export const shownField = z.extend(conflictField, {
  value: z.optional(z.union([z.string(), z.number(), z.boolean(), z.null()])),
});

export type ShownField = z.infer<typeof shownField>;

/** One side of a conflict: an account and what it holds. Times in ms since 1970, sizes in bytes of UTF-8 JSON. */
export const conflictSide = z.object({
  userId: z.string(),
  methods: z.array(z.string()),
  createdAt: z.int(),
  /** When an entry was last written; null where there is none. */
  changedAt: z.nullable(z.int()),
  entries: z.int(),
  bytes: z.int(),
  fields: z.array(shownField),
});

export type ConflictSide = z.infer<typeof conflictSide>;

const versionAndSize = z.nullable(z.object({ version: z.int(), bytes: z.int() }));

/** An entry that at least one side has; null for the side that has it not. */
export const conflictDifference = z.object({
  collection: z.string(),
  key: z.string(),
  local: versionAndSize,
  cloud: versionAndSize,
  /** Both hold the same value. */
  same: z.boolean(),
});

export type ConflictDifference = z.infer<typeof conflictDifference>;

/** `fast-forward`: one side has nothing of its own, so that nothing is lost by taking the other. */
export const conflictKinds = ['fast-forward', 'diverged'] as const;

export type ConflictKind = (typeof conflictKinds)[number];

/** What `profile_conflict` carries: both sides, and the ticket that alone authorises the choice. */
export const conflictSides = z.object({
  ticket: z.string(),
  method: z.string(),
  /** Server time, ms since 1970. */
  expiresAt: z.int(),
  local: conflictSide,
  cloud: conflictSide,
  kind: z.enum(conflictKinds),
  /** The side that has all that the other one has; null where they diverged. */
  ahead: z.nullable(z.enum(['local', 'cloud'])),
  /** Up to `accounts.maxConflictDifferences` rows, the ones that differ first. */
  diff: z.array(conflictDifference),
  /** Whether the game allows the choice `merge`. */
  mergeable: z.boolean(),
});

export type ConflictSides = z.infer<typeof conflictSides>;

/** The choices of Spec 3 as they travel. Cancelling needs no request: nothing changes before a choice. */
export const conflictChoices = ['local', 'cloud', 'merge'] as const;

export type ConflictChoice = (typeof conflictChoices)[number];
