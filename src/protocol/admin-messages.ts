/**
 * What operators ask and are answered, below `{base_url}/v2/admin`. Ours: the interface has no such requests. Bodies are
 * written in snake_case, answers as all others.
 */
import * as z from 'zod/mini';
import type { Environment } from './environments.js';
import { operatorDefaults } from './gaps/operators.js';
import { environment, type JsonObject, jsonObject, uuid } from './messages.js';

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
  /** What it was before, where that can be said without a player's data. */
  before?: JsonObject | undefined;
  /** What it is since. */
  after?: JsonObject | undefined;
}

export const auditAnswer = z.object({ entries: z.array(auditEntry), cursor: z.optional(z.string()) });
