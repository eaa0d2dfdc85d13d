import { describe, expect, it } from 'vitest';
import { createPause } from '../../src/backend/slices.js';

describe('a pause of long work', () => {
  it('lets one of many go on in each turn of the event loop, in their order', async () => {
    const turns: (() => void)[] = [];
    const pause = createPause((begin) => void turns.push(begin));
    const steps: string[] = [];
    const work = async (name: string) => {
      for (const step of [1, 2]) {
        await pause();
        steps.push(`${name}${step}`);
      }
    };
    const done = Promise.all(['a', 'b', 'c'].map(work));
    const seen: string[] = [];
    while (turns.length > 0) {
      expect(turns).toHaveLength(1);
      turns.shift()?.();
      // What has been let go on does its step.
      await new Promise((resolve) => setImmediate(resolve));
      seen.push(steps.splice(0).join());
    }
    await done;
    expect(seen).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'c2']);
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
