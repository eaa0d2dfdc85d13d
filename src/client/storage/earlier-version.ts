import type { Change, RawHome } from './home.js';
import { earlierCopyKey, entriesPrefixOf, type HomeKeys } from './home-keys.js';

/**
 * Reads the text in which an earlier version kept all entries of an account: for each entry, by `<collection>\n<key>`,
 * how it is united with what is stored of it now. Each change must be idempotent: it may be carried out again, also
 * after the entry has been sent. A text that cannot be read gives none.
 */
export type ReadEarlierCopy = (text: string) => Iterable<readonly [name: string, change: Change]>;

/** Says which of two session records counts. */
export interface SessionChoice {
  stored: string | null;
  earlier: string;
  /** Whether nothing of this game has been taken over on this origin before. */
  isFirst: boolean;
}

/**
 * Moves device id and session from localStorage, where earlier versions kept them, to the home. A tab in which an
 * earlier version still runs may write them there again, so that is done at each start.
 *
 * @param choose gives the text that counts
 */
export async function takeOverIdentity(
  home: RawHome,
  local: Storage,
  keys: Pick<HomeKeys, 'session' | 'device'>,
  isFirst: boolean,
  choose: (texts: SessionChoice) => string | null,
): Promise<void> {
  const session = local.getItem(keys.session);
  const device = local.getItem(keys.device);
  if (session !== null) {
    const stored = (await home.readAll(keys.session)).get(keys.session) ?? null;
    const isChosen = choose({ stored, earlier: session, isFirst }) === session;
    // A worker of an earlier version had no localStorage, and so another device id: the id goes with its session.
    if (isFirst && isChosen && device !== null) await home.update(keys.device, () => device, { strict: true });
    await home.update(keys.session, (text) => choose({ stored: text, earlier: session, isFirst }), { strict: true });
  }
  if (device !== null) await home.update(keys.device, (text) => text ?? device, { strict: true });
  // Only now, after all is on the disk; and what has been written meanwhile is left for the next start.
  if (session !== null) removeUnchanged(local, keys.session, session);
  if (device !== null) removeUnchanged(local, keys.device, device);
}

/**
 * Makes a home that takes over what earlier versions kept of an account before it first reads the account's entries.
 *
 * @param local where earlier versions may have kept it too
 */
export function takeOverCopies(home: RawHome, local: Storage | undefined, readEarlierCopy: ReadEarlierCopy): RawHome {
  const taken = new Set<string>();

  /** Says whether there was anything. */
  async function takeOver(prefix: string): Promise<boolean> {
    const earlier = earlierCopyKey(prefix);
    const kept = (await home.readAll(earlier)).get(earlier) ?? null;
    const found = [kept, local?.getItem(earlier) ?? null].filter((text) => text !== null);
    const changes = found.flatMap((text) => [...readEarlierCopy(text)]);
    await Promise.all(changes.map(([name, change]) => home.update(prefix + name, change, { strict: true })));
    if (kept !== null) await home.update(earlier, (text) => (text === kept ? null : text));
    for (const text of found) if (local !== undefined) removeUnchanged(local, earlier, text);
    taken.add(prefix);
    return found.length > 0;
  }

  return {
    ...home,
    readAll: async (prefix) => {
      if (entriesPrefixOf(prefix) !== prefix || taken.has(prefix)) return home.readAll(prefix);
      // The short answer first: behind that of many entries, it would be waited for.
      const [hadEarlier, texts] = await Promise.all([takeOver(prefix), home.readAll(prefix)]);
      return hadEarlier ? home.readAll(prefix) : texts;
    },
  };
}

function removeUnchanged(local: Storage, key: string, text: string): void {
  if (local.getItem(key) === text) local.removeItem(key);
}
