import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientBundle } from '../support/client-bundle.js';
import { openRoutedSite, type RoutedSite } from './routed-site.js';

const recipe = (path: string): string =>
  readFileSync(new URL(`../../examples/recipes/${path}`, import.meta.url), 'utf8');
const scripts = '<script src="savepoint.global.js"></script><script src="bridge.js"></script>';

/**
 * What Godot's JavaScriptBridge does with the page: methods that every `Object` of Godot has are Godot's own, only texts,
 * numbers and callbacks go over, and a callback gets its arguments as one array.
 * https://docs.godotengine.org/en/stable/tutorials/platform/web/javascript_bridge.html
 */
function godot(): void {
  const ofObject = ['set', 'get', 'call', 'connect', 'emit_signal', 'free', 'has_method', 'notification', 'tr'];
  const callbacks = new WeakSet();
  const goesOver = (value: unknown): boolean =>
    value == null || ['string', 'number', 'boolean'].includes(typeof value) || callbacks.has(value as object);
  const bridge = {
    get_interface: (name: string) =>
      new Proxy((window as never)[name] as Record<string, (...given: unknown[]) => unknown>, {
        get: (target, method: string) => {
          if (ofObject.includes(method)) throw new Error(`${method} is Godot's own`);
          return (...given: unknown[]) => {
            if (!given.every(goesOver)) throw new Error('this does not go over');
            const result = target[method]?.(...given);
            return goesOver(result) ? result : {};
          };
        },
      }),
    create_callback: (callable: (given: unknown[]) => void) => {
      const callback = (...given: unknown[]): void => {
        if (!given.every(goesOver)) throw new Error('this does not go over');
        callable(given);
      };
      callbacks.add(callback);
      return callback;
    },
  };
  Object.assign(window, { JavaScriptBridge: bridge });
}

/** The same lines as the README's saves.gd. */
function godotGame(): void {
  type Callback = (given: unknown[]) => void;
  const { JavaScriptBridge } = window as never as {
    JavaScriptBridge: {
      get_interface(name: string): Record<string, (...given: unknown[]) => string>;
      create_callback(callable: Callback): object;
    };
  };
  const page = JavaScriptBridge.get_interface('saves');
  const game = {
    state: {} as { value: { coins: number } | null },
    signedIn: null as unknown,
    collect: () => page['write']?.('main', JSON.stringify({ coins: (game.state.value?.coins ?? 0) + 1 })),
    spoil: () => page['write']?.('main', '{"coins":'),
    collectTooMuch: () => page['write']?.('main', JSON.stringify({ coins: 1, name: '-'.repeat(200_000) })),
    sign_in: (name: string) =>
      void page['signIn']?.(
        name,
        'correct horse',
        JavaScriptBridge.create_callback(([code]) => {
          game.signedIn = code;
        }),
      ),
    choose: (choice: string) => void page['choose']?.(choice),
  };
  Object.assign(window, { game });
  page['start']?.(
    'main',
    JavaScriptBridge.create_callback(([text]) => {
      game.state = JSON.parse(text as string);
    }),
  );
}

/**
 * What a build of Unity does with a .jslib: its functions become the module's, texts come as pointers into the heap, and
 * SendMessage calls a method of a component with one text.
 * https://docs.unity3d.com/Manual/webgl-interactingwithbrowserscripting.html
 */
function unity(): void {
  const heap: string[] = [];
  const library: Record<string, (...pointers: number[]) => unknown> = {};
  const components: Record<string, Record<string, (text: string) => void>> = {};
  /** What `[DllImport("__Internal")]` makes of a method. */
  const extern = (name: string, ...texts: string[]) => {
    if (texts.some((text) => typeof text !== 'string')) throw new Error('only texts are marshalled here');
    return library[name]?.(...texts.map((text) => heap.push(text) - 1));
  };
  const game = {
    state: {} as { value: { coins: number } | null },
    signedIn: null as string | null,
    collect: () => extern('SavesWrite', 'main', JSON.stringify({ coins: (game.state.value?.coins ?? 0) + 1 })),
    spoil: () => extern('SavesWrite', 'main', '{"coins":'),
    collectTooMuch: () => extern('SavesWrite', 'main', JSON.stringify({ coins: 1, name: '-'.repeat(200_000) })),
    sign_in: (name: string) => void extern('SavesSignIn', name, 'correct horse', 'Saves'),
    choose: (choice: string) => void extern('SavesChoose', choice),
    start: () => void extern('SavesStart', 'main', 'Saves'),
  };
  components['Saves'] = {
    OnSaves: (text) => {
      game.state = JSON.parse(text);
    },
    OnSignedIn: (code) => {
      game.signedIn = code;
    },
  };
  Object.assign(window, {
    game,
    LibraryManager: { library },
    mergeInto: (into: object, more: object) => Object.assign(into, more),
    UTF8ToString: (pointer: number) => heap[pointer],
    SendMessage: (object: string, method: string, text: string) => {
      const receiver = components[object]?.[method];
      if (receiver === undefined || typeof text !== 'string') throw new Error(`nobody receives ${object}.${method}`);
      receiver(text);
    },
  });
}

interface Game {
  state: {
    isLoaded: boolean;
    problem: string | null;
    value: { coins: number } | null;
    status: string;
    conflict: object | null;
  };
  signedIn: string | null;
  collect(): unknown;
  spoil(): unknown;
  collectTooMuch(): unknown;
  sign_in(name: string): void;
  choose(choice: string): void;
  start?(): void;
}
interface GameWindow {
  game: Game;
}

let site: RoutedSite;
beforeAll(async () => {
  const { code } = await clientBundle({ format: 'iife', globalName: 'savepoint' });
  site = await openRoutedSite(
    new Map([
      ['/savepoint.global.js', code],
      ['/bridge.js', recipe('bridge.js')],
    ]),
  );
}, 60_000);
afterAll(() => site.close());
afterEach(() => expect(site.complaints()).toEqual([]));

describe.each([
  {
    engine: 'Godot',
    refusal: expect.stringMatching(/JSON/),
    start: async (page: Page) => {
      await page.evaluate(godot);
      await page.evaluate(godotGame);
    },
  },
  {
    engine: 'Unity',
    refusal: 0,
    start: async (page: Page) => {
      await page.evaluate(unity);
      await page.addScriptTag({ content: recipe('unity/Saves.jslib') });
      await page.evaluate(() => (window as unknown as GameWindow).game.start?.());
    },
  },
])('the bridge in $engine', ({ engine, refusal, start }) => {
  it('loads, saves, refuses what is no JSON, and has a conflict resolved', { timeout: 60_000 }, async () => {
    const owner = await site.addPlayer(`ada-${engine}`, 50);
    const page = await site.open(scripts);
    await start(page);
    const stateOf = () => page.evaluate(() => (window as unknown as GameWindow).game.state);
    const see = (state: Partial<Game['state']>) => expect.poll(stateOf, { timeout: 20_000 }).toMatchObject(state);
    await see({ isLoaded: true, value: null, status: 'synced', conflict: null });

    await page.evaluate(() => (window as unknown as GameWindow).game.collect());
    await see({ value: { coins: 1 }, status: 'synced' });
    expect(await page.evaluate(() => (window as unknown as GameWindow).game.spoil())).toEqual(refusal);
    await see({ value: { coins: 1 }, status: 'synced' });

    await page.evaluate((name) => (window as unknown as GameWindow).game.sign_in(name), `ada-${engine}`);
    await see({ conflict: { local: 1, cloud: 1 } });
    await page.evaluate(() => (window as unknown as GameWindow).game.choose('cloud'));
    await see({ value: { coins: 50 }, conflict: null });
    expect(await page.evaluate(() => (window as unknown as GameWindow).game.signedIn)).toBe('');
    await page.evaluate(() => (window as unknown as GameWindow).game.collect());
    await see({ value: { coins: 51 }, status: 'synced' });
    expect((await owner.profile.collection('progress').load())[0]?.value).toEqual({ coins: 51 });
  });

  it('begins no new game before the service has said what there is, and tells what is refused', {
    timeout: 60_000,
  }, async () => {
    const page = await site.open(scripts);
    site.backend.control.fail({ route: 'readCollection', with: { status: 403 }, times: Infinity });
    const answered = page.waitForResponse((answer) => answer.url().includes('/collections/progress'));
    await start(page);
    const stateOf = () => page.evaluate(() => (window as unknown as GameWindow).game.state);
    await answered;
    await page.evaluate(() => new Promise((painted) => requestAnimationFrame(() => setTimeout(painted))));
    expect(await stateOf()).toMatchObject({ isLoaded: false, value: null });
    site.backend.control.restore();
    await expect.poll(stateOf, { timeout: 20_000 }).toMatchObject({ isLoaded: true, value: null, problem: null });
    await page.evaluate(() => (window as unknown as GameWindow).game.collectTooMuch());
    await expect.poll(stateOf, { timeout: 20_000 }).toMatchObject({ value: null, problem: 'too_large' });
  });
});
