import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { adminOf } from '../../support/operators.js';
import { testGameId } from '../../support/service.js';
import { createMemoryStorage, createWorld, errorOf, holdTime, ok, pass, record, type World } from '../world.js';

let world: World;
beforeEach(() => {
  holdTime();
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const hour = 3_600_000;
const reason = 'You have sold coins.';
const players = () => adminOf(world.service).players({ gameId: testGameId, environment: 0 });
const save = (client: Client, level: number) => client.profile.collection('progress').update('main', () => ({ level }));
const signIns = (): number => world.sent.filter(({ path }) => /auth\/(guest|name)$/.test(path)).length;
const stored = async (userId: string) => (await players().entry(userId, { collection: 'progress', key: 'main' })).value;

describe('a player who is banned', () => {
  it('is signed out once, told until when and why, and keeps what is unsent until the ban has ended', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const userId = client.auth.userId as string;
    await save(client, 1);
    await client.profile.flush();
    const events = record(client, 'sessionExpired');
    const until = world.backend.control.now() + 3 * hour;
    await players().ban(userId, { until, reason });

    await save(client, 2);
    await pass(hour);
    expect(events).toEqual([['sessionExpired', { userId }]]);
    // The start's, and the one by which it found out.
    expect(signIns()).toBe(2);
    const refused = { code: 'account_banned', until: new Date(until).toISOString(), reason, retryable: false };
    expect(errorOf(await client.auth.asGuest())).toMatchObject(refused);
    client.dispose();

    const again = world.client({ storage });
    await again.init().catch(() => {});
    expect(errorOf(await again.auth.asGuest())).toMatchObject(refused);
    expect(await stored(userId)).toEqual({ level: 1 });
    const before = signIns();
    await pass(hour);
    expect(signIns()).toBe(before);

    await pass(2 * hour);
    ok(await again.auth.asGuest());
    await again.profile.flush();
    expect(again.auth.userId).toBe(userId);
    expect(await stored(userId)).toEqual({ level: 2 });
  });
});
