import { type Client, Main } from 'savepoint';
import { describe, expect, it, vi } from 'vitest';
import { countListeners, type GameWorld, linkAda } from './game-world.js';

/**
 * - `coins`: `<save>: <coins or none>, <status>.` of the save `main`, and the button `collect`, which adds one;
 * - `who`: `<state> <user id> <sync status> <whether no conflict is open>`, and while one is open `<entries> or <entries>` with the
 *   button `cloud`.
 */
export type Shown = 'coins' | 'who';

/** What each binding can be asked for, in the components of its framework. */
export interface Binding {
  /** Shows components one after the other; without a client they have the one of `Main.Init`. Gives what takes them away. */
  show(components: readonly Shown[], client?: Client): () => void | Promise<void>;
  /** Presses all buttons of a name, and settles when that is rendered. */
  press(name: string): void | Promise<void>;
  /** What a component throws that calls this hook without a client. */
  caught(hook: () => unknown): unknown;
  readonly hooks: Readonly<Record<'useAccount' | 'useClient' | 'useConflict' | 'useSyncStatus', () => unknown>> & {
    readonly useSave: (collection: string, key: string) => unknown;
  };
  /** What the error says that tells how to give a client. */
  readonly wayOut: string;
}

/** What the world's place says, with single spaces. */
export const textOf = ({ place }: GameWorld): string => place.textContent?.trim().replace(/\s+/g, ' ') ?? '';

/** Waits until the world's place says this. */
export const seeing =
  (world: GameWorld) =>
  (part: string | RegExp): Promise<void> =>
    vi.waitFor(() => expect(textOf(world)).toMatch(part), { timeout: 5_000, interval: 5 });

/** Holds a binding against what all of them promise. */
export function describeBinding(world: GameWorld, { show, press, caught, hooks, wayOut }: Binding): void {
  const text = (): string => textOf(world);
  const see = seeing(world);
  const stored = async ({ profile }: Client) => (await profile.collection('progress').load())[0]?.value;

  function initMain(): ReturnType<typeof Main.Init> {
    const { gameId, baseUrl, fetch } = world.service;
    return Main.Init({ GameId: gameId, Environment: 0, BaseUrl: baseUrl, Fetch: fetch, Storage: newDevice() });
  }

  describe('a save', () => {
    it('starts the client, shows what the account has, and saves', async () => {
      const owner = await linkAda(world, 7);
      const client = world.client();
      show(['coins'], client);
      expect(text()).toBe('main: none, loading.');
      await see('main: none, synced.');
      await client.auth.switchTo({ method: 'name', username: 'ada', password: 'correct horse' });
      await see('main: 7, synced.');
      await press('collect');
      expect(text()).toMatch(/^main: 8, \w+\.$/);
      await see('main: 8, synced.');
      expect(await stored(owner)).toEqual({ coins: 8 });
    });

    it('is loading until the service has said what there is', async () => {
      const device = newDevice();
      const first = world.client({ storage: device });
      await first.init();
      first.dispose();
      let answer = (): void => {};
      const held = new Promise<void>((resolve) => {
        answer = resolve;
      });
      const fetch = async (request: Request): Promise<Response> => {
        await held;
        return world.service.fetch(request);
      };
      const client = world.client({ storage: device, fetch });
      show(['coins'], client);
      await client.init();
      expect(text()).toBe('main: none, loading.');
      answer();
      await see('main: none, synced.');
    });

    it('goes on with what this device has where the service cannot be reached', async () => {
      world.goOffline();
      const client = world.client({ timeoutMs: 50 });
      show(['coins'], client);
      await client.init();
      await see('main: none, synced.');
      await press('collect');
      await see('main: 1, offline.');
      world.comeBack();
      await client.setNetwork('on');
      await see('main: 1, synced.');
    });

    it('is shown at once where this device has it, without a moment of loading', async () => {
      show(['coins'], await world.player(3));
      expect(text()).toBe('main: 3, synced.');
    });

    it('is asked for once, however many components watch it', async () => {
      const client = await world.player(3);
      const before = world.asked().length;
      show(['coins', 'coins', 'coins'], client);
      await client.profile.collection('progress').load();
      const asked = world.asked().slice(before);
      // One for all components, and the one of the line above.
      expect(asked.filter((one) => one.endsWith('/progress')).length).toBeLessThanOrEqual(2);
      expect(text()).toMatch(/^(main: 3, synced\. ?){3}$/);
    });

    it('is the same in two components, and neither overwrites the other', async () => {
      const client = await world.player(1);
      show(['coins', 'coins'], client);
      await press('collect');
      await see(/^main: 3, \w+\. ?main: 3, \w+\.$/);
    });

    it('is that of the account that is here, where that changes', async () => {
      await linkAda(world, 50);
      const client = await world.player(1);
      show(['coins'], client);
      await see('main: 1, synced.');
      await client.auth.signOut();
      await see('main: none, synced.');
      await client.auth.withName('ada', 'correct horse');
      await see('main: 50, synced.');
    });

    it('arrives where its component is gone in the middle of the request, and nobody listens any more', async () => {
      const client = await world.player(1);
      const listeners = countListeners(client);
      const end = show(['coins', 'who'], client);
      expect(listeners()).toBeGreaterThan(4);
      await press('collect');
      await end();
      expect(listeners()).toBe(0);
      await client.profile.flush();
      expect(await stored(client)).toEqual({ coins: 2 });
    });
  });

  describe('a conflict', () => {
    it('opens by itself, and the call waits for the choice', async () => {
      await linkAda(world, 50);
      const client = await world.player(1);
      show(['coins', 'who'], client);
      const linking = client.auth.withName('ada', 'correct horse');
      await see('1 or 1');
      await press('cloud');
      expect(await linking).toMatchObject({ success: true });
      await see(/^main: 50, synced\. ?linked [0-9a-f-]+ synced true$/);
    });

    it('is shown that was open before its component was, and one that has ended no more', async () => {
      await linkAda(world, 50);
      const client = await world.player(1);
      expect(await client.auth.withName('ada', 'correct horse')).toMatchObject({
        error: { code: 'conflict_unhandled' },
      });
      show(['who'], client);
      await see('1 or 1');
      await press('cloud');
      await see(/^linked [0-9a-f-]+ synced true$/);
    });
  });

  describe('the client', () => {
    it('is the one of Main.Init where no other is given', async () => {
      const ready = await initMain();
      show(['coins', 'who']);
      await see(new RegExp(`^main: none, synced\\. ?guest ${ready.Success && ready.UserId} synced true$`));
    });

    it.each([
      ['useSave', () => hooks.useSave('progress', 'main')],
      ['useAccount', hooks.useAccount],
      ['useSyncStatus', hooks.useSyncStatus],
      ['useConflict', hooks.useConflict],
      ['useClient', hooks.useClient],
    ])('is missed by %s in a typed error that says what to do', (_, hook) => {
      expect(caught(hook)).toMatchObject({ code: 'not_initialised', message: expect.stringContaining(wayOut) });
    });

    it('refuses a key that cannot be stored, and a name', async () => {
      await initMain();
      expect(caught(() => hooks.useSave('progress', ''))).toBeInstanceOf(TypeError);
      expect(caught(() => hooks.useSave('', 'main'))).toBeInstanceOf(TypeError);
    });
  });
}

/** The storage of a device that two clients have, one after the other. */
function newDevice() {
  const values = new Map<string, string>();
  return {
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
  };
}
