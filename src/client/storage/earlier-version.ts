import type { Change, RawHome } from './home.js';
import { earlierCopyKey, entriesPrefixOf, type HomeKeys } from './home-keys.js';

/**
 * Reads the text in which an earlier version kept all entries of an account: for each entry, by `<collection>\n<key>`,
 * how it is united with what is stored of it now. Each change must be idempotent: it may be carried out again, also
 * after the entry has been sent. A text that cannot be read gives none.
 */
export type ReadEarlierCopy = (text: string) => Iterable<readonly [name: string, change: Change]>;

/** Two session records of this game on this device. */
export interface SessionChoice {
  /** The home's. */
  stored: string | null;
  /** That of localStorage. */
  other: string | null;
  /** Which home the game has by its record; null where there was none before. */
  record: string | null;
}

/** What becomes of them. */
export interface SessionUnion {
  /** The one that counts. */
  text: string | null;
  /** Whether the device id of localStorage counts with it. */
  withDevice: boolean;
  /**
   * A guest of localStorage to whom nothing leads any more, and the account that gets what this device has of him; null for
   * that where he has linked something since.
   */
  heir: { of: string; userId: string | null } | null;
  /** The account that plays on, or that the device leads to; null where nobody knows one. */
  next: string | null;
  /** Whether a choice is open in localStorage, by which everything can become another's. */
  hasChoice: boolean;
}

/**
 * Moves device id and session from localStorage to the home. Earlier versions kept them there, and so does a tab that
 * found no other home. It may write them there again, so that is done at each start. Gives the texts that may be
 * removed now, and the account that plays on; null where this has to wait.
 */
export async function takeOverIdentity(
  home: RawHome,
  local: Storage,
  keys: Pick<HomeKeys, 'session' | 'device' | 'heir'>,
  record: string | null,
  choose: (texts: SessionChoice) => SessionUnion,
): Promise<{ texts: Map<string, string>; next: string | null } | null> {
  const other = local.getItem(keys.session);
  const device = local.getItem(keys.device);
  const stored = (await home.readAll(keys.session)).get(keys.session) ?? null;
  const { text, withDevice, heir, next, hasChoice } = choose({ stored, other, record });
  if (hasChoice && record === 'localStorage') return null;
  // It is known for good that he has an heir, unless the tab in which he lives on links something.
  if (heir !== null) {
    await home.update(keys.heir(heir.of), (found) => heir.userId && (found ?? heir.userId), { strict: true });
  }
  if (withDevice && device !== null) await home.update(keys.device, () => device, { strict: true });
  if (text !== stored) {
    await home.update(keys.session, (found) => choose({ stored: found, other, record }).text, { strict: true });
  }
  if (device !== null) await home.update(keys.device, (found) => found ?? device, { strict: true });
  const texts = new Map<string, string>();
  if (other !== null) texts.set(keys.session, other);
  if (device !== null) texts.set(keys.device, device);
  return { texts, next };
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

/** Removes a text that was taken over, unless it has become another. */
export function removeUnchanged(local: Storage, key: string, text: string): void {
  if (local.getItem(key) === text) local.removeItem(key);
}
