import { expect, it } from 'vitest';
import { createCurrentSession } from '../../../src/client/session/current-session.js';
import { createSessionStore, type Session } from '../../../src/client/session/session-store.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { createSteadyHome } from '../../../src/client/storage/steady-home.js';
import { createServiceClock } from '../../../src/http/service-clock.js';

const sessionOf = (userId: string, expiresAt = 1_000): Session => ({
  userId,
  accessToken: `of ${userId}`,
  refreshToken: null,
  methods: [],
  country: null,
  expiresAt,
});

it('a tab that has heard several times of who is there puts no guest in that place, and lets the game sign somebody in', async () => {
  const home = createMemoryHome(new Map());
  const steady = createSteadyHome(async () => ({ kind: 'memory', home }));
  const store = createSessionStore(steady, { session: 's', device: 'd', writer: 'w' }, () => {});
  const open = async () => {
    const clock = createServiceClock(() => 0);
    const tab = createCurrentSession({ store, clock, emit: () => {}, revoke: () => {}, deviceId: undefined });
    await tab.open({ restore: true });
    return tab;
  };
  const [starting, waiting, other] = [await open(), await open(), await open()];
  await other.apply('signIn', { session: sessionOf('ada') });
  for (const expiresAt of [2_000, 3_000]) {
    for (const tab of [starting, waiting]) await tab.sync();
    await other.renewTokens(sessionOf('ada', expiresAt));
  }
  for (const tab of [starting, waiting]) await tab.sync();
  const guest = starting.apply('signIn', { session: sessionOf('guest') }, { yields: true });
  await expect(guest).rejects.toMatchObject({ code: 'aborted' });
  expect([starting.userId, (await store.read()).session?.userId]).toEqual(['ada', 'ada']);
  await waiting.apply('signIn', { session: sessionOf('eve') });
  expect((await store.read()).session?.userId).toBe('eve');
});
