import type { Client, JsonObject } from 'savepoint';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { composeClient } from '../../../src/client/create-client.js';
import { discard } from '../../../src/client/profile/entry-record.js';
import { createJournal, type JournalItem } from '../../../src/client/profile/journal.js';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { createMemoryStorage, createWorld, holdTime, pass, quiet, until, type World } from '../world.js';

let world: World;
let client: Client;
let hide: () => void;
/** Another tab has told of something. */
let hear: () => void;
let storage: ReturnType<typeof createMemoryStorage>;
/** What was asked, as soon as it was, and what becomes of it. */
let asked: Request[];
let answer: (request: Request, count: number) => Promise<Response>;

beforeEach(async () => {
  world = createWorld();
  asked = [];
  storage = createMemoryStorage();
  answer = (request) => world.backend.fetch(request);
  const fetch = (request: Request): Promise<Response> => {
    if (request.url.includes('/progress/')) asked.push(request);
    return request.url.includes('/progress/') ? answer(request, asked.length) : world.backend.fetch(request);
  };
  client = composeClient(world.config({ fetch, storage }), {
    ...world.platform,
    tabs: () => ({
      listen: (handlers) => {
        hear = () => handlers.heard({});
        hide = handlers.hide;
      },
      notify: () => {},
      pause: () => {},
      close: () => {},
    }),
  });
  await client.init();
});
afterEach(() => {
  client.dispose();
  world.end();
  vi.useRealTimers();
});

/** What a page does before it gives way to others: a closed one comes no further. */
async function lastBreath(): Promise<void> {
  for (let turns = 0; turns < 30; turns += 1) await Promise.resolve();
}

/** Another page of this device has left this in the journal, and is gone. */
function leave(
  value: JsonObject,
  { isUpdate, ...how }: Pick<JournalItem, 'version' | 'before' | 'isAsked'> & { isUpdate?: true },
): void {
  const userId = client.auth.userId as string;
  const writes = [{ id: 'of-a-page-that-is-gone', value, isUpdate }] as const;
  createJournal(storage, homeKeys(world.service.gameId, 0).journal).put({
    userId,
    name: 'progress\nmain',
    writes,
    ...how,
  });
}

const progress = () => client.profile.collection('progress');

it('sends before the page is gone, by requests that outlive it', async () => {
  void progress().set('main', { level: 1 });
  void progress().set('other', { level: 2 });
  hide();
  await lastBreath();
  expect(asked.map(({ url, keepalive }) => [/(\w+)\?/.exec(url)?.[1], keepalive])).toEqual([
    ['main', true],
    ['other', true],
  ]);
});

it('leaves the service alone where that asks a hidden page for it', async () => {
  holdTime();
  const passOn = answer;
  answer = async (request, count) =>
    count > 1 ? passOn(request, count) : new Response('', { status: 503, headers: { 'retry-after': '600' } });
  void progress().set('main', { level: 1 });
  hide();
  await pass(590_000);
  expect(asked).toHaveLength(1);
  await pass(60_000);
  expect(asked).toHaveLength(2);
  expect(client.profile.status).toBe('synced');
});

it('lets no large value outlive the page: there is room for little, and none of it would be sent', async () => {
  void progress().set('main', { text: 'x'.repeat(30_000) });
  hide();
  await lastBreath();
  expect(asked.map(({ keepalive }) => keepalive)).toEqual([false]);
});

it('is known for its own afterwards, and not sent again', async () => {
  void progress().set('main', { level: 1 });
  hide();
  await until(() => client.profile.status === 'synced');
  await client.profile.flush();
  expect(asked).toHaveLength(1);
  expect(progress().entries()).toEqual([{ key: 'main', value: { level: 1 }, version: 0 }]);
});

it('goes on from what was set after it', async () => {
  void progress().set('main', { level: 1 });
  hide();
  void progress().set('main', { level: 2 });
  await client.profile.flush();
  await quiet();
  expect(progress().entries()).toEqual([{ key: 'main', value: { level: 2 }, version: 1 }]);
});

it('counts an update once that is under way already', async () => {
  const add = (value: { [field: string]: unknown } | undefined) => ({ coins: Number(value?.['coins'] ?? 0) + 1 });
  answer = async (request, count) => {
    const answered = await world.backend.fetch(request);
    if (count > 1) return answered;
    // What is under way outlives the page by itself; its answer is lost.
    hide();
    throw new TypeError('Failed to fetch');
  };
  await progress().update('main', add);
  await client.profile.flush();
  expect((await progress().load())[0]?.value).toEqual({ coins: 1 });
});

it('leaves behind what the device does not have yet, and the next page sends it', async () => {
  answer = () => new Promise(() => {});
  void progress().set('main', { level: 1 });
  hide();
  // The page comes no further: its home has not got the value.
  const left = createMemoryStorage(new Map(storage.values));
  const next = await world.player({ storage: left });
  await until(() => next.profile.collection('progress').get('main') !== undefined);
  await next.profile.flush();
  const [entry] = await next.profile.collection('progress').load();
  expect([entry?.value, entry?.version]).toEqual([{ level: 1 }, 0]);
});

it('sends nothing where nobody is signed in, or nothing is owed', async () => {
  hide();
  await client.auth.signOut();
  hide();
  expect(asked).toEqual([]);
});

it('leaves to another tab what that has set: it would take it for the write of another device', async () => {
  answer = () => new Promise(() => {});
  const other = await world.player({ storage });
  world.backend.control.fail({ route: 'updateEntry', with: 'slow' });
  await other.profile.collection('progress').set('main', { level: 1 });
  hear();
  await until(() => asked.length === 1);
  hide();
  await lastBreath();
  expect(asked).toHaveLength(1);
});

// A page that goes is hidden twice, by `pagehide` and by `visibilitychange`; another one, whenever it is left and seen again.
it.each([2, 3])('counts once what could not be stored, and was left %d times', async (times) => {
  const options = { merge: { coins: 'sum' } } as const;
  const purse = client.profile.collection('progress', options);
  await purse.set('main', { coins: 10 });
  await client.profile.flush();
  await client.setNetwork('off');
  const room = createMemoryStorage(storage.values);
  storage.setItem = (key, text) => {
    if (key.includes(':entry:')) throw new DOMException('full', 'QuotaExceededError');
    room.setItem(key, text);
  };
  void purse.update('main', (value) => ({ coins: Number(value?.['coins']) + 5 }));
  for (let left = 0; left < times; left += 1) {
    hide();
    await quiet();
  }
  // The page is gone, and there is room again.
  const next = world.client({ storage: room });
  const found = next.profile.collection('progress', options);
  await next.init();
  await until(() => [...storage.values.keys()].every((key) => !key.endsWith(':journal')));
  await next.profile.flush();
  expect((await found.load())[0]?.value).toEqual({ coins: 15 });
});

it('leaves a page that the next one starts after, on a disk that is still full', async () => {
  const options = { merge: { coins: 'sum' } } as const;
  const purse = client.profile.collection('progress', options);
  await purse.set('main', { coins: 10 });
  await client.profile.flush();
  await client.setNetwork('off');
  const { setItem } = storage;
  let isFull = true;
  storage.setItem = (key, text) => {
    if (isFull && key.includes(':entry:')) throw new DOMException('full', 'QuotaExceededError');
    setItem(key, text);
  };
  void purse.update('main', (value) => ({ coins: Number(value?.['coins']) + 5 }));
  hide();
  await quiet();
  client.dispose();
  const next = world.client({ storage });
  const found = next.profile.collection('progress', options);
  expect((await next.init()).success).toBe(true);
  expect([next.storage.isFailing, found.get('main')]).toEqual([true, { coins: 10 }]);
  isFull = false;
  await until(() => found.get('main')?.['coins'] === 15);
  next.dispose();
});

it('counts as unsent what a page of this device has left, until the service has it', async () => {
  leave({ level: 3 }, { version: -1, before: undefined, isAsked: false });
  expect([client.profile.status, progress().status]).toEqual(['saving', 'saving']);
  expect(client.profile.collection('other').status).toBe('synced');
  await progress().flush();
  expect((await progress().load())[0]?.value).toEqual({ level: 3 });
  expect(client.profile.status).toBe('synced');
});

it('says why what a page of this device has left cannot be sent', async () => {
  await progress().set('main', { level: 1 });
  await client.profile.flush();
  leave({ level: 3 }, { version: 7, before: { level: 1 }, isAsked: true });
  answer = async () => Response.error();
  await expect(client.profile.flush()).rejects.toMatchObject({ code: 'network' });
  expect(client.profile.status).not.toBe('synced');
  answer = (request) => world.backend.fetch(request);
  await client.profile.flush();
  expect((await progress().load())[0]?.value).toEqual({ level: 3 });
});

it('holds what a page of this device has left and the service refuses, until the game gives it up', async () => {
  await progress().set('main', { level: 1 });
  await client.profile.flush();
  leave({ level: 3 }, { version: 7, before: { level: 1 }, isAsked: true });
  world.backend.control.fail({ route: 'updateEntry', with: { status: 403, code: 'wrong_env' }, times: 20 });
  await expect(client.profile.flush()).rejects.toMatchObject({ code: 'wrong_env' });
  expect(progress().held()).toMatchObject([{ key: 'main', code: 'wrong_env' }]);
  expect(await progress().discard('main')).toEqual({ level: 1 });
  expect(client.profile.status).toBe('synced');
});

it('lets what waited for an entry go on, also where another tab gives that up while this one does', async () => {
  const { control } = world.backend;
  await progress().set('main', { level: 1 });
  await client.profile.flush();
  control.fail({ route: 'updateEntry', with: { status: 403, code: 'wrong_env' }, times: 1 });
  await progress().set('main', { level: 3 });
  await expect(client.profile.flush()).rejects.toMatchObject({ code: 'wrong_env' });
  leave({ level: 9 }, { version: 0, before: { level: 1 }, isAsked: false, isUpdate: true });
  hear();
  await quiet();
  control.fail({ route: 'addSnapshot', with: 'slow' });
  const given = progress().discard('main');
  await until(() => control.requests.some(({ route }) => route?.endsWith('/snapshots') === true));
  for (const [key, text] of storage.values) {
    if (text.includes('"local"')) storage.values.set(key, JSON.stringify(discard(JSON.parse(text))));
  }
  control.release();
  await given;
  await until(() => client.profile.status === 'synced');
  expect(await progress().load()).toMatchObject([{ value: { level: 9 } }]);
});

it('keeps what is set while the game gives an entry up', async () => {
  const { control } = world.backend;
  await progress().set('main', { level: 1 });
  await client.profile.flush();
  control.fail({ route: 'updateEntry', with: { status: 403, code: 'wrong_env' }, times: 20 });
  await progress().set('main', { level: 3 });
  await expect(client.profile.flush()).rejects.toMatchObject({ code: 'wrong_env' });
  control.fail({ route: 'addSnapshot', with: 'slow' });
  const given = progress().discard('main');
  await until(() => control.requests.some(({ route }) => route?.endsWith('/snapshots') === true));
  await progress().set('main', { level: 9 });
  control.release();
  await given;
  expect(progress().get('main')).toEqual({ level: 1 });
  expect(await client.account.snapshots()).toHaveLength(2);
});
