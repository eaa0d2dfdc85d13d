/**
 * What operators ask and are answered, below `{base_url}/v2/admin`. Ours: the interface has no such requests. Bodies
 * are written in snake_case, answers as all others.
 */

import * as z from 'zod/mini';
import { type PlayerChoice, playerChoice } from './admin-choices.js';
import type { Environment } from './environments.js';
import { operatorDefaults } from './gaps/operators.js';
import { lastMoment } from './last-moment.js';
import { deviceId, environment, type JsonObject, jsonObject, uuid } from './messages.js';
import { type AccountUsage, type LinkedMethod, linkedMethod, usageAnswer } from './player-messages.js';

/** What an operator's key allows, each more than the one before. */
export const operatorScopes = ['read', 'support', 'admin'] as const;

/** What an operator's key allows: `read` to look, `support` to change what a player has, `admin` all. */
export type OperatorScope = (typeof operatorScopes)[number];

/** Names that look like what they are, on a terminal and in a log. */
const keyName = z
  .string()
  .check(
    z.minLength(operatorDefaults.operatorKeyNameLength.min),
    z.maxLength(operatorDefaults.operatorKeyNameLength.max),
    z.regex(/^[A-Za-z0-9][A-Za-z0-9 ._@-]*$/),
  );

/** A device that is to lead to the account again; left out, only the deletion is taken back. */
export const restorePlayerRequest = z.object({ device_id: z.optional(deviceId) });

/** A line of text that players are shown and terminals print: something in it, and no control characters. */
const line = z.string().check(
  z.maxLength(operatorDefaults.banReasonLength),
  z.refine((text) => text.trim() !== '' && !/[\p{Cc}\p{Cs}]/u.test(text), 'must be a line of text'),
);

/** Until when, in ms since 1970; null or left out for good. */
export const banRequest = z.object({
  until: z.optional(z.nullable(z.int().check(z.gte(0), z.lt(lastMoment)))),
  reason: line,
});

export const ban = z.object({ at: z.int(), until: z.nullable(z.int()), reason: z.string() });

/** That a player is kept out. All times are by the service's clock in ms since 1970. */
export interface Ban {
  /** Since when. */
  at: number;
  /** Until when; null for good. */
  until: number | null;
  /** What the player is told. */
  reason: string;
}

export const operatorKeyRequest = z.object({ name: keyName, scope: z.enum(operatorScopes) });

export const operatorKey = z.object({
  id: uuid,
  name: z.string(),
  scope: z.enum(operatorScopes),
  createdAt: z.int(),
  createdBy: z.string(),
});

/** An operator's key, without the key. */
export interface OperatorKey {
  /** The id of the key, by which it is revoked and the audit log names it. */
  id: string;
  /** Whose key it is, or what for. */
  name: string;
  /** What it allows. */
  scope: OperatorScope;
  /** When it was made, by the service's clock in ms since 1970. */
  createdAt: number;
  /** The name of the key that made it. */
  createdBy: string;
}

export const operatorKeysAnswer = z.object({ keys: z.array(operatorKey) });

export const operatorKeyAnswer = z.extend(operatorKey, { key: z.string() });

/** An operator's key that was made just now. */
export interface NewOperatorKey extends OperatorKey {
  /** The key: a secret, which nobody can read again. */
  key: string;
}

export const resetCodeAnswer = z.object({ name: z.string(), code: z.string(), expiresAt: z.int() });

/** A code by which a player sets a new password, for `auth.reset`. */
export interface ResetCode {
  /** The name that the player signs in with. */
  name: string;
  /** The code, for this player's ears alone: nobody can read it again. */
  code: string;
  /** Until when it counts, by the service's clock in ms since 1970; a day after it was made. */
  expiresAt: number;
}

export const signInCodeAnswer = z.object({ code: z.string(), expiresAt: z.int() });

/** A code by which a player signs in on another device, for `auth.switchTo`. */
export interface SignInCode {
  /** The code, for this player's ears alone: nobody can read it again. */
  code: string;
  /** Until when it counts, by the service's clock in ms since 1970; a day after it was made. */
  expiresAt: number;
}

export const gamesAnswer = z.object({ games: z.array(z.object({ id: uuid })) });

/** A game that the service keeps players for. */
export interface ServedGame {
  /** The game's id. */
  id: string;
}

export const auditEntry = z.object({
  id: uuid,
  at: z.int(),
  by: z.object({ id: z.nullable(uuid), name: z.string() }),
  action: z.string(),
  gameId: z.optional(uuid),
  env: z.optional(environment),
  userId: z.optional(uuid),
  what: jsonObject,
  before: z.optional(jsonObject),
  after: z.optional(jsonObject),
});

/** What an operator has done. */
export interface AuditEntry {
  /** The entry's id. */
  id: string;
  /** When it was done, by the service's clock in ms since 1970. */
  at: number;
  /** Who did it. */
  by: {
    /** The id of the operator's key; null for the one that the service's environment gives. */
    id: string | null;
    /** The name of the key. */
    name: string;
  };
  /** What was done: the name of the operation, such as `restorePlayerSnapshot`. A newer service may have more. */
  action: string;
  /** The game of the player; absent where the change was none of a player. */
  gameId?: string | undefined;
  /** The environment of the player. */
  env?: Environment | undefined;
  /** The user id of the player. */
  userId?: string | undefined;
  /** What was changed, such as a collection and a key. No value of a player's is in it, and no secret. */
  what: JsonObject;
  /** What it was before, without a value of a player's; absent where there was nothing. */
  before?: JsonObject | undefined;
  /** What it is since; absent where there is nothing any more. */
  after?: JsonObject | undefined;
}

export const auditAnswer = z.object({ entries: z.array(auditEntry), cursor: z.optional(z.string()) });

const foundMethod = z.extend(linkedMethod, { subject: z.optional(z.string()) });

/** A login method of a player, as an operator may see it. */
export interface FoundMethod extends LinkedMethod {
  /**
   * Who the player is there: for `custom` the game's own id, for `identity` and `social` a JSON list of the provider
   * and the player's id at it. Absent for the others.
   */
  subject?: string | undefined;
}

export const playerSummary = z.object({
  userId: uuid,
  createdAt: z.int(),
  lastSeenAt: z.int(),
  methods: z.array(foundMethod),
  deviceCount: z.int(),
  orphanedAt: z.optional(z.int()),
  deletedAt: z.optional(z.int()),
  removedAt: z.optional(z.int()),
  ban: z.optional(ban),
});

/** A player in a list. All times are by the service's clock in ms since 1970. */
export interface PlayerSummary {
  /** The player's user id. */
  userId: string;
  /** When the account was made. */
  createdAt: number;
  /** When somebody last came to it: of a day in UTC the first time. */
  lastSeenAt: number;
  /** The login methods that lead to it, without devices. */
  methods: FoundMethod[];
  /** How many devices lead to it. */
  deviceCount: number;
  /** Since when nothing leads to it any more; absent where something does. */
  orphanedAt?: number | undefined;
  /** Since when it is being deleted; absent where it is not. */
  deletedAt?: number | undefined;
  /** When it is removed for good; absent where it is not going to be. */
  removedAt?: number | undefined;
  /** What keeps the player out; absent where nothing does, or it has ended. */
  ban?: Ban | undefined;
}

export const playersAnswer = z.object({ players: z.array(playerSummary), cursor: z.optional(z.string()) });

const device = z.object({ id: z.string(), linkedAt: z.int(), lastUsedAt: z.int() });
const session = z.object({
  id: uuid,
  method: z.string(),
  device: z.string(),
  openedAt: z.int(),
  authenticatedAt: z.int(),
  expiresAt: z.int(),
});
const conflict = z.object({ method: z.string(), localUserId: uuid, cloudUserId: uuid, expiresAt: z.int() });

export const playerAnswer = z.extend(playerSummary, {
  logName: z.optional(z.string()),
  devices: z.array(device),
  sessions: z.array(session),
  usage: usageAnswer,
  conflicts: z.array(conflict),
  choice: z.optional(playerChoice),
});

/** All that can be said of a player without a value of theirs. All times are in ms since 1970. */
export interface AdminPlayer extends PlayerSummary {
  /** What the service's log calls the player, as `user` in its lines; absent where it calls nobody anything. */
  logName?: string | undefined;
  /** The devices that lead to the account, by names that let nobody in. */
  devices: {
    /** The device's name, as the player's own list has it. */
    id: string;
    /** When it was linked. */
    linkedAt: number;
    /** When it was last used: of a day in UTC the first time. */
    lastUsedAt: number;
  }[];
  /** The sessions that are open. */
  sessions: {
    /** The session's id. */
    id: string;
    /** The login method that it comes from. */
    method: string;
    /** The name of the device that it is on. */
    device: string;
    /** When it began. */
    openedAt: number;
    /** When the player last showed the login method. */
    authenticatedAt: number;
    /** When it ends if it is not used. */
    expiresAt: number;
  }[];
  /** How much the account holds, and how much it may hold. */
  usage: AccountUsage;
  /** The conflicts in which the player has not chosen yet. */
  conflicts: {
    /** The login method that was shown. */
    method: string;
    /** The account that the player is signed in to. */
    localUserId: string;
    /** The account that the login method leads to. */
    cloudUserId: string;
    /** Until when the choice is open. */
    expiresAt: number;
  }[];
  /** The latest choice that the account was chosen by; absent where there is none that can be taken back. */
  choice?: PlayerChoice | undefined;
}

const entryAt = { collection: z.string(), key: z.string(), version: z.int(), changedAt: z.int() };

export const entrySummary = z.object({ ...entryAt, bytes: z.int() });

/** An entry of a player, without its value. */
export interface EntrySummary {
  /** The collection's name. */
  collection: string;
  /** The entry's key. */
  key: string;
  /** The entry's version. */
  version: number;
  /** When it was written last, by the service's clock in ms since 1970. */
  changedAt: number;
  /** The size of its value, in bytes of JSON in UTF-8. */
  bytes: number;
}

export const entriesAnswer = z.object({ entries: z.array(entrySummary), cursor: z.optional(z.string()) });

export const entryAnswer = z.object({ ...entryAt, value: jsonObject });

/** An entry of a player, with its value. */
export interface AdminEntry extends Omit<EntrySummary, 'bytes'> {
  /** The entry's content. */
  value: JsonObject;
}
