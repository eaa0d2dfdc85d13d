import type { Client, ClientConfig, JsonObject } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import { send } from '../../support/service.js';
import { createWorld, holdTime, pass, type World } from '../world.js';

/** As a client's requests are sent where nothing goes wrong. */
const ask = (request: Request): Promise<Response> => (world.config().fetch as typeof fetch)(request);

/** What the page hears of itself. */
interface Page {
  wake(): void;
  seen(isSeen: boolean): void;
}

let world: World;
let pages: Page[];
beforeEach(() => {
  holdTime();
  world = createWorld();
  pages = [];
  const { tabs } = world.platform;
  world.platform.tabs = (prefix) => {
    const own = tabs(prefix);
    return {
      ...own,
      listen: (handlers) => {
        pages.push(handlers);
        own.listen(handlers);
      },
    };
  };
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

/** A player with a saved entry, and how the game's back end writes there. */
async function playing(options: Partial<ClientConfig> = {}) {
  const client = await world.player(options);
  const progress = client.profile.collection('progress');
  void progress.set('main', { level: 1 });
  await saved(client);
  world.sent.length = 0;
  return { client, progress, elsewhere: (value: JsonObject, at?: string) => writeElsewhere(client, value, at) };
}

async function saved(client: Client): Promise<void> {
  const flushed = client.profile.flush();
  await pass(1_000);
  await flushed;
}

async function writeElsewhere(client: Client, value: JsonObject, at = 'progress/main'): Promise<void> {
  const { service } = world;
  const [collection = '', key = ''] = at.split('/');
  const user = client.auth.userId ?? '';
  const path = pathOf(operations.updateUserEntry, { game: service.gameId, user, collection, key });
  const body = { value, version: -1 };
  const { status } = await send(service, `${path}?env=0`, { method: 'PATCH', token: service.privateKey, body });
  expect(status).toBe(200);
}

/** The requests since the last look, each by the end of its path. */
function asked(): string[] {
  return world.sent.splice(0).map(({ path }) => path.split('/').at(-1) ?? '');
}

describe('a profile that is followed', () => {
  it('has what others write within five seconds, and tells of it', async () => {
    const { client, progress, elsewhere } = await playing();
    const heard: unknown[] = [];
    progress.onChange(({ key, value }) => void heard.push([key, value]));
    client.profile.follow();
    await pass(1_000);
    await elsewhere({ level: 8 });
    await elsewhere({ level: 2 }, 'progress/second');
    await pass(5_000);
    expect([progress.get('main'), progress.get('second')]).toEqual([{ level: 8 }, { level: 2 }]);
    expect(heard).toEqual([
      ['main', { level: 8 }],
      ['second', { level: 2 }],
    ]);
  });

  it('asks one small question at a time, and reads only the open collections that have something new', async () => {
    const { client, elsewhere } = await playing();
    client.profile.collection('settings');
    client.profile.follow();
    await pass(10_000);
    expect(asked()).toEqual(['collections', 'collections', 'collections']);
    await elsewhere({ level: 8 });
    await elsewhere({ level: 8 }, 'other/main');
    await pass(8_000);
    expect(asked()).toEqual(['collections', 'progress', 'collections']);
  });

  it('reads nothing again for what this device has written itself', async () => {
    const { client, progress } = await playing();
    client.profile.follow();
    await pass(500);
    for (const level of [2, 3, 4]) {
      void progress.set('main', { level });
      await saved(client);
    }
    await pass(8_000);
    expect(asked()).not.toContain('progress');
  });

  it('reads once what a save that waits rests on no longer, and loses neither', async () => {
    let takesWrites = true;
    const { client, progress, elsewhere } = await playing({
      fetch: async (request) => {
        const isRefused = !takesWrites && request.method === 'PATCH';
        return isRefused ? new Response('', { status: 503 }) : ask(request);
      },
    });
    client.profile.collection('progress', { merge: { level: 'max', coins: 'sum' } });
    takesWrites = false;
    void progress.set('main', { level: 1, coins: 5 });
    await elsewhere({ level: 9 });
    client.profile.follow();
    await pass(30_000);
    expect(asked().filter((path) => path === 'progress')).toHaveLength(1);
    takesWrites = true;
    await pass(60_000);
    await saved(client);
    expect(progress.get('main')).toEqual({ level: 9, coins: 5 });
  });

  it('asks nothing while nobody sees the page, and at once when it is seen again', async () => {
    const { client, progress, elsewhere } = await playing();
    client.profile.follow();
    await pass(1_000);
    pages[0]?.seen(false);
    asked();
    await elsewhere({ level: 8 });
    await pass(60_000);
    expect(asked()).toEqual([]);
    pages[0]?.seen(true);
    await pass(100);
    expect(progress.get('main')).toEqual({ level: 8 });
  });

  it('asks nothing where a page that nobody sees gets its network back, and at once where it can be seen', async () => {
    const { client } = await playing();
    client.profile.follow();
    await pass(100);
    pages[0]?.seen(false);
    asked();
    pages[0]?.wake();
    await pass(60_000);
    expect(asked()).not.toContain('collections');
    pages[0]?.seen(true);
    await pass(100);
    asked();
    pages[0]?.wake();
    await pass(100);
    expect(asked()).toContain('collections');
  });

  it('stops where the page is hidden while the service answers', async () => {
    const { client } = await playing({
      fetch: (request) => {
        if (request.url.includes('/collections?')) pages[0]?.seen(false);
        return ask(request);
      },
    });
    client.profile.follow();
    await pass(60_000);
    expect(asked()).toEqual(['collections']);
  });

  it('gives up what it asks of an account that is left', async () => {
    let given: AbortSignal | undefined;
    const { client } = await playing({
      fetch: (request) => {
        if (!request.url.includes('/collections?')) return ask(request);
        given = request.signal;
        return new Promise((_, reject) => given?.addEventListener('abort', () => reject(given?.reason)));
      },
    });
    client.profile.follow();
    await pass(100);
    expect(given?.aborted).toBe(false);
    const signedOut = client.auth.signOut();
    await pass(1_000);
    await signedOut;
    expect(given?.aborted).toBe(true);
    expect(world.reported).toEqual([]);
    const signedIn = client.auth.withName('ada', 'correct horse');
    await pass(1_000);
    await signedIn;
    given = undefined;
    await pass(5_000);
    expect(given).toBeDefined();
    client.dispose();
    await pass(100);
    expect((given as AbortSignal | undefined)?.aborted).toBe(true);
  });

  it('asks nothing of an account while a choice that leaves it is carried out, and follows the one that comes', async () => {
    const owner = await playing();
    const linked = owner.client.auth.withName('ada', 'correct horse');
    await pass(1_000);
    await linked;
    let answer = (): void => {};
    const { client, progress } = await playing({
      fetch: async (request) => {
        if (request.url.includes('/auth/conflict')) await new Promise<void>((resolve) => (answer = resolve));
        return ask(request);
      },
    });
    void progress.set('main', { level: 7 });
    await saved(client);
    client.profile.follow();
    client.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
    const called = client.auth.withName('ada', 'correct horse');
    await pass(1_000);
    asked();
    await pass(5_000);
    pages.at(-1)?.seen(true);
    await pass(4_000);
    expect(asked()).toEqual([]);
    answer();
    await pass(1_000);
    expect(await called).toMatchObject({ userId: owner.client.auth.userId });
    await owner.elsewhere({ level: 9 });
    await pass(5_000);
    expect(progress.get('main')).toEqual({ level: 9 });
    expect(world.reported).toEqual([]);
  });

  it('asks less often while that fails, costs no session, and goes on', async () => {
    let isDown = false;
    const { client, progress, elsewhere } = await playing({
      fetch: async (request) => {
        if (isDown && request.url.includes('/collections?')) {
          asks += 1;
          return new Response('', { status: 500 });
        }
        return ask(request);
      },
    });
    let asks = 0;
    client.profile.follow();
    await pass(1_000);
    isDown = true;
    await pass(300_000);
    expect(asks).toBeGreaterThan(3);
    expect(asks).toBeLessThan(40);
    await elsewhere({ level: 8 });
    isDown = false;
    await pass(61_000);
    expect(progress.get('main')).toEqual({ level: 8 });
    expect(client.auth.userId).not.toBeNull();
    expect(world.reported).toEqual([]);
  });

  it('is asked for as long as somebody follows, and as often as the one who asks most', async () => {
    const { client } = await playing();
    const ends = [client.profile.follow({ everyMs: 60_000 }), client.profile.follow({ everyMs: 1_000 })];
    await pass(500);
    asked();
    await pass(3_000);
    expect(asked()).toHaveLength(3);
    ends[1]?.();
    ends[1]?.();
    await pass(1_000);
    asked();
    await pass(30_000);
    expect(asked()).toEqual([]);
    await pass(40_000);
    expect(asked()).toEqual(['collections']);
    ends[0]?.();
    await pass(120_000);
    expect(asked()).toEqual([]);
    client.profile.follow();
    await pass(100);
    client.dispose();
    asked();
    await pass(120_000);
    expect(asked()).toEqual([]);
  });

  it('asks nothing where nobody is signed in, and follows whoever comes', async () => {
    const { client } = await playing();
    const signedOut = client.auth.signOut();
    await pass(1_000);
    await signedOut;
    client.profile.follow();
    asked();
    await pass(20_000);
    expect(asked()).toEqual([]);
    const signedIn = client.auth.withName('ada', 'correct horse');
    await pass(1_000);
    await signedIn;
    await writeElsewhere(client, { level: 8 });
    await pass(5_000);
    expect(client.profile.collection('progress').get('main')).toEqual({ level: 8 });
  });

  it.each([0, 999, Number.NaN, '5000'])('takes no pause of %j', async (everyMs) => {
    const { client } = await playing();
    expect(() => client.profile.follow({ everyMs: everyMs as number })).toThrow(TypeError);
    await pass(10_000);
    expect(asked()).toEqual([]);
  });
});
