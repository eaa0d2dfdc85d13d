import * as z from 'zod/mini';

/** How an account can be reached. `device` is the guest's way in, `custom` the game's own user id (Spec 2.4). */
export const linkMethods = ['device', 'name', 'identity', 'social', 'custom'] as const;

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

/** What `profile_conflict` carries: both sides, and the ticket that alone authorises the choice. */
export const conflictSides = z.object({
  ticket: z.string(),
  method: z.string(),
  /** Server time, ms since 1970. */
  expiresAt: z.int(),
  local: conflictSide,
  cloud: conflictSide,
});

export type ConflictSides = z.infer<typeof conflictSides>;

/** The choices of Spec 3 as they travel. Cancelling needs no request: nothing changes before a choice. */
export const conflictChoices = ['local', 'cloud'] as const;

export type ConflictChoice = (typeof conflictChoices)[number];
