import { createBackend, createMemoryStore } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { type DevServiceOptions, startDevService } from '../../src/cli/dev/dev-service.js';

const game = { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', privateKeys: ['private-geheim-0123456789'] };

/** Stores in memory, which can be opened as often as the test says. */
function stores() {
  const seen = { opened: 0, closed: 0, failing: new Set<string>() };
  const fail = (what: string): void => {
    if (seen.failing.has(what)) throw new Error(`${what} failed`);
  };
  const options: DevServiceOptions = {
    file: null,
    async open() {
      fail('open');
      seen.opened += 1;
      const close = async (): Promise<void> => {
        seen.closed += 1;
      };
      return { store: createMemoryStore(), kind: 'memory', connections: () => null, bytes: async () => null, close };
    },
    async create(store) {
      fail('create');
      return createBackend({ games: [game], store });
    },
  };
  return { seen, options };
}

const health = () => new Request('http://localhost/openapi.json');

describe('the service of savepoint dev', () => {
  it.each(['open', 'create'])(
    'answers on after a reset that fails as it should %s the store, and the next reset succeeds',
    async (step) => {
      const { seen, options } = stores();
      const service = await startDevService(options);
      seen.failing.add(step);
      await expect(service.reset()).rejects.toThrow(`${step} failed`);
      const refused = await service.answer(health(), {});
      expect([refused.status, JSON.parse(String(refused.body)).code]).toEqual([503, 'unavailable']);
      await expect(service.reset()).rejects.toThrow(`${step} failed`);
      seen.failing.clear();
      await service.reset();
      expect((await service.answer(health(), {})).status).toBe(200);
      await service.close();
      expect(seen.closed).toBe(seen.opened);
    },
  );

  it('ends well where the last reset has failed', async () => {
    const { seen, options } = stores();
    const service = await startDevService(options);
    seen.failing.add('open');
    await expect(service.reset()).rejects.toThrow('open failed');
    await service.close();
    expect(seen.closed).toBe(1);
  });
});
