/** What operators choose for players, and what they are answered. Ours: the interface has no such requests. */
import * as z from 'zod/mini';
import { conflictChoices, linkMethods } from './conflict.js';
import { uuid } from './messages.js';

/** Whose entries count where two accounts have one, as an operator merges them. */
export const entriesOfMerge = ['keep', 'take'] as const;

/**
 * Whose entries an account has after an operator has merged another one into it: `keep`, its own stay as they are;
 * `take`, those of the other one take their place, entry by entry.
 */
export type EntriesOfMerge = (typeof entriesOfMerge)[number];

export const playerChoice = z.object({
  id: uuid,
  choice: z.enum([...conflictChoices, 'support']),
  madeAt: z.int(),
  expiresAt: z.int(),
  fromUserId: uuid,
  methods: z.array(z.enum(linkMethods)),
});

/** The latest choice in a conflict that a player's account was chosen by. All times are in ms since 1970. */
export interface PlayerChoice {
  /** Its id, by which it can be taken back; the snapshot of what was not chosen has the same. */
  id: string;
  /** What the player chose; `support` where an operator merged the other account into this one. */
  choice: 'local' | 'cloud' | 'merge' | 'support';
  /** When it was made. */
  madeAt: number;
  /** Until when it can be taken back. */
  expiresAt: number;
  /** The other account. */
  fromUserId: string;
  /** What led to the other account before, and to this one since, `device` among it. */
  methods: (typeof linkMethods)[number][];
}

/** A choice in the list of a game. */
export interface GameChoice extends PlayerChoice {
  /** The account that was chosen. */
  userId: string;
}

export const choicesAnswer = z.object({
  choices: z.array(z.extend(playerChoice, { userId: uuid })),
  cursor: z.optional(z.string()),
});

export const undoneChoiceAnswer = z.object({ userId: uuid, methods: z.array(z.enum(linkMethods)), written: z.int() });

/** What an operator has taken back. */
export interface UndoneChoice {
  /** The account that the player had before. */
  userId: string;
  /** What leads there again, `device` among it. */
  methods: (typeof linkMethods)[number][];
  /** How many entries of the account that was chosen were written back. */
  written: number;
}

export const mergePlayersRequest = z.object({ into: uuid, entries: z.optional(z.enum(entriesOfMerge)) });

export const mergedPlayersAnswer = z.object({
  userId: uuid,
  methods: z.array(z.enum(linkMethods)),
  deviceCount: z.int(),
  customId: z.optional(z.string()),
  written: z.int(),
});

/** What an operator has made of two accounts. */
export interface MergedPlayers {
  /** The user id that everything leads to since. */
  userId: string;
  /** The kinds of the login methods that lead there since, but for devices. */
  methods: (typeof linkMethods)[number][];
  /** How many devices lead there since. */
  deviceCount: number;
  /** The game's own user id that leads there since; absent where there was none. */
  customId?: string | undefined;
  /** How many entries were written. */
  written: number;
}
