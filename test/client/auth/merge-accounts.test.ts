import { describe, expect, it } from 'vitest';
import { mergeAccounts } from '../../../src/client/auth/merge-accounts.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';
import type { JsonObject } from '../../../src/protocol/messages.js';
import type { PlacedEntry } from '../../../src/protocol/player-messages.js';

type Merge = typeof mergeAccounts;

/** The game has one form of its values, and its operator the limits that there are by default. */
const merge = (
  accounts: Parameters<Merge>[0],
  rules: Parameters<Merge>[1],
  today: Parameters<Merge>[2] = (_, value) => value,
): ReturnType<Merge> => mergeAccounts(accounts, rules, today, saveLimits.valueBytes);

const entry = (key: string, value: JsonObject, version = 0): PlacedEntry => ({
  collection: 'progress',
  key,
  value,
  version,
});

const valuesOf = (merged: ReturnType<typeof mergeAccounts>) => merged.entries.map(({ value }) => value);

describe('the merge of two profiles', () => {
  it('counts what both hold of a sum once, however often the same two are merged', () => {
    const rules = () => ({ coins: 'sum' }) as const;
    const local = [entry('bag', { coins: 5 })];
    const first = merge({ local, cloud: [entry('bag', { coins: 10 })], merged: [] }, rules);
    expect(valuesOf(first)).toEqual([{ coins: 15 }]);
    const cloud = [entry('bag', valuesOf(first)[0] as JsonObject, 1)];
    // The service knows what was merged.
    expect(merge({ local, cloud, merged: local }, rules).entries).toEqual([]);
    const played = [entry('bag', { coins: 7 }, 1)];
    expect(valuesOf(merge({ local: played, cloud, merged: local }, rules))).toEqual([{ coins: 17 }]);
    // Another account has a past of its own.
    expect(valuesOf(merge({ local, cloud, merged: [] }, rules))).toEqual([{ coins: 20 }]);
  });

  it('moves what only the local side has without asking a rule, and without the notes of an earlier version', () => {
    const value = { coins: 5, $savepoint: { sums: { coins: { tablet: [5, 1] } } } };
    const merged = merge({ local: [entry('bag', value)], cloud: [], merged: [] }, () => () => {
      throw new Error('asked');
    });
    expect(valuesOf(merged)).toEqual([{ coins: 5 }]);
  });

  it('merges both sides, and what they were merged from, in the form that the game has today', () => {
    const rules = () => ({ coins: 'sum' }) as const;
    const today = (_: string, { gold, ...value }: JsonObject): JsonObject =>
      gold === undefined ? value : { coins: gold };
    const accounts = { local: [entry('bag', { coins: 1 })], cloud: [entry('bag', { gold: 3 })], merged: [] };
    expect(valuesOf(merge(accounts, rules, today))).toEqual([{ coins: 4 }]);
    const again = { ...accounts, local: [entry('bag', { gold: 2 })], merged: [entry('bag', { gold: 1 })] };
    expect(valuesOf(merge(again, rules, today))).toEqual([{ coins: 4 }]);
  });

  it('keeps entries of one key in two collections apart', () => {
    const one = { ...entry('a', { n: 1 }), collection: 'x' };
    const two = { ...entry('a', { n: 2 }), collection: 'y' };
    const merged = merge({ local: [one], cloud: [two], merged: [] }, () => ({}));
    expect(merged.entries).toMatchObject([{ collection: 'x', key: 'a', value: { n: 1 } }]);
    expect(merged.rests_on.cloud).toEqual([{ collection: 'y', key: 'a', version: 0 }]);
  });
});
