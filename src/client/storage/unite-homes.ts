import type { Lock } from '../platform/locks.js';
import { removeUnchanged, type SessionChoice, type SessionUnion, takeOverIdentity } from './earlier-version.js';
import type { Change, RawHome } from './home.js';
import { entriesPrefixOf, type HomeKeys } from './home-keys.js';
import { updateWebStorage } from './web-storage-home.js';

/** An entry that localStorage has from the time when it was the home. */
export interface OtherEntry {
  /** Empty before there is an account. */
  readonly userId: string;
  readonly name: string;
  /** The name under which its writes may have been sent. */
  readonly writer: string | null;
  /** By guest to whom nothing leads any more: the account that gets what this device has of him. */
  readonly heirs: ReadonlyMap<string, string>;
  /** The account that plays on; null where that is still open. */
  readonly next: string | null;
  /** What localStorage has at this moment of an entry with this name. */
  read(userId: string): string | null;
  /** Changes what localStorage has of this entry, as its home does. Rejects where that is full. */
  change(change: Change): Promise<unknown>;
}

/**
 * Takes an entry of localStorage over, into what the home has. Gives what becomes of it there, where a tab may live on;
 * null where it has to stay as it is. It may be stopped at any moment, and begun again by any tab.
 */
export type UniteEntry = (home: RawHome, entry: OtherEntry) => Promise<Change | null>;

/**
 * Unites what localStorage has of a game with its home in IndexedDB. A tab may still live on it and write there again:
 * that is taken over by the next start. Gives false where this has to wait.
 *
 * @param isLate says whether the page has gone on without it: then nothing is removed
 */
export async function uniteHomes(
  home: RawHome,
  local: Storage,
  {
    keys,
    record,
    lock,
    chooseSession,
    uniteEntry,
  }: {
    keys: HomeKeys;
    record: string | null;
    lock: Lock;
    chooseSession: (texts: SessionChoice) => SessionUnion;
    uniteEntry: UniteEntry;
  },
  isLate: () => boolean,
): Promise<boolean> {
  const found = namesIn(local).filter((key) => key.startsWith(keys.entries('').slice(0, -1)));
  // As at nearly every start.
  if (found.length === 0 && [keys.session, keys.device].every((key) => local.getItem(key) === null)) return true;
  const identity = await takeOverIdentity(home, local, keys, record, chooseSession);
  if (identity === null) return false;
  const leave = new Map<string, Change>();
  const changeLocal = (key: string, change: Change) => updateWebStorage(local, lock, key, change);
  if (found.length > 0) {
    const notes = await home.readAll(keys.heir(''));
    const heirs = new Map([...notes].map(([key, userId]) => [key.slice(keys.heir('').length), userId]));
    const writer = local.getItem(keys.writer);
    const unite = async (key: string): Promise<void> => {
      const prefix = entriesPrefixOf(key) ?? key;
      const [, , , , userId = ''] = prefix.split(':');
      const name = key.slice(prefix.length);
      const read = (owner: string): string | null => local.getItem(keys.entries(owner) + name);
      const change = (next: Change) => changeLocal(key, next);
      const left = await uniteEntry(home, { userId, name, writer, heirs, next: identity.next, read, change });
      if (left !== null) leave.set(key, left);
    };
    // What was set before an account first: until then it is known which of it the account has got.
    const isEarly = (key: string): boolean => key.startsWith(keys.entries(null));
    for (const some of [found.filter(isEarly), found.filter((key) => !isEarly(key))])
      await Promise.all(some.map(unite));
  }
  if (isLate()) return false;
  // Only now, after all is on the disk; and what has been written meanwhile is left for the next start.
  for (const [key, text] of identity.texts) removeUnchanged(local, key, text);
  // Where localStorage is full, what is there stays as it is.
  await Promise.allSettled([...leave].map(([key, change]) => changeLocal(key, change)));
  return true;
}

function namesIn(storage: Storage): string[] {
  return Array.from({ length: storage.length }, (_, index) => storage.key(index) ?? '');
}
