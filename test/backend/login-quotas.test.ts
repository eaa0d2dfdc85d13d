import { expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { authenticateForGame, createTestService, send, signInGuest } from '../support/service.js';

const limits = { quotas: { sessions: 2, devices: 1 } };
const isKnown = async (service: ReturnType<typeof createTestService>, token: string) =>
  (await send(service, operations.readAccount.path, { token })).status === 200;

it('ends the session that was unused for longest, where the configuration allows no more', async () => {
  const service = createTestService({ limits });
  const tokens: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    tokens.push((await signInGuest(service)).accessToken);
    service.backend.control.advance(1_000);
  }
  expect(await Promise.all(tokens.map((token) => isKnown(service, token)))).toEqual([false, true, true]);
});

it('takes the device away that was unused for longest, for one that the game’s back end brings', async () => {
  const service = createTestService({ limits });
  const ids: string[] = [];
  for (const device of ['the-first-device', 'the-second-device']) {
    ids.push((await authenticateForGame(service, { body: { custom_user_id: 'ada', device_id: device } })).userId);
    service.backend.control.advance(1_000);
  }
  expect(new Set(ids).size).toBe(1);
  expect((await signInGuest(service, 'the-second-device')).userId).toBe(ids[0]);
  expect((await signInGuest(service, 'the-first-device')).userId).not.toBe(ids[0]);
});
