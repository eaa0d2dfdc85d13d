import { operatorDefaults } from '../../protocol/gaps/operators.js';
import type { Service } from '../service.js';

/** A session of the operators' console. */
export interface ConsoleSession {
  /** What tells it from every other one, and lets nobody in. */
  id: string;
  /** When it counts no longer by itself, in ms since 1970. */
  expiresAt: number;
}

/** Where the store has what has ended: among the nonces, for a session ends once and is forgotten at a time, too. No game is called so. */
const place = 'console';

/** Ends a session for all processes, at the latest `consoleSessionLookMs` later. */
export async function endConsoleSession({ store, now }: Service, { id, expiresAt }: ConsoleSession): Promise<void> {
  // The clock of another process may be behind.
  const until = expiresAt + operatorDefaults.endedConsoleSessionKeptMs;
  // Signing in is throttled, so that there never are too many.
  await store.claimNonce({ gameId: place, nonce: id, expiresAt: until, now: now(), max: Number.MAX_SAFE_INTEGER });
}

/** Whether somebody has ended a session. */
export function hasConsoleSessionEnded({ store, now }: Service, id: string): Promise<boolean> {
  return store.isNonceClaimed({ gameId: place, nonce: id, now: now() });
}
