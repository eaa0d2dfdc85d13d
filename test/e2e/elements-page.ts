import { type Client, createClient } from 'savepoint';
import { createBackend } from 'savepoint/backend';
import { defineElements, type Texts } from 'savepoint/elements';
import { french, german, japanese, spanish } from 'savepoint/elements/texts';

// The page that elements.test.ts opens: all elements on a service that runs in the page itself.

const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
const password = 'correct horse';
const backend = createBackend({ games: [{ id: gameId, privateKeys: ['a key'] }], insecureFastPasswordsForTests: true });
const conflictFields = ['coins', 'level'].map((field) => ({ collection: 'progress', key: 'main', field }));

async function start(value: object | null): Promise<Client> {
  const items = new Map<string, string>();
  const storage = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
    removeItem: (key: string) => void items.delete(key),
  };
  const fetch = (request: Request) => backend.fetch(request);
  const client = createClient({ gameId, environment: 0, baseUrl: location.origin, storage, fetch, conflictFields });
  await client.init();
  if (value !== null) await client.profile.collection('progress').set('main', value as never);
  await client.profile.flush();
  return client;
}

const held = [{ buttons: Array.from({ length: 16 }, () => ({ pressed: false })) }];
const scenes = {
  /** Somebody with a name, with all that they can do opened, something held, and a history. */
  async player(): Promise<void> {
    const owner = await start({ coins: 1248, level: 6 });
    await owner.auth.withName('ada', password);
    const client = await start({ coins: 23, level: 2 });
    client.events.on('conflict', (conflict) => conflict.resolve('cloud'));
    await client.auth.withName('ada', password);
    backend.control.fail({ route: 'updateEntry', with: { status: 403 }, times: Number.POSITIVE_INFINITY });
    await client.profile.collection('progress').load();
    await client.profile.collection('progress').set('main', { coins: 99, level: 1 });
    defineElements({ client });
    show('savepoint-account');
    show('savepoint-sync').setAttribute('collections', 'progress');
    const history = document.createElement('savepoint-history');
    history.describe = (entries) =>
      entries.map(({ value }) => `${value['coins']} coins, level ${value['level']}`).join();
    document.body.append(history);
  },
  async guest(): Promise<void> {
    defineElements({ client: await start(null) });
    show('savepoint-account');
    show('savepoint-sync');
    show('savepoint-history');
  },
  async conflict(): Promise<void> {
    const owner = await start({ coins: 1248, level: 6 });
    await owner.auth.withName('ada', password);
    const client = await start({ coins: 23, level: 2 });
    defineElements({ client });
    show('savepoint-account');
    const dialog = document.createElement('savepoint-conflict');
    dialog.labels = { coins: 'Coins', level: 'Level' };
    document.body.append(dialog);
    void client.auth.withName('ada', password).then((result) => {
      document.title = result.success
        ? `signed in, ${client.profile.collection('progress').get('main')?.['coins']}`
        : result.error.code;
    });
  },
};

/** Every element reads this gamepad. */
navigator.getGamepads = () => held as never;

function show(name: 'savepoint-account' | 'savepoint-sync' | 'savepoint-history'): HTMLElement {
  return document.body.appendChild(document.createElement(name));
}

const languages: { readonly [language: string]: Texts } = { de: german, fr: french, es: spanish, ja: japanese };

/** What the page can show. */
export type Scene = keyof typeof scenes;

declare global {
  interface Window {
    /** Starts a scene; `scene` tells how that ends. */
    openScene: (scene: Scene, language?: string) => void;
    /** `opening`, `open`, or what was thrown. */
    scene: string;
    hold: (button: number, isPressed: boolean) => void;
  }
}

window.openScene = (scene, language = 'en') => {
  const texts = languages[language];
  document.documentElement.lang = language;
  defineElements(texts === undefined ? {} : { texts });
  window.scene = 'opening';
  scenes[scene]().then(
    () => {
      window.scene = 'open';
    },
    (error: unknown) => {
      window.scene = String(error);
    },
  );
};
window.hold = (button, isPressed) => {
  const state = held[0]?.buttons[button];
  if (state !== undefined) state.pressed = isPressed;
};
