import { describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryDump, type MemoryStore } from '../../../src/backend/index.js';
import { newLink, owner, quotas, snapshot } from './contract-records.js';
import { describeStore } from './store-contract.js';

describeStore('in memory', createMemoryStore);
// What was dumped and loaded has to be as good as what was made.
describeStore('in memory, from a dump', () => {
  const store = createMemoryStore();
  store.load(JSON.parse(JSON.stringify(createMemoryStore().dump())) as MemoryDump);
  return store;
});

describe('a dump', () => {
  it('holds what was written by which device, and what stands beside the values', async () => {
    const store = createMemoryStore();
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    const write = (to: MemoryStore, device: string, text: string) =>
      to.updateEntry({
        owner: owner('a'),
        sessionId: null,
        collection: 'c',
        key: 'k',
        text,
        times: '{"n":1}',
        version: -1,
        name: { device, write: 'w' },
        snapshot: snapshot('lost'),
        quotas: quotas(10),
        now: 5,
      });
    await write(store, '__proto__', '{"n":1}');
    await write(store, 'd', '{"n":2}');
    const copy = createMemoryStore();
    copy.load(JSON.parse(JSON.stringify(store.dump())) as MemoryDump);
    expect(await write(copy, '__proto__', '{"n":9}')).toEqual({ outcome: 'written', version: 0 });
    expect(await write(copy, 'd', '{"n":9}')).toEqual({ outcome: 'written', version: 1 });
    const entries = await copy.readCollection({ owner: owner('a'), sessionId: null, collection: 'c' });
    expect(entries).toEqual([{ key: 'k', text: '{"n":2}', times: '{"n":1}', version: 1, changedAt: 5 }]);
    expect(copy.dump()).toEqual(store.dump());
  });

  it('refuses what no dump gave', () => {
    const store = createMemoryStore();
    for (const wrong of [null, undefined, 'dump', {}, { format: 2 }]) {
      expect(() => store.load(wrong as never)).toThrow(TypeError);
    }
  });
});
