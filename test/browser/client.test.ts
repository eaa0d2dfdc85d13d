import { type Client, type ClientConfig, createClient } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createIndexedDbHome } from '../../src/client/storage/indexed-db-home.js';
import { createTestService, type TestService } from '../support/service.js';

let service: TestService;
const clients: Client[] = [];
beforeEach(() => {
  service = createTestService({ clock: () => Date.now() });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.dispose();
  localStorage.clear();
  await new Promise((resolve) => {
    indexedDB.deleteDatabase('savepoint').onsuccess = resolve;
  });
});

/** A client as a page makes it: on the browser's own storage, locks, channels and timers. */
function open(options: Partial<ClientConfig> = {}): Client {
  const { gameId, baseUrl, fetch } = service;
  const client = createClient({ gameId, environment: 0, baseUrl, fetch, ...options });
  clients.push(client);
  return client;
}

async function start(): Promise<Client> {
  const client = open();
  expect((await client.init()).success).toBe(true);
  return client;
}

function next(client: Client, name: 'stateChanged' | 'initialized'): Promise<unknown> {
  return new Promise((resolve) => client.events.once(name, resolve));
}

describe('a player in a browser', () => {
  it('signs in, links a name and saves', async () => {
    const client = await start();
    expect((await client.auth.withName('ada', 'correct horse')).success).toBe(true);
    await client.profile.collection('progress').set('main', { level: 1 });
    await client.profile.flush();
    expect(client.auth.state).toBe('linked');
  });

  it('is the same one after a reload, without a request', async () => {
    const before = await start();
    const { userId } = before.auth;
    before.dispose();
    const asked = service.backend.control.requests.length;
    const after = await start();
    expect(after.auth.userId).toBe(userId);
    expect(service.backend.control.requests).toHaveLength(asked);
  });

  it('is one device in two tabs that start at once', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    expect(one.auth.userId).toBe(two.auth.userId);
  });

  it('signs out of all tabs', async () => {
    const [one, two] = [await start(), await start()];
    const heard = next(two, 'stateChanged');
    await one.auth.signOut();
    expect(await heard).toEqual({ state: 'signedOut', previous: 'guest' });
    expect(two.auth.isAuthorized).toBe(false);
  });

  it('switches in all tabs, and the others reload', async () => {
    const [one, two] = [await start(), await start()];
    const heard = next(two, 'initialized');
    await one.auth.signOut();
    await one.auth.withName('ada', 'correct horse');
    expect(await heard).toEqual({ userId: one.auth.userId, reason: 'switch' });
  });

  it("hears of another document's change by a message", async () => {
    const client = await start();
    const home = createIndexedDbHome(() => indexedDB);
    const [key = '', text = ''] = [...(await home.readAll(''))].find(([name]) => name.endsWith(':session')) ?? [];
    const record = JSON.parse(text) as { generation: number };
    const heard = next(client, 'stateChanged');
    // A document of the same origin writes what its own client would: a sign-out.
    await home.update(key, () => JSON.stringify({ ...record, generation: record.generation + 1, session: null }));
    home.close?.();
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const { BroadcastChannel: Channel } = frame.contentWindow as unknown as typeof globalThis;
    new Channel(key.slice(0, -'session'.length)).postMessage({ keys: [key] });
    expect(await heard).toEqual({ state: 'signedOut', previous: 'guest' });
    frame.remove();
  });

  it('meets a conflict with another device and takes the cloud', async () => {
    const values = new Map<string, string>();
    const other = open({
      storage: {
        getItem: (key) => values.get(key),
        setItem: (key, value) => values.set(key, value),
        removeItem: (key) => values.delete(key),
      },
    });
    await other.init();
    await other.auth.withName('ada', 'correct horse');
    await other.profile.collection('progress').set('main', { level: 7 });
    await other.profile.flush();
    const client = await start();
    await client.profile.collection('progress').load();
    client.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
    expect(await client.auth.withName('ada', 'correct horse')).toEqual({ success: true, userId: other.auth.userId });
    expect(client.profile.collection('progress').get('main')).toEqual({ level: 7 });
  });
});
