import type { CollectionOptions } from 'savepoint';

/** What each write leaves behind wherever it goes: `m12:5` is the twelfth write, and adds five. */
export type Mark = string;

export interface Value {
  [field: string]: unknown;
}

/**
 * A collection for each way in which a clash is decided:
 *
 * - `plain`: set, without rules: the cloud wins, the other is kept as a snapshot;
 * - `asked`: set, and the game is asked: it takes the local one;
 * - `log`: updated, without rules: an update is made again on what is there;
 * - `tally`: with rules: nothing is lost and nothing counted twice.
 */
export const collections = ['plain', 'asked', 'log', 'tally'] as const;
export type CollectionName = (typeof collections)[number];

/** All entries of the model have one key: they are to clash. */
export const key = 'main';

export function optionsOf(name: CollectionName, think: () => Promise<void>): CollectionOptions {
  switch (name) {
    case 'asked':
      return {
        onConflict: async ({ local }) => {
          await think();
          return local;
        },
      };
    case 'tally':
      return { merge: { coins: 'sum', best: 'max', marks: 'union', last: 'latest' } };
    default:
      return {};
  }
}

/** The value that a write makes of the one before it. */
export function withMark(name: CollectionName, before: Value | undefined, mark: Mark): Value {
  if (name === 'plain' || name === 'asked') return { mark, twin: mark };
  const marks = [...marksOf(before), mark];
  if (name === 'log') return { marks, count: marks.length };
  return { ...totals(marks), marks, last: mark };
}

export function marksOf(value: Value | undefined): Mark[] {
  if (value === undefined) return [];
  return 'mark' in value ? [value['mark'] as Mark] : ((value['marks'] as Mark[] | undefined) ?? []);
}

/** What of a value does not go together with the rest of it; null where all does. */
export function torn(name: CollectionName, value: Value): string | null {
  const marks = marksOf(value);
  if (new Set(marks).size !== marks.length) return 'written twice';
  if (name === 'plain' || name === 'asked') return value['mark'] === value['twin'] ? null : 'torn';
  if (name === 'log') return value['count'] === marks.length ? null : 'torn';
  const { coins, best } = totals(marks);
  return value['coins'] === coins && value['best'] === best ? null : `torn: ${coins} coins, best ${best}`;
}

function totals(marks: readonly Mark[]): { coins: number; best: number } {
  const amounts = marks.map((mark) => Number(mark.split(':')[1]));
  return { coins: amounts.reduce((sum, amount) => sum + amount, 0), best: Math.max(0, ...amounts) };
}
