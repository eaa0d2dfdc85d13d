import { describe, expect, it } from 'vitest';
import { createPause } from '../../src/backend/slices.js';

/** Turns of an event loop that begin when the test says so, by a clock of its own. */
function turns() {
  const due: (() => void)[] = [];
  const resting: { ms: number; begin(): void }[] = [];
  let now = 0;
  return {
    due,
    resting,
    pause: createPause({
      next: (begin) => void due.push(begin),
      after: (ms, begin) => void resting.push({ ms, begin }),
      clock: () => now,
    }),
    work: (ms: number): void => {
      now += ms;
    },
    async run(begin: (() => void) | undefined) {
      begin?.();
      // What has been let go on does its step.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe('a pause of long work', () => {
  it('lets one of many go on in each turn of the event loop, in their order', async () => {
    const { due, pause, run } = turns();
    const steps: string[] = [];
    const work = async (name: string) => {
      for (const step of [1, 2]) {
        await pause();
        steps.push(`${name}${step}`);
      }
    };
    const done = Promise.all(['a', 'b', 'c'].map(work));
    const seen: string[] = [];
    while (due.length > 0) {
      expect(due).toHaveLength(1);
      await run(due.shift());
      seen.push(steps.splice(0).join());
    }
    await done;
    // In the last turn nobody is left.
    expect(seen).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2', '']);
  });

  it('rests for three times as long as a turn took, for those who pause meanwhile, too', async () => {
    const { due, resting, pause, work, run } = turns();
    const steps: string[] = [];
    const go = async (name: string, ms: number) => {
      await pause();
      steps.push(name);
      work(ms);
    };
    const first = go('first', 30);
    await run(due.shift());
    const second = go('second', 500);
    await run(due.shift());
    // Nothing else is due before the rest is over.
    expect([steps, due.length, resting.map(({ ms }) => ms)]).toEqual([['first'], 0, [90]]);
    await run(resting.shift()?.begin);
    await run(due.shift());
    // A turn that took absurdly long: the machine slept.
    expect([steps, resting.map(({ ms }) => ms)]).toEqual([['first', 'second'], [300]]);
    await run(resting.shift()?.begin);
    const third = go('third', 1);
    await run(due.shift());
    await run(due.shift());
    expect([steps, resting]).toEqual([['first', 'second', 'third'], []]);
    await Promise.all([first, second, third]);
  });

  it('serves everybody else between two turns', async () => {
    const pause = createPause();
    let others = 0;
    const count = (): void => {
      others += 1;
      if (others < 1_000) setImmediate(count);
    };
    setImmediate(count);
    await Promise.all(Array.from({ length: 50 }, () => pause()));
    expect(others).toBeGreaterThanOrEqual(49);
    others = 1_000;
  });
});
