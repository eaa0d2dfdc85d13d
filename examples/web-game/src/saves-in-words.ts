import type { ConflictSide } from 'savepoint';
import type { SnapshotEntry } from 'savepoint/elements';
import { newProgress, readProgress } from './game/progress.js';
import { progressPlace } from './player.js';
import { progressText } from './texts.js';

/** What the dialog calls the fields that both sides of a conflict show. */
export const fieldLabels = { coins: 'Coins', level: 'Level', best: 'Best flight', magnet: 'Magnet' } as const;

/** Nothing was ever saved; or only the game's own entry, with the numbers that everybody begins with. */
export function isEmpty({ entries, fields }: Pick<ConflictSide, 'entries' | 'fields'>): boolean {
  if (entries === 0) return true;
  const values = Object.fromEntries(fields.map(({ field, value }) => [field, value]));
  // Where the only entry is another one, the numbers are missing here, and equal nothing.
  return entries === 1 && Object.entries(newProgress).every(([field, first]) => values[field] === first);
}

/** What a snapshot of the history holds; nothing is said of one without this game's entry. */
export function describeSnapshot(entries: readonly SnapshotEntry[]): string {
  const { collection, key } = progressPlace;
  const entry = entries.find((one) => one.collection === collection && one.key === key);
  return entry === undefined ? '' : progressText(readProgress(entry.value));
}
