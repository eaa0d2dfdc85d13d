import { describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryDump } from '../../../src/backend/index.js';
import { describeStore } from './store-contract.js';

describeStore('in memory', createMemoryStore);
// What was dumped and loaded has to be as good as what was made.
describeStore('in memory, from a dump', () => {
  const store = createMemoryStore();
  store.load(JSON.parse(JSON.stringify(createMemoryStore().dump())) as MemoryDump);
  return store;
});

describe('a dump', () => {
  it('refuses what no dump gave', () => {
    const store = createMemoryStore();
    for (const wrong of [null, undefined, 'dump', {}, { format: 2 }]) {
      expect(() => store.load(wrong as never)).toThrow(TypeError);
    }
  });
});
