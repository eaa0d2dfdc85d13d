import { openAccountCopy } from '../../../src/client/profile/account-copy.js';
import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { createTakeIn } from '../../../src/client/profile/early-copy.js';
import { createJournal } from '../../../src/client/profile/journal.js';
import { createPageWrites } from '../../../src/client/profile/page-writes.js';
import { createSending } from '../../../src/client/profile/sync.js';
import type { Home } from '../../../src/client/storage/home.js';
import type { StoragePort } from '../../../src/client/storage/storage-port.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';

const maxBytes = saveLimits.valueBytes;

/** Opens what a page has of an account's saves: its copy, and what sends that, as the client puts them together. */
export async function openParts(parts: {
  userId: string | null;
  prefix: string;
  home: Home;
  /** What the journal is kept in. */
  storage: StoragePort;
  /** What the game has declared for its one collection. */
  options: CollectionOptions<unknown>;
  requests: object;
  /** What becomes of an answer. */
  heard?: (answer: unknown) => unknown;
}) {
  const { userId, prefix, home, options, requests, heard = (answer) => answer } = parts;
  const page = createPageWrites();
  const report = (error: unknown): never => {
    throw error;
  };
  const now = (): number => 1;
  const journal = createJournal(parts.storage, 'j');
  const nobody = { heir: () => null, seen: () => {}, stored: () => {} };
  const copy = openAccountCopy(userId, prefix, { home, page, journal, now, report, ...nobody });
  await copy.opened;
  const game = { page, now, serverTime: now, maxBytes: () => maxBytes, optionsOf: () => options };
  const takeIn = createTakeIn(game);
  const sending = createSending(
    {
      requests: requests as never,
      authorized: ((ask: (player: object, user: string) => Promise<unknown>) => ask({}, 'ada').then(heard)) as never,
      prefixOf: () => prefix,
      writer: () => 'phone',
      journal,
      platform: { now, report, lock: ((_: string, task: () => unknown) => task()) as never },
    },
    { ...game, takeIn },
  );
  return { page, copy, takeIn, ...sending };
}
