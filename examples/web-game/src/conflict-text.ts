import type { Conflict, ConflictSide } from 'savepoint';
import { ago, coinCount, waysIn } from './texts.js';

/** The numbers of one side; an account that never saved has none, and counts as not begun. */
function heldBy(side: Pick<ConflictSide, 'fields'>): { coins: number; level: number; best: number } {
  const number = (name: string, otherwise: number): number => {
    const value = side.fields.find(({ field }) => field === name)?.value;
    return typeof value === 'number' ? value : otherwise;
  };
  return { coins: number('coins', 0), level: number('level', 1), best: number('best', 0) };
}

export function heldText(side: Pick<ConflictSide, 'fields'>): string {
  const { coins, level } = heldBy(side);
  return `${coinCount(coins)}, level ${level}`;
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
    text('Last played', ({ changedAt }) => (changedAt === null ? 'never' : ago(changedAt, now))),
    text('Opened by', ({ methods }) => waysIn(methods)),
    text('Entries', ({ entries }) => (entries === 0 ? 'none' : String(entries))),
  ];
}

/** Whether anything is at stake, and what. */
export function stakes({ ahead, diff }: Pick<Conflict, 'ahead' | 'diff'>): string {
  if (ahead === 'cloud') return 'The other device is simply further: nothing would be lost by going on with its save.';
  if (ahead === 'local') return 'This device is simply further: nothing would be lost by keeping its save.';
  const names = diff.filter(({ same }) => !same).map(({ collection, key }) => `${collection}/${key}`);
  return `Both were played. What differs, ${names.length} of ${diff.length}: ${names.join(', ')}.`;
}
