import { type Client, type Conflict, isSdkError } from 'savepoint';
import { createServerClient } from 'savepoint/server';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, ok, until, type World } from './world.js';

let world: World;
beforeEach(() => {
  world = createWorld({}, { quotas: { values: 40, entries: 3, collections: 2 } });
});
afterEach(() => world.end());

const text = (length: number) => ({ t: 'x'.repeat(length) });
const writes = () => world.sent.filter(({ path }) => path.includes('/collections/'));

describe('usage', () => {
  it('says of every quota what is used, and how much may be', async () => {
    const client = await world.player();
    const limits = { snapshots: 200, snapshotBytes: 20 * 1024 * 1024, devices: 50, sessions: 50 };
    await client.profile.collection('progress').set('main', { é: 1 });
    await client.profile.flush();
    expect(await client.account.usage()).toEqual({
      values: { used: 8, limit: 40 },
      entries: { used: 1, limit: 3 },
      collections: { used: 1, limit: 2 },
      snapshots: { used: 0, limit: limits.snapshots },
      snapshotBytes: { used: 0, limit: limits.snapshotBytes },
      devices: { used: 1, limit: limits.devices },
      sessions: { used: 1, limit: limits.sessions },
    });
    ok(await client.auth.signOut());
    await expect(client.account.usage()).rejects.toMatchObject({ code: 'not_authenticated' });
  });

  it('is shown to the back end as well, of its own players alone', async () => {
    const client = await world.player();
    const server = serverClient();
    expect(await server.usage({ userId: client.auth.userId ?? '' })).toEqual(await client.account.usage());
    await expect(server.usage({ userId: world.service.gameId })).rejects.toMatchObject({ code: 'user_not_found' });
    await expect(server.usage({ userId: 'me' })).rejects.toThrow(TypeError);
  });
});

describe('a save that the account has no room for', () => {
  it('is held, is not sent again by itself, and is sent when there is room and it is tried again', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const progress = client.profile.collection('progress');
    await progress.set('old', text(20));
    await client.profile.flush();
    await progress.set('new', text(20));
    await progress.set('small', {});
    const error: unknown = await client.profile.flush().catch((reason: unknown) => reason);
    expect(isSdkError(error) && error.code === 'quota_exceeded' ? { ...error } : error).toMatchObject({
      code: 'quota_exceeded',
      retryable: false,
      status: 403,
      quota: 'values',
      limit: 40,
    });
    await until(() => writes().some(({ path }) => path.endsWith('/small')));
    await until(() => client.profile.status === 'conflict');
    expect(progress.held()).toMatchObject([{ key: 'new', code: 'quota_exceeded' }]);
    expect(progress.get('new')).toEqual(text(20));
    const asked = writes().length;
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect(writes()).toHaveLength(asked);

    await progress.set('old', text(1));
    await until(() => writes().length === asked + 1);
    await progress.retry('new');
    expect(progress.held()).toEqual([]);
    expect(client.profile.status).toBe('synced');
    expect((await client.account.usage()).values.used).toBe(9 + 28 + 2);
  });

  it('outlives the page, and is tried by the next one', async () => {
    const storage = createMemoryStorage();
    const client = await world.player({ storage });
    const progress = client.profile.collection('progress');
    await progress.set('first', text(20));
    await client.profile.flush();
    await progress.set('main', text(20));
    await expect(client.profile.flush()).rejects.toMatchObject({ code: 'quota_exceeded', quota: 'values', used: 28 });
    client.dispose();
    const next = await world.player({ storage });
    const again = next.profile.collection('progress');
    expect(again.get('main')).toEqual(text(20));
    await expect(next.profile.flush()).rejects.toMatchObject({ code: 'quota_exceeded' });
    expect(again.held()).toMatchObject([{ key: 'main', code: 'quota_exceeded' }]);
  });

  it('can be given up', async () => {
    const client = await world.player();
    for (const name of ['one', 'two']) {
      await client.profile.collection(name).set('main', text(20));
      await client.profile.flush().catch(() => {});
    }
    const second = client.profile.collection('two');
    expect(second.held()).toMatchObject([{ key: 'main', code: 'quota_exceeded' }]);
    await second.discard('main');
    expect(second.get('main')).toBeUndefined();
    expect(client.profile.status).toBe('synced');
  });

  it('is refused to the back end by the same quota', async () => {
    const client = await world.player();
    const server = serverClient();
    const entry = { userId: client.auth.userId ?? '', collection: 'progress' };
    for (const key of ['a', 'b', 'c']) await server.updateEntry({ ...entry, key, value: {}, version: -1 });
    const refused = { code: 'quota_exceeded', quota: 'entries', limit: 3, used: 3 };
    await expect(server.updateEntry({ ...entry, key: 'd', value: {}, version: -1 })).rejects.toMatchObject(refused);
    await expect(server.editEntry({ ...entry, key: 'd' }, () => ({}))).rejects.toMatchObject(refused);
    await expect(server.editEntry({ ...entry, key: 'a' }, () => text(60))).rejects.toMatchObject({
      code: 'quota_exceeded',
      quota: 'values',
      used: 6,
    });
    expect(await server.readCollection(entry)).toHaveLength(3);
  });
});

describe('a merge', () => {
  it('may take two full accounts to twice the quota; beyond it, it is refused, and the other choices stay', async () => {
    const full = async (name: string) => {
      const client = await world.player();
      for (const key of ['a', 'b', 'c']) await client.profile.collection('progress').set(`${name}-${key}`, {});
      await client.profile.flush();
      return client;
    };
    const owner = await full('one');
    ok(await owner.auth.withName('ada', 'correct horse'));
    const second = await full('two');
    ok(await (await conflictOf(second)).resolve('merge'));
    expect(await second.account.usage()).toMatchObject({ entries: { used: 6, limit: 3 } });

    const third = await full('three');
    const conflict = await conflictOf(third);
    const refused = await conflict.resolve('merge');
    expect(refused).toMatchObject({
      success: false,
      error: { code: 'quota_exceeded', quota: 'entries', limit: 6, used: 6 },
    });
    expect(third.conflict).toBe(conflict);
    ok(await conflict.resolve('cloud'));
    expect(await third.profile.collection('progress').load()).toHaveLength(6);
    expect(await third.account.snapshots()).toMatchObject([
      { reason: 'cloud', entries: 3 },
      { reason: 'merge', entries: 3 },
      { reason: 'merge', entries: 3 },
    ]);
  });
});

function conflictOf(client: Client): Promise<Conflict> {
  const heard = new Promise<Conflict>((resolve) => client.events.on('conflict', resolve));
  void client.auth.withName('ada', 'correct horse');
  return heard;
}

function serverClient() {
  const { gameId, privateKey, baseUrl, fetch } = world.service;
  return createServerClient({ gameId, environment: 0, privateKey, baseUrl, fetch });
}
