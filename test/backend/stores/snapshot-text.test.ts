import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createSlices } from '../../../src/backend/slices.js';
import { entriesInSlices, entriesOfText, textOfSnapshot } from '../../../src/backend/stores/sql/snapshot-text.js';

const entryOf = (text: string, key = 'key') => ({ collection: 'world', key, text, version: 1, changedAt: 5 });
const bytes = (text: string) => new TextEncoder().encode(text);
const slices = () => createSlices(performance.now.bind(performance), async () => {});

it('entries come back letter for letter, whether each has a line or all have one', async () => {
  const texts = fc.array(
    fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom(',\n', '\uFEFF', ']', '\uD800', '\u2028')),
  );
  await fc.assert(
    fc.asyncProperty(texts, async (texts) => {
      const entries = texts.map((text) => entryOf(JSON.stringify(text)));
      const [lines, oneLine] = [textOfSnapshot(entries), JSON.stringify(entries)];
      expect([entriesOfText(lines), entriesOfText(oneLine)]).toEqual([entries, entries]);
      expect(await entriesInSlices(bytes(lines), slices())).toEqual(entries);
      expect(await entriesInSlices(bytes(oneLine), slices())).toEqual(entries);
    }),
    { seed: 7 },
  );
});

it('as many entries as an account can have after a merge are read from one line', async () => {
  const entries = Array.from({ length: 400_000 }, (_, n) => entryOf('1', `${n}`));
  expect(await entriesInSlices(bytes(JSON.stringify(entries)), slices())).toHaveLength(entries.length);
});
