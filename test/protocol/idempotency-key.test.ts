import { expect, it } from 'vitest';
import { createPageWrites } from '../../src/client/profile/page-writes.js';
import { formatKey, parseKey, type WriteName, writerForm } from '../../src/protocol/idempotency-key.js';
import { newUuid } from '../../src/protocol/ids.js';
import { createWriteNames } from '../../src/server/write-names.js';

it("the names that a game's back end gives to its writes have the header's form", async () => {
  const names = createWriteNames();
  const made: WriteName[] = [];
  await names.name('an entry', async (first) => {
    await names.name('an entry', async (second) => void made.push(first, second));
  });
  expect(made.map((name) => parseKey(formatKey(name)))).toEqual(made);
});

it("the names that a player's device gives to its writes have it too, also those of a hidden page", () => {
  const page = createPageWrites();
  const device = newUuid();
  expect(device).toMatch(writerForm);
  for (const name of [
    { device, write: page.newWrite() },
    { device: `${device}-h`, write: page.newWrite() },
  ]) {
    expect(parseKey(formatKey(name))).toEqual(name);
  }
});

it.each(['', '1', 'd:', ':1', 'd:1:2', 'd:a b', `d:${'a'.repeat(65)}`])('%j is no name of a write', (text) => {
  expect(parseKey(text)).toBeNull();
});
