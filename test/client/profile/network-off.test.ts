import type { Client } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, ok, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const progress = (client: Client) => client.profile.collection('progress');

async function save(client: Client, value: { [field: string]: unknown }): Promise<void> {
  await progress(client).set('main', value);
  await client.profile.flush();
}

describe('a network that is switched off', () => {
  it('is asked nothing, and nothing fails: all runs on the device', async () => {
    const client = world.client({ network: 'off' });
    const events: unknown[] = [];
    client.events.on('initialized', (payload) => events.push(payload));
    expect(await client.init()).toEqual({ success: true, userId: null });
    expect(events).toEqual([{ userId: null, reason: 'start' }]);
    await progress(client).set('main', { level: 1 });
    expect(await progress(client).update('main', (value) => ({ ...value, coins: 2 }))).toEqual({ level: 1, coins: 2 });
    expect(progress(client).get('main')).toEqual({ level: 1, coins: 2 });
    expect(await client.auth.withName('ada', 'correct horse')).toMatchObject({ error: { code: 'network' } });
    expect(client.profile.status).toBe('offline');
    expect(world.sent).toEqual([]);
  });

  it('can be switched on later: a guest is made, and what was saved is sent', async () => {
    const client = world.client({ network: 'off' });
    await client.init();
    await progress(client).set('main', { level: 1 });
    const { userId } = ok(await client.setNetwork('on'));
    expect(client.auth.userId).toBe(userId);
    await client.profile.flush();
    expect(await progress(client).load()).toEqual([{ key: 'main', value: { level: 1 }, version: 0 }]);
  });

  it('keeps a stored session, and its saves', async () => {
    const storage = createMemoryStorage();
    const before = await world.player({ storage });
    await save(before, { level: 1 });
    before.dispose();
    const asked = world.sent.length;
    const client = world.client({ storage, network: 'off' });
    expect(ok(await client.init()).userId).toBe(before.auth.userId ?? client.auth.userId);
    expect(progress(client).get('main')).toEqual({ level: 1 });
    await progress(client).set('main', { level: 2 });
    expect(world.sent).toHaveLength(asked);
    ok(await client.setNetwork('on'));
    await client.profile.flush();
    expect((await progress(client).load())[0]?.value).toEqual({ level: 2 });
  });
});
