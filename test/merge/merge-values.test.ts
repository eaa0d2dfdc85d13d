import { describe, expect, it } from 'vitest';
import { cleanValue } from '../../src/merge/earlier-notes.js';
import { mergeValues, timesOfChange } from '../../src/merge/merge-values.js';
import { highestProgress, longestPlaytime } from '../../src/merge/policies.js';
import type { FieldTimes } from '../../src/merge/rules.js';
import type { JsonObject } from '../../src/protocol/messages.js';

describe('a field without a rule', () => {
  const merge = (base: JsonObject | null, local: JsonObject, cloud: JsonObject) =>
    mergeValues({ base, local, cloud, rules: {} });

  it('takes the side that changed it', () => {
    expect(merge({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 })).toEqual({
      value: { a: 2, b: 2 },
      times: {},
      unresolved: [],
    });
  });

  it('takes what both set alike', () => {
    expect(merge({ a: 1 }, { a: 2 }, { a: 2 })).toEqual({ value: { a: 2 }, times: {}, unresolved: [] });
  });

  it('takes the cloud where both changed it, and says so', () => {
    expect(merge({ a: 1 }, { a: 2 }, { a: 3 })).toEqual({ value: { a: 3 }, times: {}, unresolved: ['a'] });
  });

  it('takes the cloud where two accounts have no common past, and says so', () => {
    expect(merge(null, { a: 2 }, { a: 3 })).toEqual({ value: { a: 3 }, times: {}, unresolved: ['a'] });
  });

  it('stays removed where one side removed it and the other left it alone', () => {
    expect(merge({ a: 1, b: 1 }, { b: 1 }, { a: 1, b: 1 }).value).toEqual({ b: 1 });
    expect(merge({ a: 1, b: 1 }, { a: 1, b: 1 }, { b: 1 }).value).toEqual({ b: 1 });
  });

  it('says so where one side removed it and the other changed it', () => {
    expect(merge({ a: 1 }, {}, { a: 2 })).toEqual({ value: { a: 2 }, times: {}, unresolved: ['a'] });
    expect(merge({ a: 1 }, { a: 2 }, {})).toEqual({ value: {}, times: {}, unresolved: ['a'] });
  });

  it('keeps what only one of two accounts has', () => {
    expect(merge(null, { a: 1 }, { b: 2 })).toEqual({ value: { b: 2, a: 1 }, times: {}, unresolved: [] });
  });

  it('does not touch the prototype for a field named __proto__', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true}}') as JsonObject;
    const { value } = merge({}, hostile, {});
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(JSON.stringify(value)).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('rules', () => {
  it('keep the greater and the smaller number', () => {
    const { value } = mergeValues({
      base: { best: 5, time: 50 },
      local: { best: 9, time: 40 },
      cloud: { best: 7, time: 30 },
      rules: { best: 'max', time: 'min' },
    });
    expect(value).toEqual({ best: 9, time: 30 });
  });

  it('take the number of the only side that has one', () => {
    const rules = { best: 'max', time: 'min' } as const;
    expect(mergeValues({ base: null, local: { best: -3 }, cloud: { time: 30 }, rules }).value).toEqual({
      best: -3,
      time: 30,
    });
  });

  it('unite lists, and leave out what one side took out', () => {
    const { value } = mergeValues({
      base: { items: ['sword', 'potion'] },
      local: { items: ['sword', 'shield'] },
      cloud: { items: ['sword', 'potion', 'bow'] },
      rules: { items: 'union' },
    });
    expect(value).toEqual({ items: ['sword', 'bow', 'shield'] });
  });

  it('unite the lists of two accounts whole, each member once', () => {
    const { value } = mergeValues({
      base: null,
      local: { items: [{ id: 1, n: 1 }, 'hat'] },
      cloud: { items: ['hat', { n: 1, id: 1 }] },
      rules: { items: 'union' },
    });
    expect(value).toEqual({ items: ['hat', { n: 1, id: 1 }] });
  });

  it('take the field that was set last, whoever sends first', () => {
    const rules = { skin: 'latest' } as const;
    const base = { skin: 'red' };
    const [blue, green] = [{ skin: 'blue' }, { skin: 'green' }];
    const merge = (local: JsonObject, cloud: JsonObject, times: { local: FieldTimes; cloud: FieldTimes }) =>
      mergeValues({ base, local, cloud, rules, times });
    expect(merge(blue, green, { local: { skin: 30 }, cloud: { skin: 20 } })).toEqual({
      value: blue,
      times: { skin: 30 },
      unresolved: [],
    });
    expect(merge(green, blue, { local: { skin: 20 }, cloud: { skin: 30 } })).toEqual({
      value: blue,
      times: { skin: 30 },
      unresolved: [],
    });
  });

  it('take the side that alone has set the field, whatever is known of times', () => {
    const rules = { skin: 'latest' } as const;
    const base = { skin: 'red' };
    const times = { local: { skin: 30 }, cloud: {} };
    // A back end says no times.
    expect(mergeValues({ base, local: base, cloud: { skin: 'gold' }, rules, times }).value).toEqual({ skin: 'gold' });
    expect(
      mergeValues({
        base,
        local: { skin: 'blue' },
        cloud: base,
        rules,
        times: { local: { skin: 5 }, cloud: { skin: 9 } },
      }),
    ).toEqual({ value: { skin: 'blue' }, times: { skin: 5 }, unresolved: [] });
  });

  it('take the later one of two accounts, and the cloud where no time is known', () => {
    const rules = { skin: 'latest' } as const;
    const sides = { base: null, local: { skin: 'blue' }, cloud: { skin: 'green' }, rules };
    const times = { local: { skin: 2 }, cloud: { skin: 1 } };
    expect(mergeValues({ ...sides, times }).value).toEqual({ skin: 'blue' });
    expect(mergeValues(sides).value).toEqual({ skin: 'green' });
  });

  it('hold for a field that is named as what every object has', () => {
    const rules = { constructor: 'latest', toString: 'sum' } as const;
    const base = { constructor: 'red', toString: 1 };
    const set = (after: JsonObject, now: number): FieldTimes =>
      timesOfChange({ before: base, times: { constructor: 1 }, after, rules, now });
    const local = { constructor: 'blue', toString: 3 };
    const cloud = { constructor: 'green', toString: 2 };
    const merged = mergeValues({ base, local, cloud, rules, times: { local: set(local, 3), cloud: set(cloud, 2) } });
    expect(merged).toEqual({ value: { constructor: 'blue', toString: 4 }, times: { constructor: 3 }, unresolved: [] });
    expect(timesOfChange({ before: null, times: {}, after: local, rules, now: 7 })).toEqual({ constructor: 7 });
  });

  it('keep one side where the game says so', () => {
    const { value } = mergeValues({
      base: { a: 1, b: 1 },
      local: { a: 2, b: 2 },
      cloud: { a: 3, b: 3 },
      rules: { a: 'keepLocal', b: 'keepCloud' },
    });
    expect(value).toEqual({ a: 2, b: 3 });
  });

  it('give a function all three sides', () => {
    const { value } = mergeValues({
      base: { a: 1 },
      local: { a: 2 },
      cloud: { a: 4 },
      rules: { a: ({ base, local, cloud }) => [base, local, cloud] },
    });
    expect(value).toEqual({ a: [1, 2, 4] });
  });

  it('give a function no base where two accounts are merged, and leave out what it leaves out', () => {
    const seen: unknown[] = [];
    const { value } = mergeValues({
      base: null,
      local: { a: 2, b: 1 },
      cloud: { a: 4 },
      rules: { a: (sides) => void seen.push(sides) },
    });
    expect(seen).toEqual([{ base: undefined, local: 2, cloud: 4 }]);
    expect(value).toEqual({ b: 1 });
  });

  it('reach into nested objects', () => {
    const { value, times, unresolved } = mergeValues({
      base: { stats: { kills: 1, deaths: 4, name: 'x', skin: 'red' } },
      local: { stats: { kills: 5, deaths: 5, name: 'y', skin: 'blue' } },
      cloud: { stats: { kills: 3, deaths: 6, name: 'z', skin: 'green' } },
      rules: { stats: { kills: 'max', deaths: 'sum', skin: 'latest' } },
      times: { local: { 'stats/skin': 9 }, cloud: { 'stats/skin': 8 } },
    });
    expect(value).toEqual({ stats: { kills: 5, deaths: 7, name: 'z', skin: 'blue' } });
    expect(times).toEqual({ 'stats/skin': 9 });
    expect(unresolved).toEqual(['stats/name']);
  });

  it('fall back to who changed it where a value is not of the kind that the rule is for', () => {
    const rules = { coins: 'sum', level: 'max', items: 'union', stats: { kills: 'sum' } } as const;
    const base = { coins: 'many', level: 'one', items: 'all', stats: [1] };
    const { value, unresolved } = mergeValues({
      base,
      local: { ...base, coins: 3, stats: [2] },
      cloud: { ...base, level: 2 },
      rules,
    });
    expect(value).toEqual({ coins: 3, level: 2, items: 'all', stats: [2] });
    expect(unresolved).toEqual([]);
  });

  it('say so where both changed a value that is not of the kind that the rule is for', () => {
    const rules = { coins: 'sum', items: 'union' } as const;
    const sides = {
      base: { coins: 1, items: [1] },
      local: { coins: 2, items: 'none' },
      cloud: { coins: '3', items: [] },
    };
    expect(mergeValues({ ...sides, rules })).toEqual({
      value: sides.cloud,
      times: {},
      unresolved: ['coins', 'items'],
    });
  });
});

describe('a sum', () => {
  const rules = { coins: 'sum' } as const;
  const merge = (base: unknown, local: unknown, cloud: unknown): unknown =>
    mergeValues({
      base: base === null ? null : { coins: base },
      local: { coins: local },
      cloud: { coins: cloud },
      rules,
    }).value['coins'];

  it('counts what both devices added', () => {
    expect(merge(100, 105, 107)).toBe(112);
  });

  it('counts what both added where both added the same', () => {
    expect(merge(10, 11, 11)).toBe(12);
  });

  it('counts from the value that the service is known to have carried out', () => {
    // 100 + 5 was carried out though its answer got lost; the other device added 7 to it, and this one 1.
    expect(merge(105, 106, 112)).toBe(113);
  });

  it('takes spending as it takes earning', () => {
    expect(merge(100, 70, 50)).toBe(20);
  });

  it('keeps what a back end wrote that knows nothing of rules', () => {
    expect(merge(100, 105, 1_100)).toBe(1_105);
    expect(merge(110, 111, 110)).toBe(111);
  });

  it('does not take an undo for an addition', () => {
    // The cloud was set back from 10 to 0; this device has added 1 since.
    expect(merge(10, 11, 0)).toBe(1);
  });

  it('does not round fractions where only one side has changed', () => {
    // 0.2 + (0.9 - 0.2) is less than 0.9.
    expect(merge(0.2, 0.9, 0.2)).toBe(0.9);
    expect(merge(0.2, 0.2, 0.9)).toBe(0.9);
  });

  it('counts from nothing where both sides added the field', () => {
    expect(mergeValues({ base: {}, local: { coins: 3 }, cloud: { coins: 4 }, rules }).value).toEqual({ coins: 7 });
    expect(mergeValues({ base: {}, local: { coins: 3 }, cloud: {}, rules }).value).toEqual({ coins: 3 });
    expect(mergeValues({ base: {}, local: {}, cloud: { coins: 4 }, rules }).value).toEqual({ coins: 4 });
  });

  it('adds two accounts, and the same two only once where it is known what was merged before', () => {
    const once = merge(null, 120, 940);
    expect(once).toBe(1_060);
    expect(merge(120, 120, once)).toBe(1_060);
    expect(merge(120, 125, once)).toBe(1_065);
  });
});

describe('timesOfChange', () => {
  const rules = { skin: 'latest', coins: 'sum', settings: { volume: 'latest', name: 'max' } } as const;
  const change = (before: JsonObject | null, after: JsonObject, times: FieldTimes = {}, now = 50) =>
    timesOfChange({ before, times, after, rules, now });

  it('says now for the fields under the rule latest that have changed, and nothing else', () => {
    expect(change({ skin: 'red', coins: 1, other: 1 }, { skin: 'blue', coins: 2, other: 2 })).toEqual({ skin: 50 });
    expect(change({ skin: 'red', coins: 1 }, { skin: 'red', coins: 2 })).toEqual({});
  });

  it('keeps the times of the fields that have not changed', () => {
    const before = { skin: 'red', settings: { volume: 3 } };
    const after = { skin: 'red', settings: { volume: 4 } };
    expect(change(before, after, { skin: 7, 'settings/volume': 8 })).toEqual({ skin: 7, 'settings/volume': 50 });
  });

  it('says now for every such field of a new entry', () => {
    expect(change(null, { skin: 'red', settings: { volume: 3, name: 1 } })).toEqual({
      skin: 50,
      'settings/volume': 50,
    });
    expect(change(null, { coins: 1 })).toEqual({});
  });

  it('says when a field was removed', () => {
    expect(change({ skin: 'red' }, {}, { skin: 7 })).toEqual({ skin: 50 });
  });

  it('never goes back, though the clock does', () => {
    expect(change({ skin: 'red' }, { skin: 'blue' }, { skin: 90 }, 50)).toEqual({ skin: 91 });
  });

  it('does not change the times that it was given', () => {
    const times = Object.freeze({ skin: 7 });
    expect(change({ skin: 'red' }, { skin: 'blue' }, times)).toEqual({ skin: 50 });
    expect(times).toEqual({ skin: 7 });
  });

  it('leaves the times alone where a policy or nothing is declared', () => {
    const input = { before: { skin: 'red' }, times: { skin: 7 }, after: { skin: 'blue' }, now: 50 };
    expect(timesOfChange({ ...input, rules: highestProgress('level') })).toEqual({ skin: 7 });
    expect(timesOfChange({ ...input, rules: undefined })).toEqual({ skin: 7 });
  });
});

describe('cleanValue', () => {
  it('gives a value that has nothing of ours as it is, with the times that travelled beside it', () => {
    const stored = { coins: 1, savepoint: 2 };
    expect(cleanValue(stored)).toEqual({ value: { coins: 1, savepoint: 2 }, times: {} });
    expect(cleanValue(stored, { skin: 3 })).toEqual({ value: stored, times: { skin: 3 } });
  });

  it('takes out what an earlier version has kept, and reads its times', () => {
    const notes = { sums: { coins: { phone: [5, 1] } }, at: { skin: 30, 'stats/hat': 4 } };
    const stored = { coins: 5, $savepoint: notes, inner: { $savepoint: 'of the game' } };
    expect(cleanValue(stored)).toEqual({
      value: { coins: 5, inner: { $savepoint: 'of the game' } },
      times: { skin: 30, 'stats/hat': 4 },
    });
    expect(stored.$savepoint).toBe(notes);
  });

  it('believes the times that travelled beside the value before those in it', () => {
    const stored = { skin: 'red', $savepoint: { at: { skin: 30, hat: 4 } } };
    expect(cleanValue(stored, { skin: 40 }).times).toEqual({ skin: 40, hat: 4 });
  });

  it('takes out what is not of its form, and reads nothing of it', () => {
    const at = { a: '1', b: null, c: { d: 1 }, e: [1] };
    for (const notes of [null, 'notes', 1, [], {}, { at: 'never' }, { at: null }, { at: [1] }, { at }]) {
      expect(cleanValue({ coins: 10, $savepoint: notes })).toEqual({ value: { coins: 10 }, times: {} });
    }
  });

  it('does not touch the prototype for a time of a field named __proto__', () => {
    const stored = JSON.parse('{"a":1,"$savepoint":{"at":{"__proto__":5}},"__proto__":{"admin":true}}') as JsonObject;
    const { value, times } = cleanValue(stored);
    expect(JSON.stringify(value)).toBe('{"a":1,"__proto__":{"admin":true}}');
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.getPrototypeOf(times)).toBe(Object.prototype);
  });
});

describe('policies', () => {
  it('highestProgress takes the whole entry of the side that got further', () => {
    const rules = highestProgress('level', 'xp');
    const local = { level: 3, xp: 50, hat: 'red' };
    expect(mergeValues({ base: null, local, cloud: { level: 3, xp: 40 }, rules })).toEqual({
      value: local,
      times: {},
      unresolved: [],
    });
    expect(mergeValues({ base: null, local, cloud: { level: 4, xp: 0 }, rules }).value).toEqual({ level: 4, xp: 0 });
  });

  it('longestPlaytime takes the side that was played longer', () => {
    const rules = longestPlaytime('ms');
    expect(mergeValues({ base: null, local: { ms: 9 }, cloud: { ms: 8 }, rules }).value).toEqual({ ms: 9 });
  });

  it('get all three sides, and must give a plain object', () => {
    const sides = { base: { n: 1 }, local: { n: 2 }, cloud: { n: 3 } };
    const seen: unknown[] = [];
    const keep = mergeValues({
      ...sides,
      rules: (given) => {
        seen.push(given);
        return given.local;
      },
    });
    expect([seen, keep.value]).toEqual([[sides], { n: 2 }]);
    expect(() => mergeValues({ ...sides, rules: () => [] as never })).toThrow('must return a plain object');
  });
});
