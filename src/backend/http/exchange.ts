import type * as z from 'zod/mini';
import { envParameter } from '../../protocol/addresses.js';
import { type Environment, isEnvironment } from '../../protocol/environments.js';
import * as names from '../../protocol/headers.js';
import { parseKey, type WriteName } from '../../protocol/idempotency-key.js';
import type { OperationName } from '../../protocol/operations.js';
import { passwordTooShort } from '../accounts/new-passwords.js';
import { nameNotAllowed } from '../accounts/usernames.js';
import type { Game } from '../game.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { readShownSession, requireSession, type ShownSession } from '../sessions/sessions.js';
import type { Scope, SessionRecord } from '../stores/records.js';
import type { Answer } from './answers.js';
import type { Body, RawBody } from './body.js';

/** What a handler is given: the request, and what it asks with. */
export interface Exchange {
  service: Service;
  request: Request;
  url: URL;
  /** The path's parameters, each decoded once. */
  params: { [name: string]: string };
  /** The player's address, where it is known; for rate limits and the country. */
  address: string | undefined;
  /** Says which account the request is of, for the log. */
  isForAccount(accountId: string): void;
  /** Counts the request for an account, as soon as that is known. Refuses with `rate_limited`. */
  countAccount(accountId: string): void;
  /** The same for what stands for an account: the ticket of its conflict, the custom id of a signed request. */
  count(key: string): void;
  /**
   * Counts bytes that were read for the account that was counted: where they are many, its next requests are refused.
   */
  weigh(bytes: number): void;
  /** Reads the body's bytes. Refuses a body that is too large, or is not application/json. */
  rawBody(): Promise<RawBody>;
  /** Says which game the request is for, in lower case: only its pages may read the answer. */
  isForGame(gameId: string): void;
  /** Reads and parses the body. Refuses also what is not JSON. */
  body(): Promise<Body>;
}

export type Handler = (exchange: Exchange) => Promise<Answer>;

/** The handlers of some operations. */
export type Handlers = { readonly [operation in OperationName]?: Handler };

/** Checks a body against its schema. The refusal names the field, never what was in it. */
export function validate<Schema extends z.ZodMiniType>(schema: Schema, json: unknown): z.output<Schema> {
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path[0];
  throw (issue && refusalOf(issue)) ?? missing(field === undefined ? 'The body' : `"${String(field)}"`);
}

/** What has a code of its own, because a player can mend it; null where the caller has to. */
function refusalOf(issue: z.core.$ZodIssue): Refusal | null {
  const [field] = issue.path;
  if (field === 'env') return new Refusal('invalid_env');
  if (field === 'username' && issue.code === 'too_small') return nameNotAllowed('empty');
  if (field === 'username' && issue.code === 'too_big') return nameNotAllowed('too_long');
  if (field === 'new_password' && issue.code === 'too_small') return passwordTooShort();
  return null;
}

function missing(what: string): Refusal {
  return new Refusal('invalid_request', { detail: `${what} is missing or does not have the right form.` });
}

/** The game that a player's request names. The refusal may say that there is none: a game's id is no secret. */
export function requireGame(service: Service, gameId: string): Game {
  const game = service.games.get(gameId.toLowerCase());
  if (game === undefined) throw new Refusal('not_found', { detail: 'There is no such game.' });
  return game;
}

/** What follows `Bearer`, or null without an Authorization header. */
export function bearerToken(request: Request): string | null {
  const header = request.headers.get(names.authorization);
  if (header === null) return null;
  const token = /^Bearer (.+)$/i.exec(header)?.[1];
  if (token === undefined) throw new Refusal('unauthorized');
  return token;
}

/**
 * The name of the request's write; undefined where it has none. Spec gap: a malformed one is refused, because a write
 * that its sender takes for a named one must not be carried out as another.
 */
export function writeNameOf(request: Request): WriteName | undefined {
  const header = request.headers.get(names.idempotencyKey);
  if (header === null) return undefined;
  const name = parseKey(header);
  if (name !== null) return name;
  throw new Refusal('invalid_request', {
    detail: `${names.idempotencyKey} must be <device>:<write>, each 1 to 64 characters of A-Z, a-z, 0-9, _ and -.`,
  });
}

/** What the headers of an entry's update say of it. */
export function updateHeaders(request: Request): { condition: string | null; name: WriteName | undefined } {
  return { condition: request.headers.get(names.ifNoneMatch), name: writeNameOf(request) };
}

/** Spec gap: `env` is required, once, and 0, 1 or 2. */
export function requireEnvironment(url: URL): Environment {
  const given = url.searchParams.getAll(envParameter);
  const environment = given.length === 1 && /^\d$/.test(given[0] ?? '') ? Number(given[0]) : Number.NaN;
  if (!isEnvironment(environment)) throw new Refusal('invalid_env');
  return environment;
}

/** The game and environment that a body names. */
export function requireScope(exchange: Exchange, request: { game_id: string; env: Environment }): Scope {
  const { id: gameId } = requireGame(exchange.service, request.game_id);
  exchange.isForGame(gameId);
  return { gameId, environment: request.env };
}

/** The session of the access token. Without a scope, the game and environment are those that the token is for. */
export async function requirePlayer(exchange: Exchange, scope?: Scope): Promise<SessionRecord> {
  return requireSession(exchange.service, await requireShownSession(exchange, scope));
}

/**
 * The session that the access token names, which may have ended: only for what the store does for a session that lives,
 * and refuses for any other.
 */
export async function requireShownSession(exchange: Exchange, scope?: Scope): Promise<ShownSession> {
  const token = bearerToken(exchange.request);
  if (token === null) throw new Refusal('unauthorized');
  if (scope !== undefined) exchange.isForGame(scope.gameId);
  const writer = await readShownSession(exchange.service, token, { scope, count: exchange.countAccount });
  exchange.isForGame(writer.gameId);
  return writer;
}

/**
 * The body of a request that names the game and environment of whoever asks. It is parsed only now: nothing is for
 * somebody who has shown no token.
 */
export async function requireBody<Schema extends z.ZodMiniType<{ game_id: string; env: Environment }>>(
  exchange: Exchange,
  asking: Scope,
  schema: Schema,
): Promise<{ request: z.output<Schema>; text: string }> {
  const { json, text } = await exchange.body();
  const request = validate(schema, json);
  const { gameId, environment } = requireScope(exchange, request);
  if (gameId !== asking.gameId) throw new Refusal('wrong_game');
  if (environment !== asking.environment) throw new Refusal('wrong_env');
  return { request, text };
}

/** The language that the player's browser asks for first; undefined where that is none. */
export function languageOf({ headers }: Request): string | undefined {
  return /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}(?![^,;\s])/.exec(headers.get('Accept-Language') ?? '')?.[0];
}
