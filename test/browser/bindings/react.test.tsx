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
import { describeBinding, seeing } from './binding-contract.js';
import { countListeners, openGameWorld, type Progress } from './game-world.js';

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

const see = seeing(world);
const press = (name: string) =>
  flushSync(() => {
    for (const button of world.place.querySelectorAll<HTMLButtonElement>(`button[name="${name}"]`)) button.click();
  });

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

function Who() {
  const { state, userId } = useAccount();
  const sync = useSyncStatus();
  const conflict = useConflict();
  return (
    <section>
      {state} {String(userId)} {sync} {String(conflict === null)}
      {conflict !== null && (
        <dialog open>
          {conflict.local.entries} or {conflict.cloud.entries}
          <button type="button" name="cloud" onClick={() => void conflict.resolve('cloud')} />
        </dialog>
      )}
    </section>
  );
}

const parts = { coins: Coins, who: Who };

describeBinding(world, {
  show: (components, client) => {
    const nodes = components.map((name, index) => {
      const Part = parts[name];
      return <Part key={String(index)} />;
    });
    const root = show(client === undefined ? nodes : game(client, nodes));
    return () => flushSync(() => root.unmount());
  },
  press,
  caught: (hook) => {
    function Lost() {
      hook();
      return null;
    }
    const caught = vi.fn();
    show(<Lost />, { onUncaughtError: caught });
    roots.pop()?.unmount();
    return caught.mock.lastCall?.[0];
  },
  hooks: { useSave, useAccount, useSyncStatus, useConflict, useClient },
  wayOut: 'SavepointProvider',
});

describe('useSave', () => {
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
