import type { CollectionOptions, EntryConflict, JsonObject } from 'savepoint';
import { limits } from './limits.js';

/** What each write leaves behind wherever it goes: `m12:5` is the twelfth write, and adds five. */
export type Mark = string;
export type Value = JsonObject;

/**
 * A collection for each way in which a clash is decided, and for each kind of value that has made trouble.
 *
 * | name | written by | what decides a clash |
 * |---|---|---|
 * | `plain`, `many` | set | nothing: the cloud wins, the other is kept as a snapshot |
 * | `asked` | set or update | the game is asked: it takes its own |
 * | `log` | update | the update is made again |
 * | `tally` | set | rules |
 * | `strict` | set | nothing; the values have a schema, which an entry of the back end misses |
 * | `big` | set | the rule `sum`; values of nearly the greatest size |
 * | `pile` | set | the rule `union`; two of them together are too large |
 * | `purse` | set | the rule `sum`; devices write equal values |
 * | `count` | update | the update is made again; devices write equal values |
 * | `aged` | set | the rule `sum`; values of an earlier form, which `migrate` reads |
 */
export const markedNames = ['plain', 'many', 'asked', 'log', 'tally', 'strict', 'big', 'pile'] as const;
export const counterNames = ['purse', 'count', 'aged'] as const;
export const names = [...markedNames, ...counterNames] as const;
export type MarkedName = (typeof markedNames)[number];
export type CounterName = (typeof counterNames)[number];
export type Name = (typeof names)[number];

/** What a later write of the same device takes the place of, for good. */
export const isReplaced = (name: string): boolean => ['plain', 'many', 'asked', 'strict', 'big'].includes(name);
/** What is only ever added to. */
export const isGrowing = (name: string): boolean => name === 'log' || name === 'tally';
export const isCounter = (name: string): name is CounterName => (counterNames as readonly string[]).includes(name);
/** What may be refused by its size, and then has to be discarded by hand. */
export const isBounded = (name: string): boolean => name === 'many' || name === 'pile';

/** All writes of a collection meet in one entry, except where the number of entries counts. */
export const keysOf = (name: Name): string[] =>
  name === 'many' ? ['main', 'one', 'two', 'three', 'four'] : name === 'plain' ? ['main', 'side'] : ['main'];

export function optionsOf(
  name: Name,
  ask: (conflict: EntryConflict) => Promise<void>,
): CollectionOptions<JsonObject, JsonObject> {
  switch (name) {
    case 'asked':
      return {
        onConflict: async (conflict) => {
          await ask(conflict);
          return conflict.local;
        },
      };
    case 'tally':
      return { merge: { coins: 'sum', best: 'max', marks: 'union', last: 'latest' } };
    case 'strict':
      return { schema: markSchema };
    case 'pile':
      return { merge: { items: 'union' } };
    case 'big':
    case 'purse':
      return { merge: { coins: 'sum' } };
    case 'aged':
      return {
        merge: { coins: 'sum' },
        migrate: ({ gold, ...value }) => (gold === undefined ? value : { coins: gold }),
      };
    default:
      return {};
  }
}

/** A Standard Schema by hand. */
const markSchema = {
  '~standard': {
    version: 1 as const,
    vendor: 'model',
    validate: (value: unknown) =>
      typeof (value as Value | null)?.['mark'] === 'string'
        ? { value: value as Value }
        : { issues: [{ message: 'it has no mark', path: ['mark'] }] },
  },
};

/** Where a back end writes what misses that schema. */
export const oddKey = 'odd';

/** The value that a write makes of the one before it. */
export function withMark(name: MarkedName, before: Value | undefined, mark: Mark): Value {
  if (name === 'big') return fill({ mark, coins: amountOf(mark), pad: '' });
  if (name === 'pile') return { items: [...items(before), mark.padEnd(800, '.')] };
  if (name === 'plain' || name === 'many' || name === 'strict') return { mark, twin: mark };
  const marks = [...marksOf(before), mark];
  if (name === 'tally') return { ...totals(marks), marks, last: mark };
  return { marks, count: marks.length };
}

/** As large as it may be, but for a few bytes. */
function fill(value: { pad: string } & Value): Value {
  return { ...value, pad: 'x'.repeat(limits.valueBytes - JSON.stringify(value).length - 8) };
}

export function withOneMore(name: CounterName, before: Value | undefined): Value {
  const count = countOf(before) + 1;
  return name === 'count' ? { n: count } : { coins: count };
}

export function countOf(value: Value | undefined): number {
  return Number(value?.['coins'] ?? value?.['gold'] ?? value?.['n'] ?? 0);
}

export function marksOf(value: Value | undefined): Mark[] {
  if (value === undefined) return [];
  if ('mark' in value) return [value['mark'] as Mark];
  return ((value['marks'] as Mark[] | undefined) ?? items(value)).map((mark) => mark.replace(/\.+$/, ''));
}

const items = (value: Value | undefined): Mark[] => (value?.['items'] as Mark[] | undefined) ?? [];

/**
 * What of a value does not go together with the rest of it; null where all does. `hasCrossed` where one of its writes was made on top
 * of another account's value, which `max` takes along.
 */
export function torn(
  name: string,
  value: Value,
  { isUndone, hasCrossed }: { isUndone: boolean; hasCrossed: boolean },
): string | null {
  const marks = marksOf(value);
  if (new Set(marks).size !== marks.length) return 'written twice';
  if (name === 'plain' || name === 'many') return value['mark'] === value['twin'] ? null : 'torn';
  if (name === 'log' || name === 'asked') return value['count'] === marks.length ? null : 'torn';
  if (name !== 'tally') return null;
  const { coins, best } = totals(marks);
  if (value['coins'] !== coins) return `torn: ${coins} coins`;
  // The highest that was ever reached stays, whatever is taken back.
  if (isUndone || value['best'] === best || (hasCrossed && Number(value['best']) > best)) return null;
  return `torn: best ${best}`;
}

function totals(marks: readonly Mark[]): { coins: number; best: number } {
  const amounts = marks.map(amountOf);
  return { coins: amounts.reduce((sum, amount) => sum + amount, 0), best: Math.max(0, ...amounts) };
}

const amountOf = (mark: Mark): number => Number(mark.split(':')[1]);

/** What a back end writes that has read a value: what it knows of it, and no member of anybody else's. */
export function asBackEnd(name: 'purse' | 'count' | 'aged' | 'tally', value: Value | undefined, mark: Mark): Value {
  if (name === 'tally') return withMark('tally', value, mark);
  // The back end is older than the game.
  return name === 'aged' ? { gold: countOf(value) + 1 } : withOneMore(name, value);
}
