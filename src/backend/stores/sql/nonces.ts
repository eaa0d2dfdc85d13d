import type { ClaimedNonceRequest, NonceRequest } from '../requests.js';
import { firstRow, integerOf, integerOrNull, type SqlRunner, type Steps } from './statement.js';

/** What a count of a game's nonces has told. */
interface NonceCount {
  /** How many more may be claimed before the next count. */
  claimsBeforeRecount: number;
  /** Until then the nonces stay too many, for none of them expires; 0 where they are not too many. */
  fullUntil: number;
}

/**
 * `Store.claimNonce`, with one statement for a claim: to count the nonces each time would cost too much. After a count,
 * a sixteenth of what is still free may be claimed before the next one, so that the limit is kept exactly where it is
 * near. Several processes together may hold a sixteenth more for each of them; none forgets a nonce before it expires.
 */
export function createClaimNonce(runner: SqlRunner) {
  const countOfGame = new Map<string, NonceCount>();

  async function isFull({ gameId, now, max }: NonceRequest): Promise<boolean> {
    const known = countOfGame.get(gameId);
    if (known !== undefined && known.claimsBeforeRecount > 0) {
      known.claimsBeforeRecount -= 1;
      return false;
    }
    if (known !== undefined && now < known.fullUntil) return true;
    const { held, nextEnd } = await runner.read(() => countNonces(gameId, now));
    const free = max - held;
    countOfGame.set(gameId, { claimsBeforeRecount: Math.floor(free / 16), fullUntil: free > 0 ? 0 : (nextEnd ?? 0) });
    return free <= 0;
  }

  return async function claimNonce(claim: NonceRequest): Promise<'claimed' | 'reused' | 'full'> {
    if (await isFull(claim)) return (await runner.read(() => isNonceClaimed(claim))) ? 'reused' : 'full';
    return (await runner.write(() => insertNonce(claim))) ? 'claimed' : 'reused';
  };
}

function* countNonces(gameId: string, now: number): Steps<{ held: number; nextEnd: number | null }> {
  const text =
    'SELECT count(*) AS held, min(expires_at) AS next_end FROM @nonces WHERE game_id = $1 AND expires_at > $2';
  const row = yield* firstRow(text, gameId, now);
  return row === null
    ? { held: 0, nextEnd: null }
    : { held: integerOf(row, 'held'), nextEnd: integerOrNull(row, 'next_end') };
}

/** `Store.isNonceClaimed`. */
export function* isNonceClaimed({ gameId, nonce, now }: ClaimedNonceRequest): Steps<boolean> {
  const text = 'SELECT nonce FROM @nonces WHERE nonce = $1 AND game_id = $2 AND expires_at > $3';
  return (yield* firstRow(text, nonce, gameId, now)) !== null;
}

function* insertNonce({ gameId, nonce, expiresAt, now }: NonceRequest): Steps<boolean> {
  const row = yield* firstRow(
    `INSERT INTO @nonces AS n (nonce, game_id, expires_at) VALUES ($1, $2, $3)
      ON CONFLICT (nonce, game_id) DO UPDATE SET expires_at = $3 WHERE n.expires_at <= $4 RETURNING nonce`,
    nonce,
    gameId,
    expiresAt,
    now,
  );
  return row !== null;
}
