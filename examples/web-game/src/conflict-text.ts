import type { Conflict, ConflictSide } from 'savepoint';
import { newProgress, type Progress, readProgress } from './game/progress.js';
import { ago, progressText, waysIn } from './texts.js';

const valuesOf = ({ fields }: Pick<ConflictSide, 'fields'>) =>
  Object.fromEntries(fields.map(({ field, value }) => [field, value]));

/** The numbers of one side; an account that never saved has none, and counts as not begun. */
function heldBy(side: Pick<ConflictSide, 'fields'>): Progress {
  return readProgress(valuesOf(side));
}

export function heldText(side: Pick<ConflictSide, 'fields'>): string {
  return progressText(heldBy(side));
}

/** Whether neither side has anything that a player could miss. */
export function areBothEmpty({ local, cloud }: Pick<Conflict, 'local' | 'cloud'>): boolean {
  return isEmpty(local) && isEmpty(cloud);
}

/** Nothing was ever saved; or only the game's own entry, with the numbers that everybody begins with. */
function isEmpty(side: Pick<ConflictSide, 'entries' | 'fields'>): boolean {
  if (side.entries === 0) return true;
  const values = valuesOf(side);
  // Where the only entry is another one, the numbers are missing here, and equal nothing.
  return side.entries === 1 && Object.entries(newProgress).every(([field, first]) => values[field] === first);
}

export interface Row {
  what: string;
  local: string;
  cloud: string;
  /** The side that got further, where that can be said. */
  more: 'local' | 'cloud' | null;
}

/** What both sides hold, line by line. */
export function compare({ local, cloud }: Pick<Conflict, 'local' | 'cloud'>, now: number): Row[] {
  const [mine, theirs] = [heldBy(local), heldBy(cloud)];
  const row = (what: string, here: number, there: number): Row => ({
    what,
    local: String(here),
    cloud: String(there),
    more: here === there ? null : here > there ? 'local' : 'cloud',
  });
  const text = (what: string, show: (side: ConflictSide) => string): Row => ({
    what,
    local: show(local),
    cloud: show(cloud),
    more: null,
  });
  return [
    row('Coins', mine.coins, theirs.coins),
    row('Level', mine.level, theirs.level),
    row('Best flight', mine.best, theirs.best),
    row('Magnet', mine.magnet, theirs.magnet),
    text('Last played', ({ changedAt }) => (changedAt === null ? 'never' : ago(changedAt, now))),
    text('Opened by', ({ methods }) => waysIn(methods)),
    text('Entries', ({ entries }) => (entries === 0 ? 'none' : String(entries))),
  ];
}

/** Whether anything is at stake, and what. */
export function stakes({ ahead, diff }: Pick<Conflict, 'ahead' | 'diff'>): string {
  if (diff.length > 0 && diff.every(({ same }) => same)) return 'Both saves hold the same.';
  if (ahead === 'cloud') return 'The other device is simply further: nothing would be lost by going on with its save.';
  if (ahead === 'local') return 'This device is simply further: nothing would be lost by keeping its save.';
  const names = diff.filter(({ same }) => !same).map(({ collection, key }) => `${collection}/${key}`);
  return `Both were played. What differs, ${names.length} of ${diff.length}: ${names.join(', ')}.`;
}
