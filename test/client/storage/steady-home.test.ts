import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RawHome } from '../../../src/client/storage/home.js';
import { createSteadyHome, type OpenHome } from '../../../src/client/storage/steady-home.js';
import { holdTime, pass, quiet } from '../world.js';
import { createFaultyHome, type Fault } from './faulty-home.js';

const steadyOf = (home: RawHome) => createSteadyHome(async (): Promise<OpenHome> => ({ kind: 'indexedDB', home }));
const append =
  (word: string) =>
  (text: string | null): string =>
    `${text ?? ''}${word}`;

/** A promise that the test settles. */
function createGate() {
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { gate, open };
}

describe('the steady home', () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  beforeEach(() => {
    unhandled.length = 0;
    process.on('unhandledRejection', note);
    holdTime();
  });
  afterEach(() => {
    process.off('unhandledRejection', note);
    vi.useRealTimers();
    expect(unhandled).toEqual([]);
  });

  it('says what it is made of once it is open', async () => {
    const steady = steadyOf(createFaultyHome().home);
    expect(steady.kind).toBeNull();
    await steady.open();
    expect(steady.kind).toBe('indexedDB');
  });

  it('writes once what is asked for in one task, and gives each caller the text of its own change', async () => {
    const { home, asked } = createFaultyHome();
    const steady = steadyOf(home);
    const updates = ['1', '2', '3'].map((word) => steady.update('a', append(word)));
    expect(await Promise.all(updates)).toEqual(['1', '12', '123']);
    expect(asked).toEqual(['a']);
  });

  it('keeps what fails pending, tries it again, and says so once', async () => {
    let works = false;
    const { home, texts } = createFaultyHome(() => (works ? 'none' : 'before'));
    const steady = steadyOf(home);
    const told: boolean[] = [];
    steady.subscribe(() => void told.push(steady.isFailing));
    let result: string | null | undefined;
    void steady.update('a', append('1')).then((text) => {
      result = text;
    });
    await pass(60_000);
    expect([result, steady.isFailing, told]).toEqual([undefined, true, [true]]);
    works = true;
    await pass(10_000);
    expect([result, steady.isFailing, told]).toEqual(['1', false, [true, false]]);
    expect(texts.get('a')).toBe('1');
  });

  it('tries more and more seldom, and at least every 10 s', async () => {
    const { home, asked } = createFaultyHome(() => 'before');
    void steadyOf(home).update('a', append('1'));
    await quiet();
    await pass(250);
    expect(asked).toHaveLength(2);
    await pass(60_000);
    expect(asked.length).toBeLessThan(14);
    const before = asked.length;
    await pass(10_000);
    expect(asked.length).toBe(before + 1);
  });

  it('carries out the updates of one key in order, those too that were asked for while it failed', async () => {
    let failures = 3;
    const { home, texts } = createFaultyHome(() => (failures-- > 0 ? 'before' : 'none'));
    const steady = steadyOf(home);
    const first = steady.update('a', append('1'));
    await pass(300);
    const second = steady.update('a', append('2'));
    await pass(10_000);
    expect(await Promise.all([first, second])).toEqual(['1', '12']);
    expect(texts.get('a')).toBe('12');
  });

  it('holds up nothing else because of one text that is refused', async () => {
    const { home } = createFaultyHome(({ key }) => (key === 'large' ? 'before' : 'none'));
    const steady = steadyOf(home);
    void steady.update('large', append('1'));
    const small = steady.update('small', append('1'));
    await quiet();
    expect(await small).toBe('1');
    expect(await steady.readAll('small')).toEqual(new Map([['small', '1']]));
    expect(steady.isFailing).toBe(true);
  });

  it('puts what waits before what says who plays here', async () => {
    let works = false;
    const { home, asked, texts } = createFaultyHome(() => (works ? 'none' : 'before'));
    const steady = steadyOf(home);
    void steady.update('entry', append('1'));
    await pass(60_000);
    works = true;
    asked.length = 0;
    await steady.update('session', append('nobody'), { strict: true });
    expect(asked).toEqual(['entry', 'session']);
    expect(texts.get('entry')).toBe('1');
  });

  it('puts off what says who plays here for nothing that fails once more', async () => {
    let works = (_: string): boolean => false;
    const { home, texts } = createFaultyHome(({ key }) => (works(key) ? 'none' : 'before'));
    const steady = steadyOf(home);
    void steady.update('entry', append('1'));
    await pass(60_000);
    works = (key) => key === 'session';
    await steady.update('session', append('nobody'), { strict: true });
    expect([...texts.keys()]).toEqual(['session']);
    works = () => true;
    await pass(10_000);
    expect(texts.get('entry')).toBe('1');
  });

  it('carries out all that say who plays here at once, while something waits to be tried again', async () => {
    let works = (_: string): boolean => false;
    const { home, texts } = createFaultyHome(({ key }) => (works(key) ? 'none' : 'before'));
    const steady = steadyOf(home);
    void steady.update('entry', append('1'));
    await pass(60_000);
    works = (key) => key !== 'entry';
    const both = ['session', 'device'].map((key) => steady.update(key, append('x'), { strict: true }));
    await pass(60_000);
    expect([...texts.keys()]).toEqual(['session', 'device']);
    await Promise.all(both);
  });

  it('waits for an answer that takes longer than 5 s, says that it fails, and lets nothing overtake it', async () => {
    const { gate, open } = createGate();
    let isFirst = true;
    const { home, asked, texts } = createFaultyHome(() => {
      const fault = isFirst ? gate : 'none';
      isFirst = false;
      return fault;
    });
    const steady = steadyOf(home);
    const told: boolean[] = [];
    steady.subscribe(() => void told.push(steady.isFailing));
    const older = steady.update('a', () => 'older');
    await pass(4_900);
    expect(told).toEqual([]);
    const newer = steady.update('a', () => 'newer');
    await pass(60_000);
    expect([told, asked]).toEqual([[true], ['a']]);
    open();
    expect(await Promise.all([older, newer])).toEqual(['older', 'newer']);
    expect(texts.get('a')).toBe('newer');
    expect(told).toEqual([true, false]);
  });

  it('counts an update once whose storing failed after it was done', async () => {
    let isFirst = true;
    const { home, texts } = createFaultyHome(() => {
      const fault = isFirst ? 'after' : 'none';
      isFirst = false;
      return fault;
    });
    const once = (text: string | null): string => (text?.includes('1') ? text : `${text ?? ''}1`);
    const storing = steadyOf(home).update('a', once);
    await quiet();
    await pass(1_000);
    expect(await storing).toBe('1');
    expect(texts.get('a')).toBe('1');
  });

  it('finds its home again and again until there is one', async () => {
    const { home } = createFaultyHome();
    let works = false;
    const find = vi.fn(async (): Promise<OpenHome> => {
      if (!works) throw new Error('does not open');
      return { kind: 'custom', home };
    });
    const steady = createSteadyHome(find);
    const opening = steady.open();
    const reading = steady.readAll('a');
    await pass(30_000);
    expect([steady.kind, steady.isFailing]).toEqual([null, true]);
    works = true;
    await pass(10_000);
    await Promise.all([opening, reading]);
    expect([steady.kind, steady.isFailing]).toEqual(['custom', false]);
    const calls = find.mock.calls.length;
    await steady.readAll('b');
    expect(find).toHaveBeenCalledTimes(calls);
  });

  it('rejects the update alone whose change throws, and tries nothing again', async () => {
    const { home, texts, asked } = createFaultyHome();
    const steady = steadyOf(home);
    const defect = new Error('defect');
    const outcomes = await Promise.allSettled([
      steady.update('a', append('1')),
      steady.update('a', () => {
        throw defect;
      }),
      steady.update('a', append('2')),
    ]);
    expect(outcomes.map((one) => (one.status === 'rejected' ? one.reason : one.value))).toEqual(['1', defect, '12']);
    expect([texts.get('a'), asked, steady.isFailing]).toEqual(['12', ['a'], false]);
  });

  it('fails what is pending with aborted when it is closed, and all that comes later', async () => {
    const { home } = createFaultyHome(({ key }) => (key === 'stuck' ? new Promise(() => {}) : 'before'));
    const steady = steadyOf(home);
    const told = vi.fn();
    const pending = [
      steady.update('a', append('1')),
      steady.update('stuck', append('1')),
      steady.readAll('a'),
      steady.readAll('stuck'),
    ];
    await pass(1_000);
    steady.subscribe(told);
    steady.close();
    pending.push(steady.update('a', append('2')), steady.readAll('a'), steady.open() as Promise<never>);
    for (const one of await Promise.allSettled(pending)) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'aborted' } });
    }
    expect(told).not.toHaveBeenCalled();
    // What is stuck in the storage ends by itself.
    await pass(5_000);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('still stores what was asked for just before it was closed, and ends the connection then', async () => {
    const { home, texts } = createFaultyHome();
    const steady = steadyOf(home);
    await steady.open();
    const storing = steady.update('a', append('1'));
    steady.close();
    await expect(storing).rejects.toMatchObject({ code: 'aborted' });
    await quiet();
    expect(texts.get('a')).toBe('1');
    expect(home.isClosed).toBe(true);
  });

  it('ends the connection at once, also while the storage does not answer', async () => {
    const { home } = createFaultyHome(() => new Promise(() => {}));
    const steady = steadyOf(home);
    await steady.open();
    const stuck = expect(steady.update('a', append('1'))).rejects.toMatchObject({ code: 'aborted' });
    await quiet();
    steady.close();
    await stuck;
    expect(home.isClosed).toBe(true);
  });

  it('settles every promise, counts every update once and keeps their order, however the storage fails', async () => {
    const step = fc.record({
      tab: fc.nat(1),
      key: fc.constantFrom('a', 'b'),
      waitMs: fc.constantFrom(0, 0, 0, 100, 6_000),
      strict: fc.constantFrom(false, false, true),
    });
    const faults = fc.array(fc.constantFrom('none', 'none', 'before', 'after', 'stall'), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), faults, fc.option(fc.nat(20)), async (steps, plan, end) => {
        const left = [...plan];
        const gates: (() => void)[] = [];
        const { home, texts } = createFaultyHome((): Fault => {
          const next = left.shift() ?? 'none';
          if (next !== 'stall') return next as Fault;
          const { gate, open } = createGate();
          gates.push(open);
          return gate;
        });
        const tabs = [steadyOf(home), steadyOf(home)];
        const outcomes: Promise<unknown>[] = [];
        for (const [index, { tab, key, waitMs, strict }] of steps.entries()) {
          if (index === end) tabs[0]?.close();
          const word = `${tab}:${index};`;
          const once = (text: string | null): string => (text?.includes(word) ? text : `${text ?? ''}${word}`);
          outcomes.push((tabs[tab] as (typeof tabs)[0]).update(key, once, { strict }).then(() => [key, word], String));
          if (waitMs > 0) await pass(waitMs);
        }
        // What fails last is tried again after the longest pause.
        for (let calm = 0, round = 0; round < 50 && calm < 3; round += 1) {
          calm = left.length > 0 || gates.length > 0 ? 0 : calm + 1;
          for (const open of gates.splice(0)) open();
          await pass(10_000);
        }
        for (const outcome of await Promise.all(outcomes)) {
          if (Array.isArray(outcome)) expect(texts.get(outcome[0])).toContain(outcome[1]);
          else expect([outcome, end === null]).toEqual(['NoAnswerError: The call was aborted.', false]);
        }
        for (const text of texts.values()) {
          for (const tab of [0, 1]) {
            const own = text.split(';').filter((word) => word.startsWith(`${tab}:`));
            const numbers = own.map((word) => Number(word.slice(2)));
            expect(numbers).toEqual([...new Set(numbers)].sort((one, other) => one - other));
          }
        }
        for (const tab of tabs) tab.close();
        await pass(5_000);
      }),
      { numRuns: process.env['PROVE'] === '1' ? 300 : 30 },
    );
  });
});
