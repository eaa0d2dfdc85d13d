import { createMemoryStore } from 'savepoint/backend';
import { expect, it } from 'vitest';
import { createTestService, send, testGameId } from '../support/service.js';

it('traffic removes what has ended in small batches, until there is no more', async () => {
  const store = createMemoryStore();
  const service = createTestService({ store });
  const start = service.clock();
  for (let index = 0; index < 450; index += 1) {
    const claim = { gameId: testGameId, nonce: `n${index}`, expiresAt: start + 1_000, now: start, max: 1_000 };
    await store.claimNonce(claim);
  }
  const left = async (): Promise<number> => {
    await send(service, '/nothing');
    return store.dump().nonces.length;
  };
  expect(await left()).toBe(450);
  service.backend.control.advance(60_000);
  expect([await left(), await left(), await left(), await left()]).toEqual([250, 50, 0, 0]);
});

it('a sweep that is under way is not joined by another request', async () => {
  const store = createMemoryStore();
  let sweeps = 0;
  let end = (): void => {};
  const held = new Promise<number>((resolve) => {
    end = () => resolve(0);
  });
  const removeExpired = (): Promise<number> => {
    sweeps += 1;
    return held;
  };
  const service = createTestService({ store: { ...store, removeExpired } });
  service.backend.control.advance(60_000);
  const first = send(service, '/nothing');
  expect((await send(service, '/nothing')).status).toBe(404);
  end();
  await first;
  expect(sweeps).toBe(1);
});
