import { type Client, Main } from 'savepoint';
import { useAccount, useClient, useConflict, useSave, useSyncStatus } from 'savepoint/svelte';
import { type Component, flushSync, hydrate, mount, unmount } from 'svelte';
import { HMR } from 'svelte/internal/client';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeBinding, seeing, textOf } from './binding-contract.js';
import { countListeners, openGameWorld } from './game-world.js';
import Both from './svelte/both.svelte';
import Coins from './svelte/coins.svelte';
import Edited from './svelte/edited.svelte';
import Game from './svelte/game.svelte';
import Loaded from './svelte/loaded.svelte';
import Lost from './svelte/lost.svelte';
import Who from './svelte/who.svelte';
import { serverPage } from './svelte-page.js';

const world = openGameWorld();
let games: object[] = [];
let complaints: unknown[][] = [];

beforeEach(() => {
  complaints = [];
  vi.spyOn(console, 'warn').mockImplementation((...said) => void complaints.push(said));
});
afterEach(async () => {
  for (const game of games) await unmount(game);
  games = [];
  Main.Dispose();
  vi.restoreAllMocks();
  expect(complaints).toEqual([]);
});

function show(Shown: Component, client?: Client, props: object = {}, put: typeof mount = mount): object {
  const game = put(Game, { target: world.place, props: { client, Shown, ...props } });
  games.push(game);
  flushSync();
  return game;
}

async function end(game: object): Promise<void> {
  games = games.filter((one) => one !== game);
  await unmount(game);
}

const text = (): string => textOf(world);
const see = seeing(world);

function press(name: string): void {
  for (const button of world.place.querySelectorAll<HTMLButtonElement>(`button[name="${name}"]`)) button.click();
  flushSync();
}

const parts = { coins: Coins, who: Who };

describeBinding(world, {
  show: (components, client) => {
    const shown = components.map((name) => show(parts[name], client));
    return async () => void (await Promise.all(shown.map(end)));
  },
  press,
  caught: (hook) => {
    try {
      show(Lost, undefined, { hook });
      return undefined;
    } catch (error) {
      return error;
    }
  },
  hooks: { useSave, useAccount, useSyncStatus, useConflict, useClient },
  wayOut: 'setClient',
});

describe('useSave', () => {
  it("is a store that Svelte's own line writes to", async () => {
    const client = await world.player(3);
    show(Coins, client);
    expect(text()).toBe('main: 3, synced.');
    press('double');
    expect(client.profile.collection('progress').get('main')).toEqual({ coins: 6 });
    press('double');
    await see('main: 12, synced.');
    press('replace');
    await see('main: 100, synced.');
    expect((await client.profile.collection('progress').load())[0]?.value).toEqual({ coins: 100 });
  });

  it('takes back what was written into it and cannot be saved', async () => {
    const client = await world.player(3);
    show(Coins, client);
    const failed = vi.fn();
    window.addEventListener('error', failed, { once: true, capture: true });
    window.addEventListener('error', (event) => event.preventDefault(), { once: true });
    try {
      press('spoil');
    } catch (error) {
      failed(error);
    }
    expect(failed).toHaveBeenCalledOnce();
    expect(text()).toBe('main: 3, synced.');
    expect(client.profile.collection('progress').get('main')).toEqual({ coins: 3 });
  });

  it('shows two components the same save, and neither writes into what the other shows', async () => {
    const client = await world.player(1);
    show(Coins, client);
    show(Coins, client);
    press('double');
    await see(/^main: 4, synced\. main: 4, synced\.$/);
  });

  it('is waited for by {#await}', async () => {
    const client = world.client();
    show(Loaded, client);
    expect(text()).toBe('Loading …');
    await see('new.');
  });
});

it("a page takes a server's text over as it is", async () => {
  world.place.innerHTML = serverPage;
  const before = world.place.querySelector('button');
  show(Both, world.client(), {}, hydrate as typeof mount);
  expect(world.place.querySelector('button')).toBe(before);
  expect(text()).toBe('main: none, loading. starting synced true');
  await see(/^main: none, synced\. guest [0-9a-f-]+ synced true$/);
});

it('a hot reload starts no second client, listens once, and loses no value', async () => {
  const client = world.client();
  const listeners = countListeners(client);
  show(Coins, client);
  await see('main: none, synced.');
  press('collect');
  await see('main: 1, synced.');
  const before = listeners();
  const hot = Coins as unknown as { [HMR]: { update(next: Component): void } };
  hot[HMR].update(Edited);
  flushSync();
  expect(text()).toBe('edited: 1');
  expect(listeners()).toBe(before);
  expect(world.asked().filter((one) => one.includes('/auth/'))).toHaveLength(1);
});
