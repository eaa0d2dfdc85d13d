import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeValues, timesOfChange } from '../../src/merge/merge-values.js';
import type { FieldTimes, MergeRules } from '../../src/merge/rules.js';
import type { JsonObject } from '../../src/protocol/messages.js';
import { sameJson } from '../../src/protocol/value-text.js';

describe('properties', () => {
  const rules: MergeRules = { coins: 'sum', best: 'max', time: 'min', items: 'union', skin: 'latest' };
  const names = ['a', 'b', 'c'];
  const change = fc.record({
    device: fc.constantFrom(...names),
    // Few numbers, so that devices often set the same.
    coins: fc.oneof(fc.constantFrom(-1, 1), fc.integer({ min: -50, max: 50 })),
    best: fc.integer({ min: 0, max: 100 }),
    time: fc.integer({ min: 0, max: 100 }),
    item: fc.constantFrom('sword', 'bow', 'axe', 'hat'),
    skin: fc.constantFrom<string>('red', 'blue', 'green'),
  });
  type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;
  interface State {
    value: JsonObject;
    times: FieldTimes;
  }
  const first: State = { value: { coins: 0, best: 0, time: 100, items: [], skin: 'none' }, times: {} };

  function apply({ value: before, times }: State, by: Change, now: number): State {
    const value = before as { coins: number; best: number; time: number; items: string[] };
    const after = {
      coins: value.coins + by.coins,
      best: Math.max(value.best, by.best),
      time: Math.min(value.time, by.time),
      items: value.items.includes(by.item) ? value.items : [...value.items, by.item],
      skin: by.skin,
    };
    return { value: after, times: timesOfChange({ before, times, after, rules, now }) };
  }
  const merge = (base: JsonObject | null, local: State, cloud: State): State =>
    mergeValues({
      base,
      local: local.value,
      cloud: cloud.value,
      rules,
      times: { local: local.times, cloud: cloud.times },
    });
  const alike = ({ value }: State): JsonObject => ({ ...value, items: [...(value['items'] as string[])].sort() });
  const sidesOf = (local: Change[], cloud: Change[]) => {
    const grow = (changes: Change[], odd: number): State =>
      changes.reduce((state, by, index) => apply(state, by, index * 2 + odd), first);
    return { local: grow(local, 1), cloud: grow(cloud, 2) };
  };

  it('a merge of two devices is the same from either side', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), fc.boolean(), (mine, theirs, hasPast) => {
        const { local, cloud } = sidesOf(mine, theirs);
        const base = hasPast ? first.value : null;
        expect(alike(merge(base, local, cloud))).toEqual(alike(merge(base, cloud, local)));
      }),
    );
  });

  it('merging again changes nothing, once the cloud is what was merged with', () => {
    fc.assert(
      fc.property(fc.array(change), fc.array(change), (mine, theirs) => {
        const { local, cloud } = sidesOf(mine, theirs);
        const once = merge(first.value, local, cloud);
        expect(sameJson(merge(cloud.value, once, cloud).value, once.value)).toBe(true);
        expect(sameJson(merge(once.value, once, once).value, once.value)).toBe(true);
      }),
    );
  });

  it('a side that has changed nothing adds nothing', () => {
    fc.assert(
      fc.property(fc.array(change), (theirs) => {
        const { cloud } = sidesOf([], theirs);
        expect(alike(merge(first.value, first, cloud))).toEqual(alike(cloud));
        expect(alike(merge(first.value, cloud, first))).toEqual(alike(cloud));
      }),
    );
  });

  /** One entry of a service that writes by version, and knows of each device its last write. */
  function createEntry() {
    let entry: State & { version: number } = { ...first, version: 0 };
    const last = new Map<string, { id: number; version: number }>();
    return {
      get: () => entry,
      write(device: string, id: number, state: State, version: number): number | null {
        const known = last.get(device);
        if (known?.id === id) return known.version;
        if (version !== entry.version) return null;
        entry = { ...state, version: version + 1 };
        last.set(device, { id, version: entry.version });
        return entry.version;
      },
      /** A back end writes what it sees, with nothing beside it. */
      add(coins: number): void {
        const value = { ...entry.value, coins: (entry.value['coins'] as number) + coins };
        entry = { value, times: entry.times, version: entry.version + 1 };
      },
    };
  }

  /** A device that keeps what it has sent until it has an answer, as the SDK does. */
  function createDevice(name: string, entry: ReturnType<typeof createEntry>) {
    let base: State & { version: number } = entry.get();
    let local: State | null = null;
    let sent: (State & { id: number }) | null = null;
    let id = 0;
    return {
      change(by: Change, now: number): void {
        local = apply(local ?? sent ?? base, by, now);
      },
      /** Asks once. A write is asked for again, as it was, until there is an answer. */
      send(loses: 'request' | 'answer' | null): void {
        if (sent === null) {
          if (local === null) return;
          id += 1;
          [sent, local] = [{ ...local, id }, null];
        }
        if (loses === 'request') return;
        const version = entry.write(name, sent.id, sent, base.version);
        if (loses === 'answer') return;
        if (version !== null) {
          [base, sent] = [{ ...sent, version }, null];
          return;
        }
        // It was not carried out, and never will be.
        const cloud = entry.get();
        local = merge(base.value, local ?? sent, cloud);
        [base, sent] = [cloud, null];
      },
      hasUnsent: () => local !== null || sent !== null,
    };
  }

  it('each change counts exactly once, in whatever order devices and a back end write', () => {
    const step = fc.record({
      change: fc.option(change),
      device: fc.constantFrom(...names),
      does: fc.constantFrom('send', 'lose request', 'lose answer', 'nothing', 'back end'),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const entry = createEntry();
        const devices = new Map(names.map((name) => [name, createDevice(name, entry)]));
        const of = (name: string) => devices.get(name) as ReturnType<typeof createDevice>;
        let coins = 0;
        const made: Change[] = [];
        steps.forEach(({ change: by, device, does }, index) => {
          if (by !== null) {
            of(by.device).change(by, index + 1);
            made.push(by);
          }
          if (does === 'back end') {
            entry.add(7);
            coins += 7;
          } else if (does !== 'nothing') {
            of(device).send(does === 'send' ? null : does === 'lose request' ? 'request' : 'answer');
          }
        });
        for (let round = 0; round < 20 && [...devices.values()].some((one) => one.hasUnsent()); round += 1) {
          for (const device of devices.values()) device.send(null);
        }
        const { value } = entry.get();
        expect(value['coins']).toBe(made.reduce((sum, by) => sum + by.coins, coins));
        expect(value['best']).toBe(Math.max(0, ...made.map(({ best }) => best)));
        expect(value['time']).toBe(Math.min(100, ...made.map(({ time }) => time)));
        expect([...(value['items'] as string[])].sort()).toEqual([...new Set(made.map(({ item }) => item))].sort());
        if (made.length > 0) expect(made.map(({ skin }) => skin)).toContain(value['skin']);
      }),
      { numRuns: 300 },
    );
  });

  it('the field under the rule latest is that of the last change, where every change makes a new value', () => {
    const step = fc.record({ device: fc.constantFrom(...names), sends: fc.boolean(), losesAnswer: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const entry = createEntry();
        const devices = new Map(names.map((name) => [name, createDevice(name, entry)]));
        const of = (name: string) => devices.get(name) as ReturnType<typeof createDevice>;
        const nothing = { coins: 0, best: 0, time: 100, item: 'hat' as const };
        steps.forEach(({ device, sends, losesAnswer }, index) => {
          of(device).change({ ...nothing, device, skin: `skin-${index}` }, index + 1);
          if (sends) of(device).send(losesAnswer ? 'answer' : null);
        });
        for (let round = 0; round < 20 && [...devices.values()].some((one) => one.hasUnsent()); round += 1) {
          for (const device of devices.values()) device.send(null);
        }
        expect(entry.get().value['skin']).toBe(`skin-${steps.length - 1}`);
      }),
    );
  });
});
