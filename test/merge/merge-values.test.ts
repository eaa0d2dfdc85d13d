import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeValues, noteChange } from '../../src/merge/merge-values.js';
import { notesMember, openNotes } from '../../src/merge/notes.js';
import { highestProgress, longestPlaytime } from '../../src/merge/policies.js';
import type { MergeRules } from '../../src/merge/rules.js';
import type { JsonObject } from '../../src/protocol/messages.js';
import { sameJson } from '../../src/protocol/value-text.js';

const plain = (stored: JsonObject): JsonObject => openNotes(stored).value;

/** A device that sets values by the rules, as the SDK does. */
function device(name: string, rules: MergeRules) {
  let now = 1_000;
  return {
    set(before: JsonObject | null, after: JsonObject): JsonObject {
      now += 1;
      return noteChange({ before, after, rules, device: name, now });
    },
    add(before: JsonObject | null, coins: number): JsonObject {
      const value = before === null ? {} : plain(before);
      return this.set(before, { ...value, coins: ((value['coins'] as number | undefined) ?? 0) + coins });
    },
  };
}

describe('a field without a rule', () => {
  const merge = (base: JsonObject | null, local: JsonObject, cloud: JsonObject) =>
    mergeValues({ base, local, cloud, rules: {} });

  it('takes the side that changed it', () => {
    expect(merge({ a: 1, b: 1 }, { a: 2, b: 1 }, { a: 1, b: 2 })).toEqual({ stored: { a: 2, b: 2 }, unresolved: [] });
  });

  it('takes what both set alike', () => {
    expect(merge({ a: 1 }, { a: 2 }, { a: 2 })).toEqual({ stored: { a: 2 }, unresolved: [] });
  });

  it('takes the cloud where both changed it, and says so', () => {
    expect(merge({ a: 1 }, { a: 2 }, { a: 3 })).toEqual({ stored: { a: 3 }, unresolved: ['a'] });
  });

  it('stays removed where one side removed it and the other left it alone', () => {
    expect(merge({ a: 1, b: 1 }, { b: 1 }, { a: 1, b: 1 }).stored).toEqual({ b: 1 });
  });

  it('keeps what only one of two accounts has', () => {
    expect(merge(null, { a: 1 }, { b: 2 })).toEqual({ stored: { b: 2, a: 1 }, unresolved: [] });
  });

  it('does not touch the prototype for a field named __proto__', () => {
    const hostile = JSON.parse('{"__proto__":{"admin":true}}') as JsonObject;
    const { stored } = merge({}, hostile, {});
    expect(Object.getPrototypeOf(stored)).toBe(Object.prototype);
    expect(JSON.stringify(stored)).toBe('{"__proto__":{"admin":true}}');
  });
});

describe('rules', () => {
  it('keep the greater and the smaller number', () => {
    const { stored } = mergeValues({
      base: { best: 5, time: 50 },
      local: { best: 9, time: 40 },
      cloud: { best: 7, time: 30 },
      rules: { best: 'max', time: 'min' },
    });
    expect(stored).toEqual({ best: 9, time: 30 });
  });

  it('unite lists, and leave out what one side took out', () => {
    const { stored } = mergeValues({
      base: { items: ['sword', 'potion'] },
      local: { items: ['sword', 'shield'] },
      cloud: { items: ['sword', 'potion', 'bow'] },
      rules: { items: 'union' },
    });
    expect(stored).toEqual({ items: ['sword', 'bow', 'shield'] });
  });

  it('take the field that was set last, whoever sends first', () => {
    const rules = { skin: 'latest' } as const;
    const base = noteChange({ before: null, after: { skin: 'red' }, rules, device: 'a', now: 1 });
    const local = noteChange({ before: base, after: { skin: 'blue' }, rules, device: 'a', now: 30 });
    const cloud = noteChange({ before: base, after: { skin: 'green' }, rules, device: 'b', now: 20 });
    expect(plain(mergeValues({ base, local, cloud, rules }).stored)).toEqual({ skin: 'blue' });
    expect(plain(mergeValues({ base, local: cloud, cloud: local, rules }).stored)).toEqual({ skin: 'blue' });
  });

  it('hold for a field that is named as what every object has', () => {
    const rules = { constructor: 'latest', toString: 'sum' } as const;
    const base = noteChange({ before: null, after: { constructor: 'red', toString: 1 }, rules, device: 'a', now: 1 });
    const local = noteChange({ before: base, after: { constructor: 'blue', toString: 3 }, rules, device: 'a', now: 3 });
    const cloud = noteChange({
      before: base,
      after: { constructor: 'green', toString: 2 },
      rules,
      device: 'b',
      now: 2,
    });
    const { stored } = mergeValues({ base, local, cloud, rules });
    expect(plain(stored)).toEqual({ constructor: 'blue', toString: 4 });
    expect(openNotes(stored).notes.at).toEqual({ constructor: 3 });
  });

  it('keep one side where the game says so', () => {
    const { stored } = mergeValues({
      base: { a: 1, b: 1 },
      local: { a: 2, b: 2 },
      cloud: { a: 3, b: 3 },
      rules: { a: 'keepLocal', b: 'keepCloud' },
    });
    expect(stored).toEqual({ a: 2, b: 3 });
  });

  it('give a function all three sides', () => {
    const { stored } = mergeValues({
      base: { a: 1 },
      local: { a: 2 },
      cloud: { a: 4 },
      rules: { a: ({ base, local, cloud }) => [base, local, cloud] },
    });
    expect(stored).toEqual({ a: [1, 2, 4] });
  });

  it('reach into nested objects', () => {
    const { stored, unresolved } = mergeValues({
      base: { stats: { kills: 1, name: 'x' } },
      local: { stats: { kills: 5, name: 'y' } },
      cloud: { stats: { kills: 3, name: 'z' } },
      rules: { stats: { kills: 'max' } },
    });
    expect(stored).toEqual({ stats: { kills: 5, name: 'z' } });
    expect(unresolved).toEqual(['stats/name']);
  });

  it('fall back to who changed it where a value is not of the kind that the rule is for', () => {
    const rules = { coins: 'sum', level: 'max', items: 'union' } as const;
    const base = { coins: 'many', level: 'one', items: 'all' };
    const { stored } = mergeValues({ base, local: { ...base, coins: 3 }, cloud: { ...base, level: 2 }, rules });
    expect(stored).toEqual({ coins: 3, level: 2, items: 'all' });
  });
});

describe('a sum', () => {
  const rules = { coins: 'sum' } as const;
  const [a, b] = [device('a', rules), device('b', rules)];

  it('counts what both devices added', () => {
    const base = a.add(null, 100);
    const merged = mergeValues({ base, local: a.add(base, 5), cloud: b.add(base, 7), rules });
    expect(plain(merged.stored)).toEqual({ coins: 112 });
  });

  it('counts a write once whose answer was lost, though another device wrote after it', () => {
    const base = a.add(null, 100);
    const sent = a.add(base, 5);
    const cloud = b.add(sent, 7);
    const merged = mergeValues({ base, local: a.add(sent, 1), cloud, rules });
    expect(plain(merged.stored)).toEqual({ coins: 113 });
  });

  it('takes spending as it takes earning', () => {
    const base = a.add(null, 100);
    const merged = mergeValues({ base, local: a.add(base, -30), cloud: b.add(base, -50), rules });
    expect(plain(merged.stored)).toEqual({ coins: 20 });
  });

  it('keeps what a back end wrote without notes', () => {
    const base = a.add(null, 100);
    const bought = { ...base, coins: 1_100 };
    const merged = mergeValues({ base, local: a.add(base, 5), cloud: bought, rules });
    expect(plain(merged.stored)).toEqual({ coins: 1_105 });
  });

  it('adds two accounts, and the same two only once', () => {
    const cloud = b.add(null, 940);
    const once = mergeValues({ base: null, local: { coins: 120 }, cloud, rules, localName: 'account-a' });
    expect(plain(once.stored)).toEqual({ coins: 1_060 });
    const twice = mergeValues({ base: null, local: { coins: 120 }, cloud: once.stored, rules, localName: 'account-a' });
    expect(plain(twice.stored)).toEqual({ coins: 1_060 });
  });

  it('ignores notes that are not of its form', () => {
    const cloud = { coins: 10, [notesMember]: { sums: { coins: { x: ['1e9', -1], y: null } }, at: 'never' } };
    const merged = mergeValues({ base: { coins: 10 }, local: { coins: 10 }, cloud, rules });
    expect(plain(merged.stored)).toEqual({ coins: 10 });
  });
});

describe('policies', () => {
  it('highestProgress takes the whole entry of the side that got further', () => {
    const rules = highestProgress('level', 'xp');
    const local = { level: 3, xp: 50, hat: 'red' };
    expect(mergeValues({ base: null, local, cloud: { level: 3, xp: 40 }, rules }).stored).toEqual(local);
    expect(mergeValues({ base: null, local, cloud: { level: 4, xp: 0 }, rules }).stored).toEqual({ level: 4, xp: 0 });
  });

  it('longestPlaytime takes the side that was played longer', () => {
    const rules = longestPlaytime('ms');
    expect(mergeValues({ base: null, local: { ms: 9 }, cloud: { ms: 8 }, rules }).stored).toEqual({ ms: 9 });
  });
});

describe('properties', () => {
  const rules = { coins: 'sum', best: 'max', time: 'min', items: 'union', skin: 'latest' } as const;
  const names = ['a', 'b', 'c'];
  const change = fc.record({
    device: fc.constantFrom(...names),
    coins: fc.integer({ min: -50, max: 50 }),
    best: fc.integer({ min: 0, max: 100 }),
    time: fc.integer({ min: 0, max: 100 }),
    item: fc.constantFrom('sword', 'bow', 'axe', 'hat'),
    skin: fc.constantFrom('red', 'blue', 'green'),
  });
  type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
  const first: JsonObject = { coins: 0, best: 0, time: 100, items: [], skin: 'none' };

  function apply(stored: JsonObject, { device: name, ...by }: Change, now: number): JsonObject {
    const value = plain(stored) as typeof by & { items: string[] };
    const after = {
      coins: value.coins + by.coins,
      best: Math.max(value.best, by.best),
      time: Math.min(value.time, by.time),
      items: value.items.includes(by.item) ? value.items : [...value.items, by.item],
      skin: by.skin,
    };
    return noteChange({ before: stored, after, rules, device: name, now });
  }
  const alike = (stored: JsonObject): JsonObject => {
    const value = plain(stored);
    return { ...value, items: [...(value['items'] as string[])].sort() };
  };
  const sidesOf = (local: Change[], cloud: Change[]) => {
    const grow = (changes: Change[], device: string, odd: number): JsonObject =>
      changes.reduce((stored, by, index) => apply(stored, { ...by, device }, index * 2 + odd), first);
    return { base: first, local: grow(local, 'a', 1), cloud: grow(cloud, 'b', 2) };
  };

  it('a merge of two devices is the same from either side', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (mine, theirs) => {
        const { base, local, cloud } = sidesOf(mine, theirs);
        const here = mergeValues({ base, local, cloud, rules });
        const there = mergeValues({ base, local: cloud, cloud: local, rules });
        expect(alike(here.stored)).toEqual(alike(there.stored));
      }),
    );
  });

  it('merging again changes nothing', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (mine, theirs) => {
        const { base, local, cloud } = sidesOf(mine, theirs);
        const once = mergeValues({ base, local, cloud, rules }).stored;
        expect(sameJson(mergeValues({ base, local, cloud: once, rules }).stored, once)).toBe(true);
        expect(sameJson(mergeValues({ base, local: once, cloud: once, rules }).stored, once)).toBe(true);
      }),
    );
  });

  it('no max and no sum is ever lost, in whatever order devices write and merge', () => {
    const step = fc.record({ change, sync: fc.boolean(), answerLost: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        let cloud = first;
        const copies = new Map(names.map((name) => [name, { base: first, local: first }]));
        const sync = (name: string, answerLost: boolean): void => {
          const copy = copies.get(name) as { base: JsonObject; local: JsonObject };
          cloud = mergeValues({ ...copy, cloud, rules }).stored;
          // A lost answer: the service has it, the device does not know.
          if (!answerLost) copies.set(name, { base: cloud, local: cloud });
        };
        steps.forEach(({ change: by, sync: now, answerLost }, index) => {
          const copy = copies.get(by.device) as { base: JsonObject; local: JsonObject };
          copies.set(by.device, { ...copy, local: apply(copy.local, by, index + 1) });
          if (now) sync(by.device, answerLost);
        });
        for (const name of [...names, ...names]) sync(name, false);
        const value = plain(cloud);
        expect(value['coins']).toBe(steps.reduce((sum, { change: by }) => sum + by.coins, 0));
        expect(value['best']).toBe(Math.max(0, ...steps.map(({ change: by }) => by.best)));
        expect(value['time']).toBe(Math.min(100, ...steps.map(({ change: by }) => by.time)));
        for (const { change: by } of steps) expect(value['items']).toContain(by.item);
      }),
    );
  });
});
