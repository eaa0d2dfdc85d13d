import { signingDefaults } from '../../protocol/gaps/signing.js';
import { signedHeaders as names } from '../../protocol/headers.js';
import { isUuid } from '../../protocol/ids.js';
import { decodeSignature, equalBytes, hmac, isNonce, signedBytes, timestampProblem } from '../../protocol/signing.js';
import { isPlainObject } from '../../protocol/value-text.js';
import type { Game } from '../game.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';

/** A signed request. The signature covers the bytes; `json` is read only to find the game. */
export interface SignedRequest {
  headers: Headers;
  body: Uint8Array;
  /** Called after the timestamp has been checked; refuses with `invalid_json`. */
  json(): unknown;
}

/**
 * Refuses a request that is not fresh, or not signed by the game that it names. Spec gap: the order of the checks. A
 * missing header, an unknown game and a wrong signature give the same answer, and the nonce is claimed only by a right
 * signature.
 *
 * @see docs/interface.md#signed-requests
 */
export async function verifySignedRequest(service: Service, request: SignedRequest): Promise<Game> {
  const signatureText = requireOnce(request.headers, names.signature);
  const timestamp = requireOnce(request.headers, names.timestamp);
  const nonce = requireOnce(request.headers, names.nonce);
  requireTimely(timestamp, service.now());

  const game = findGame(service, request.json());
  const text = signedBytes(timestamp, nonce, request.body);
  const keys = await (game?.keys ?? service.decoyKeys).signing();
  const expected = await Promise.all(keys.map((key) => hmac(key, text)));
  const signature = decodeSignature(signatureText) ?? new Uint8Array();
  const holds = expected.map((bytes) => equalBytes(bytes, signature)).includes(true);
  if (!holds || game === undefined) throw new Refusal('invalid_signature');

  if (!isNonce(nonce)) {
    const detail = `${names.nonce} must be ${signingDefaults.nonceLength} characters of A-Z, a-z, 0-9, - and _.`;
    throw new Refusal('invalid_request', { detail });
  }
  const claim = await service.store.claimNonce({
    gameId: game.id,
    nonce,
    expiresAt: Number(timestamp) + signingDefaults.nonceKeptMs,
    now: service.now(),
    max: service.sizes.noncesPerGame,
  });
  service.happened({ kind: 'nonce', gameId: game.id, outcome: claim });
  if (claim === 'reused') throw new Refusal('nonce_reused');
  if (claim === 'full') {
    throw new Refusal('nonce_store_full', { retryAfterMs: signingDefaults.nonceKeptMs, limitName: 'noncesPerGame' });
  }
  return game;
}

/** A header that is sent twice arrives as one value with a comma, and no right value of these has one. */
function requireOnce(headers: Headers, name: string): string {
  const value = headers.get(name);
  if (value === null || value.includes(',')) throw new Refusal('invalid_signature');
  return value;
}

function requireTimely(timestamp: string, now: number): void {
  const detail = timestampProblem(timestamp);
  if (detail !== null) throw new Refusal('timestamp_out_of_window', { detail, serverTime: now });
  if (Math.abs(Number(timestamp) - now) > signingDefaults.clockWindowMs) {
    throw new Refusal('timestamp_out_of_window', { serverTime: now });
  }
}

function findGame(service: Service, body: unknown): Game | undefined {
  const id = isPlainObject(body) && Object.hasOwn(body, 'game_id') ? body['game_id'] : undefined;
  return isUuid(id) ? service.games.get(id.toLowerCase()) : undefined;
}
