import { describe, expect, it } from 'vitest';
import { mergeAccounts } from '../../../src/client/auth/merge-accounts.js';
import type { JsonObject } from '../../../src/protocol/messages.js';
import type { PlacedEntry } from '../../../src/protocol/player-messages.js';

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
    const first = mergeAccounts({ local, cloud: [entry('bag', { coins: 10 })] }, rules, 'me');
    expect(valuesOf(first)).toMatchObject([{ coins: 15 }]);
    // The notes of the first merge are in what was stored.
    const again = mergeAccounts({ local, cloud: [entry('bag', valuesOf(first)[0] as JsonObject, 1)] }, rules, 'me');
    expect(again.entries).toEqual([]);
    const other = mergeAccounts({ local, cloud: [entry('bag', valuesOf(first)[0] as JsonObject, 1)] }, rules, 'you');
    expect(valuesOf(other)).toMatchObject([{ coins: 20 }]);
  });

  it('moves what only the local side has as it is, notes and all, without asking a rule', () => {
    const value = { coins: 5, $savepoint: { sums: { coins: { tablet: [5, 1] } } } };
    const merged = mergeAccounts(
      { local: [entry('bag', value)], cloud: [] },
      () => () => {
        throw new Error('asked');
      },
      'me',
    );
    expect(valuesOf(merged)).toEqual([value]);
  });

  it('keeps entries of one key in two collections apart', () => {
    const one = { ...entry('a', { n: 1 }), collection: 'x' };
    const two = { ...entry('a', { n: 2 }), collection: 'y' };
    const merged = mergeAccounts({ local: [one], cloud: [two] }, () => ({}), 'me');
    expect(merged.entries).toEqual([{ collection: 'x', key: 'a', value: { n: 1 } }]);
    expect(merged.rests_on.cloud).toEqual([{ collection: 'y', key: 'a', version: 0 }]);
  });
});
