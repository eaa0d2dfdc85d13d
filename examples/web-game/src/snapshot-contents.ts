import { readProgress } from './game/progress.js';
import { type Player, progressPlace } from './player.js';
import { progressText } from './texts.js';

/** What each snapshot of this account holds, in the player's words, by its id. */
export type Contents = ReadonlyMap<string, string>;

/**
 * The list of snapshots says how much each of them holds, not what; the export of the account has it all. Snapshots never
 * change, so it is asked for only where one of them was not seen yet.
 */
export function createSnapshotContents(player: Player): { of(ids: readonly string[]): Promise<Contents> } {
  const known = new Map<string, string>();
  return {
    async of(ids) {
      if (ids.every((id) => known.has(id))) return known;
      try {
        const { snapshots } = await player.account.export();
        for (const [id, text] of readContents(snapshots)) known.set(id, text);
      } catch {
        // The list can do without: what was set aside can be restored all the same.
      }
      return known;
    },
  };
}

/** Reads the export's list; a snapshot without this game's entry is left out. */
export function readContents(snapshots: unknown): Contents {
  const contents = new Map<string, string>();
  for (const { id, content } of listOf(snapshots)) {
    const entry = listOf(content).find(({ collection, key }) => {
      return collection === progressPlace.collection && key === progressPlace.key;
    });
    if (typeof id === 'string' && entry !== undefined) contents.set(id, progressText(readProgress(entry['value'])));
  }
  return contents;
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}
