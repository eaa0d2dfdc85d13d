import { ServiceError } from '../../../src/errors.js';
import type { AdminEntry } from '../../../src/protocol/admin-messages.js';
import type { AdminPlayers } from '../../../src/server/admin-players.js';

/** Reads an entry that may not be there: then it is null. Where the service does not say so, this fails. */
export async function readEntry(
  players: AdminPlayers,
  userId: string,
  options: { collection: string; key: string; signal: AbortSignal },
): Promise<AdminEntry | null> {
  return players.entry(userId, options).catch((error: unknown) => {
    if (error instanceof ServiceError && error.status === 404) return null;
    throw error;
  });
}
