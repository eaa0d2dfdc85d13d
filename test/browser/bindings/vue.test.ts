import { type Client, Main } from 'savepoint';
import { type Save, savepoint, useAccount, useClient, useConflict, useSave, useSyncStatus } from 'savepoint/vue';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type App,
  type Component,
  createApp,
  createSSRApp,
  defineComponent,
  effectScope,
  h,
  nextTick,
  ref,
  Suspense,
} from 'vue';
import { renderToString } from 'vue/server-renderer';
import { describeBinding, seeing, textOf } from './binding-contract.js';
import { countListeners, openGameWorld, type Progress } from './game-world.js';

const world = openGameWorld();
let apps: App[] = [];
let complaints: string[] = [];

afterEach(() => {
  for (const app of apps) app.unmount();
  apps = [];
  Main.Dispose();
  vi.restoreAllMocks();
  expect(complaints).toEqual([]);
});

function show(game: Component, client?: Client, create = createApp): { app: App; errors: unknown[] } {
  const app = create(game);
  const errors: unknown[] = [];
  complaints = [];
  app.config.errorHandler = (error) => void errors.push(error);
  app.config.warnHandler = (text) => void complaints.push(text);
  if (client !== undefined) app.use(savepoint, { client });
  apps.push(app);
  app.mount(world.place);
  return { app, errors };
}

const text = (): string => textOf(world);
const see = seeing(world);

async function press(name: string): Promise<void> {
  for (const button of world.place.querySelectorAll<HTMLButtonElement>(`button[name="${name}"]`)) button.click();
  await nextTick();
}

const Coins = defineComponent({
  props: { save: { type: String, default: 'main' } },
  setup(props) {
    const { value, status, set, update } = useSave<Progress>('progress', () => props.save);
    return () => [
      `${props.save}: ${value.value?.coins ?? 'none'}, ${status.value}.`,
      h('button', { name: 'collect', onClick: () => update((save) => ({ coins: (save?.coins ?? 0) + 1 })) }),
      h('button', { name: 'spend', onClick: () => set({ coins: 0 }) }),
    ];
  },
});

const Who = defineComponent({
  setup() {
    const [account, status, conflict] = [useAccount(), useSyncStatus(), useConflict()];
    return () => [
      `${account.value.state} ${account.value.userId} ${status.value} ${conflict.value === null}`,
      conflict.value !== null && [
        ` ${conflict.value.local.entries} or ${conflict.value.cloud.entries}`,
        h('button', { name: 'cloud', onClick: () => conflict.value?.resolve('cloud') }),
      ],
    ];
  },
});

const parts = { coins: Coins, who: Who };

describeBinding(world, {
  show: (components, client) => {
    const { app, errors } = show({ render: () => components.map((name) => h(parts[name])) }, client);
    return () => {
      app.unmount();
      apps = [];
      expect(errors).toEqual([]);
    };
  },
  press,
  caught: (hook) => {
    const { errors } = show({
      setup() {
        hook();
        return () => 'lost';
      },
    });
    complaints = [];
    return errors[0];
  },
  hooks: { useSave, useAccount, useSyncStatus, useConflict, useClient },
  wayOut: 'app.use',
});

describe('useSave', () => {
  it('follows a key that changes, in the same rendering, and writes to that one', async () => {
    const client = await world.player(1);
    const key = ref('main');
    const listeners = countListeners(client);
    const { app } = show({ render: () => h(Coins, { save: key.value }) }, client);
    await see('main: 1, synced.');
    key.value = 'other';
    await nextTick();
    expect(text()).toMatch(/^other: none, \w+\.$/);
    await press('collect');
    expect(client.profile.collection('progress').get('other')).toEqual({ coins: 1 });
    expect(client.profile.collection('progress').get('main')).toEqual({ coins: 1 });
    app.unmount();
    apps = [];
    expect(listeners()).toBe(0);
  });

  it('gives a value that nothing but set and update change', async () => {
    const client = await world.player(1);
    let save: Save<Progress> | undefined;
    show(
      {
        setup() {
          save = useSave<Progress>('progress', 'main');
          return () => save?.value.value?.coins;
        },
      },
      client,
    );
    expect(() => {
      (save?.value.value as Progress).coins = 5;
    }).toThrow(TypeError);
    expect(text()).toBe('1');
  });

  it('lasts as long as a scope that is no component', async () => {
    const client = await world.player(1);
    const listeners = countListeners(client);
    const app = createApp({}).use(savepoint, { client });
    const scope = effectScope();
    const save = app.runWithContext(() => scope.run(() => useSave<Progress>('progress', 'main')));
    await save?.set({ coins: 2 });
    expect(save?.value.value).toEqual({ coins: 2 });
    expect(listeners()).toBeGreaterThan(0);
    scope.stop();
    expect(listeners()).toBe(0);
  });
});

describe('Suspense', () => {
  const Loaded = defineComponent({
    async setup() {
      const { value, status, loaded } = useSave<Progress>('progress', 'main');
      await loaded();
      return () => `${value.value?.coins ?? 'new'}, ${status.value}.`;
    },
  });
  const waiting = { render: () => h(Suspense, null, { default: () => h(Loaded), fallback: () => 'Loading …' }) };

  it('shows the fallback until the save is there, and then never that it is loading', async () => {
    const client = world.client();
    const seen = new Set<string>();
    const watching = new MutationObserver(() => seen.add(text()));
    watching.observe(world.place, { childList: true, characterData: true, subtree: true });
    show(waiting, client);
    expect(text()).toBe('Loading …');
    await see('new, synced.');
    await client.profile.collection('progress').set('main', { coins: 4 });
    await see('4, synced.');
    watching.disconnect();
    expect([...seen].filter((one) => one.includes('loading'))).toEqual([]);
    complaints = complaints.filter((one) => !one.includes('<Suspense> is an experimental feature'));
  });
});

describe('rendered on a server', () => {
  const All = { render: () => h('div', [h(Coins), h(Who)]) };

  it('asks nobody, and the page takes it over as it is', async () => {
    world.place.innerHTML = await renderToString(createSSRApp(All).use(savepoint, { client: world.client() }));
    expect(world.asked()).toEqual([]);
    expect(text()).toBe('main: none, loading.starting null synced true');
    const before = world.place.querySelector('button');
    // This client has its data already, which the server's text has not.
    const { errors } = show(All, await world.player(6), createSSRApp);
    await see(/^main: 6, synced\.guest [0-9a-f-]+ synced true$/);
    expect([complaints, errors]).toEqual([[], []]);
    expect(world.place.querySelector('button')).toBe(before);
  });

  it('needs no client, as it is before Main.Init', async () => {
    expect(await renderToString(createSSRApp(All))).toContain('loading');
  });
});

describe('hot reload', () => {
  it('of a component starts no second client, listens once, and loses no value', async () => {
    const hot = (
      globalThis as unknown as {
        __VUE_HMR_RUNTIME__: { createRecord(id: string, one: object): void; reload(id: string, one: object): void };
      }
    ).__VUE_HMR_RUNTIME__;
    const reloadable = (setup: () => () => unknown) => Object.assign(defineComponent({ setup }), { __hmrId: 'coins' });
    const made = reloadable(() => {
      const { value, status, update } = useSave<Progress>('progress', 'main');
      const collect = () => update((save) => ({ coins: (save?.coins ?? 0) + 1 }));
      return () => [`${value.value?.coins}, ${status.value}`, h('button', { name: 'collect', onClick: collect })];
    });
    hot.createRecord('coins', made);
    const client = world.client();
    const listeners = countListeners(client);
    show({ render: () => h(made) }, client);
    await see('undefined, synced');
    await press('collect');
    const before = listeners();
    const edited = reloadable(() => {
      const { value } = useSave<Progress>('progress', 'main');
      return () => `edited: ${value.value?.coins}`;
    });
    hot.reload('coins', edited);
    await see('edited: 1');
    expect(listeners()).toBe(before);
    expect(world.asked().filter((one) => one.includes('/auth/'))).toHaveLength(1);
  });
});
