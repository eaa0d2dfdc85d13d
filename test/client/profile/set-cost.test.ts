import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const value = { level: 1, name: 'x'.repeat(200) };

/** What a device writes for one `set` where there are so many entries: the length of each text. */
async function writtenAmong(entries: number): Promise<number[]> {
  const written: number[] = [];
  const inner = createMemoryStorage();
  const setItem = (key: string, text: string): void => {
    written.push(text.length);
    inner.setItem(key, text);
  };
  const client = await world.player({ network: 'off', storage: { ...inner, setItem } });
  const progress = client.profile.collection('progress');
  await Promise.all(Array.from({ length: entries }, (_, index) => progress.set(`slot ${index}`, value)));
  written.length = 0;
  await progress.set('slot 0', { ...value, level: 2 });
  return [...written];
}

it('one `set` among 2,000 entries writes one text, of the size of its own entry', async () => {
  const [alone, among] = [await writtenAmong(1), await writtenAmong(2_000)];
  expect([alone.length, among.length]).toEqual([1, 1]);
  // What stands beside the value: the names of a write and of a page, times, versions.
  expect(among[0]).toBeLessThan(JSON.stringify(value).length + 200);
  // The number in the name of a write is longer.
  expect((among[0] as number) - (alone[0] as number)).toBeLessThan(5);
});
