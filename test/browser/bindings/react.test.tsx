/** @jsxImportSource react */
import './with-refresh.js';
import { type ReactNode, StrictMode, Suspense } from 'react';
import { flushSync } from 'react-dom';
import { createRoot, hydrateRoot, type Root } from 'react-dom/client';
import { renderToString } from 'react-dom/server';
import { performReactRefresh, register } from 'react-refresh/runtime';
import { type Client, Main } from 'savepoint';
import { SavepointProvider, useAccount, useClient, useConflict, useSave, useSyncStatus } from 'savepoint/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { countListeners, linkAda, openGameWorld, type Progress } from './game-world.js';

const world = openGameWorld();
let roots: Root[] = [];
let complaints: unknown[][] = [];

beforeEach(() => {
  complaints = [];
  vi.spyOn(console, 'error').mockImplementation((...said) => void complaints.push(said));
});
afterEach(() => {
  for (const root of roots) root.unmount();
  roots = [];
  Main.Dispose();
  vi.restoreAllMocks();
  expect(complaints).toEqual([]);
});

function show(node: ReactNode, options?: Parameters<typeof createRoot>[1]): Root {
  const root = createRoot(world.place, options);
  roots.push(root);
  flushSync(() => root.render(node));
  return root;
}

/** Waits until the page says this. */
const see = (text: string | RegExp) =>
  vi.waitFor(() => expect(world.place.textContent).toMatch(text), { timeout: 5_000, interval: 5 });
const press = (name: string) =>
  flushSync(() => world.place.querySelector<HTMLButtonElement>(`button[name="${name}"]`)?.click());

function Coins({ save = 'main', by = 1 }: { save?: string; by?: number }) {
  const { value, status, set, update } = useSave<Progress>('progress', save);
  return (
    <p>
      {save}: {value?.coins ?? 'none'}, {status}.
      <button
        type="button"
        name="collect"
        onClick={() => void update((before) => ({ coins: (before?.coins ?? 0) + by }))}
      />
      <button type="button" name="spend" onClick={() => void set({ coins: 0 })} />
    </p>
  );
}

const game = (client: Client, node: ReactNode = <Coins />) => (
  <SavepointProvider client={client}>{node}</SavepointProvider>
);

describe('useSave', () => {
  it('starts the client, shows what the account has, and saves', async () => {
    const owner = await linkAda(world, 7);
    const client = world.client();
    show(game(client));
    expect(world.place.textContent).toBe('main: none, loading.');
    await see('main: none, synced.');
    await client.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' });
    await see('main: 7, synced.');
    press('collect');
    expect(world.place.textContent).toMatch('main: 8, saving.');
    await see('main: 8, synced.');
    expect((await owner.profile.collection('progress').load())[0]?.value).toEqual({ coins: 8 });
  });

  it('says that a save is loading until the service has said what there is', async () => {
    const storage = new Map<string, string>();
    const device = {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => void storage.set(key, value),
      removeItem: (key: string) => void storage.delete(key),
    };
    const first = world.client({ storage: device });
    await first.init();
    first.dispose();
    let answer = (): void => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const client = world.client({
      storage: device,
      fetch: async (request) => {
        await held;
        return world.service.fetch(request);
      },
    });
    show(game(client));
    await client.init();
    expect(world.place.textContent).toBe('main: none, loading.');
    answer();
    await see('main: none, synced.');
  });

  it('goes on with what this device has where the service cannot be reached', async () => {
    world.goOffline();
    const client = world.client({ timeoutMs: 50 });
    show(game(client));
    await client.init();
    await see('main: none, synced.');
    press('collect');
    await see('main: 1, offline.');
    world.comeBack();
    await client.setNetwork('on');
    await see('main: 1, synced.');
  });

  it('asks the service once for a collection, however many components watch it', async () => {
    const client = await world.player(3);
    const before = world.asked().length;
    show(game(client, [<Coins key="1" />, <Coins key="2" />, <Coins key="3" save="other" />]));
    await see('other: none, synced.');
    expect(world.place.textContent).toBe('main: 3, synced.main: 3, synced.other: none, synced.');
    expect(world.asked().slice(before)).toEqual([expect.stringMatching(/^GET .*\/progress$/)]);
  });

  it('shows two components the same save, and neither overwrites the other', async () => {
    const client = await world.player(1);
    show(game(client, [<Coins key="1" />, <Coins key="2" by={10} />]));
    const buttons = [...world.place.querySelectorAll<HTMLButtonElement>('button[name="collect"]')];
    for (const button of buttons) button.click();
    await see(/^main: 12, \w+\.main: 12, \w+\.$/);
  });

  it('follows its key', async () => {
    const client = await world.player(1);
    const root = show(game(client));
    flushSync(() => root.render(game(client, <Coins save="other" />)));
    await see('other: none, synced.');
    press('collect');
    expect(client.profile.collection('progress').get('other')).toEqual({ coins: 1 });
    expect(client.profile.collection('progress').get('main')).toEqual({ coins: 1 });
  });

  it('takes a collection with a schema, and has its types', async () => {
    const client = await world.player();
    const progress = client.profile.collection<Progress>('progress', { merge: { coins: 'max' } });
    function Typed() {
      const { value, update } = useSave(progress, 'main');
      return (
        <button type="button" name="double" onClick={() => void update((save) => ({ coins: (save?.coins ?? 1) * 2 }))}>
          {value?.coins}
        </button>
      );
    }
    show(game(client, <Typed />));
    press('double');
    await see(/^2$/);
  });

  it('gives a component the same functions each time', async () => {
    const client = await world.player(1);
    const seen = new Set<unknown>();
    function Seen() {
      const { value, set, update } = useSave<Progress>('progress', 'main');
      seen.add(set).add(update);
      return value?.coins;
    }
    show(game(client, <Seen />));
    await client.profile.collection('progress').set('main', { coins: 2 });
    await see(/^2$/);
    expect(seen.size).toBe(2);
  });

  it('shows the saves of the account that is here, where that changes', async () => {
    await linkAda(world, 50);
    const client = await world.player(1);
    show(game(client));
    await see('main: 1, synced.');
    await client.auth.signOut();
    await see('main: none, synced.');
    await client.auth.withName('ada', 'correct horse');
    await see('main: 50, synced.');
  });

  it('is unmounted in the middle of a request without a word, and the save arrives', async () => {
    const client = await world.player(1);
    const root = show(game(client));
    press('collect');
    flushSync(() => root.unmount());
    await client.profile.flush();
    expect((await client.profile.collection('progress').load())[0]?.value).toEqual({ coins: 2 });
  });

  it('shows no component another value than its neighbour, though it changes while they are rendered', async () => {
    const client = await world.player(1);
    const progress = client.profile.collection<Progress>('progress');
    const pairs: (number | undefined)[][] = [];
    let isDue = true;
    function First() {
      return <b>{useSave<Progress>('progress', 'main').value?.coins},</b>;
    }
    function Changing() {
      if (isDue) void progress.set('main', { coins: 2 });
      isDue = false;
      return null;
    }
    show(game(client, [<First key="1" />, <Changing key="2" />, <First key="3" />]));
    pairs.push([...world.place.querySelectorAll('b')].map((one) => Number.parseInt(one.textContent ?? '', 10)));
    expect(pairs).toEqual([[2, 2]]);
    complaints = complaints.filter(([text]) => !String(text).includes('Cannot update a component'));
  });
});

describe('in StrictMode', () => {
  it('nobody listens any more after the last component has gone', async () => {
    const client = await world.player(1);
    const listeners = countListeners(client);
    function All() {
      return `${useAccount().state} ${useSyncStatus()} ${useConflict()}`;
    }
    const root = show(<StrictMode>{game(client, [<All key="1" />, <Coins key="2" />, <Coins key="3" />])}</StrictMode>);
    await see('main: 1, synced.');
    expect(listeners()).toBeGreaterThan(4);
    flushSync(() => root.render(<StrictMode>{game(client, <Coins />)}</StrictMode>));
    expect(listeners()).toBeGreaterThan(0);
    flushSync(() => root.unmount());
    expect(listeners()).toBe(0);
  });

  it('a client starts once, and asks once', async () => {
    const client = world.client();
    show(<StrictMode>{game(client)}</StrictMode>);
    await see('main: none, synced.');
    expect(world.asked().filter((one) => one.includes('/auth/'))).toHaveLength(1);
    expect(world.asked().filter((one) => one.endsWith('/progress'))).toHaveLength(1);
  });

  it('one press is one change', async () => {
    const client = await world.player(1);
    show(<StrictMode>{game(client)}</StrictMode>);
    press('collect');
    await see('main: 2, synced.');
  });
});

describe('Suspense', () => {
  function Loaded() {
    const { value, status } = useSave<Progress>('progress', 'main', { suspense: true });
    return `${value?.coins ?? 'new'}, ${status}.`;
  }
  const waiting = (
    <Suspense fallback="Loading …">
      <Loaded />
    </Suspense>
  );

  it('shows the fallback until the save is there', async () => {
    const client = world.client();
    show(<StrictMode>{game(client, waiting)}</StrictMode>);
    expect(world.place.textContent).toBe('Loading …');
    await see('new, synced.');
    await client.profile.collection('progress').set('main', { coins: 4 });
    await see('4, synced.');
  });

  it('does not wait for the service where this device has the save', async () => {
    const client = await world.player(9);
    world.goOffline();
    show(game(client, waiting));
    expect(world.place.textContent).toBe('9, synced.');
  });

  it('leaves no listener behind where the component never came', async () => {
    const client = world.client();
    const listeners = countListeners(client);
    const root = show(game(client, waiting));
    flushSync(() => root.unmount());
    await client.init();
    await vi.waitFor(() => expect(listeners()).toBe(0));
  });

  it('is left to the page by a server, which renders the fallback and asks nobody', async () => {
    const client = world.client();
    expect(renderToString(game(client, waiting))).toContain('Loading …');
    expect(world.asked()).toEqual([]);
  });
});

describe('rendered on a server', () => {
  const all = (client: Client) => game(client, [<Coins key="1" />, <Who key="2" />]);
  function Who() {
    const { state, userId } = useAccount();
    return `${state} ${String(userId)} ${useSyncStatus()} ${useConflict() === null}`;
  }

  it('asks nobody, and the page takes it over as it is', async () => {
    const html = renderToString(all(world.client()));
    expect(world.asked()).toEqual([]);
    world.place.innerHTML = html;
    expect(world.place.textContent).toBe('main: none, loading.starting null synced true');
    // This client has its data already, which the server's text has not.
    const client = await world.player(6);
    const recovered = vi.fn();
    roots.push(hydrateRoot(world.place, all(client), { onRecoverableError: recovered }));
    await see(/^main: 6, synced\.guest [0-9a-f-]+ synced true$/);
    expect(recovered).not.toHaveBeenCalled();
  });

  it('needs no client, as it is before Main.Init', () => {
    expect(renderToString([<Coins key="1" />, <Who key="2" />])).toContain('loading');
  });
});

describe('useConflict', () => {
  function Dialog() {
    const conflict = useConflict();
    if (conflict === null) return 'no conflict';
    return (
      <dialog open>
        {conflict.local.entries} or {conflict.cloud.entries}
        <button type="button" name="cloud" onClick={() => void conflict.resolve('cloud')} />
        <button type="button" name="cancel" onClick={() => void conflict.resolve('cancel')} />
      </dialog>
    );
  }

  it('opens by itself, and the call waits for the choice', async () => {
    await linkAda(world, 50);
    const client = await world.player(1);
    show(game(client, [<Dialog key="1" />, <Coins key="2" />]));
    const linking = client.auth.withName('ada', 'correct horse');
    await see('1 or 1');
    press('cloud');
    expect(await linking).toMatchObject({ success: true });
    await see('no conflictmain: 50, synced.');
  });

  it('shows one that was open before it was mounted, and one that has ended no more', async () => {
    await linkAda(world, 50);
    const client = await world.player(1);
    expect(await client.auth.withName('ada', 'correct horse')).toMatchObject({ error: { code: 'conflict_unhandled' } });
    show(game(client, <Dialog />));
    await see('1 or 1');
    press('cancel');
    await see('no conflict');
  });
});

describe('the client', () => {
  function Who() {
    return `${useClient().auth.userId}`;
  }

  it('is the one of Main.Init where no provider is above', async () => {
    const { gameId, baseUrl, fetch } = world.service;
    const ready = await Main.Init({ GameId: gameId, Environment: 0, BaseUrl: baseUrl, Fetch: fetch });
    show([<Who key="1" />, <Coins key="2" />]);
    await see(`${ready.Success && ready.UserId}main: none, synced.`);
  });

  it.each([
    ['useSave', () => useSave('progress', 'main')],
    ['useAccount', useAccount],
    ['useSyncStatus', useSyncStatus],
    ['useConflict', useConflict],
    ['useClient', useClient],
  ])('is missed by %s in a typed error that says what to do', async (_, hook) => {
    function Lost() {
      hook();
      return null;
    }
    const caught = vi.fn();
    show(<Lost />, { onUncaughtError: caught });
    expect(caught).toHaveBeenCalledWith(
      expect.objectContaining({ code: 'not_initialised', message: expect.stringContaining('SavepointProvider') }),
      expect.anything(),
    );
  });

  it('refuses a key that cannot be stored, and a name', async () => {
    const client = await world.player();
    function Lost({ collection, save }: { collection: string; save: string }) {
      return useSave(collection, save).status;
    }
    for (const [collection, save] of [
      ['progress', ''],
      ['', 'main'],
    ] as const) {
      const caught = vi.fn();
      show(game(client, <Lost collection={collection} save={save} />), { onUncaughtError: caught });
      expect(caught).toHaveBeenCalledWith(expect.any(TypeError), expect.anything());
      roots.pop()?.unmount();
    }
  });
});

describe('hot reload', () => {
  it('of a component starts no second client, listens once, and loses no value', async () => {
    const client = world.client();
    const listeners = countListeners(client);
    register(Coins, 'coins');
    show(game(client));
    await see('main: none, synced.');
    press('collect');
    await see('main: 1, synced.');
    const before = listeners();
    function Edited() {
      const { value, update } = useSave<Progress>('progress', 'main');
      return (
        <button type="button" name="collect" onClick={() => void update((save) => ({ coins: (save?.coins ?? 0) + 5 }))}>
          edited: {value?.coins}
        </button>
      );
    }
    register(Edited, 'coins');
    performReactRefresh();
    await see('edited: 1');
    expect(listeners()).toBe(before);
    press('collect');
    await see('edited: 6');
    expect(world.asked().filter((one) => one.includes('/auth/'))).toHaveLength(1);
  });
});
