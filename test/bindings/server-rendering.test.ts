import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createElement, type ReactNode, Suspense } from 'react';
import { renderToPipeableStream, renderToString } from 'react-dom/server';
import { type Client, createClient } from 'savepoint';
import * as react from 'savepoint/react';
import * as vue from 'savepoint/vue';
import type { Component } from 'svelte';
import { render } from 'svelte/server';
import { afterAll, afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSSRApp, h, Suspense as VueSuspense } from 'vue';
import { renderToString as renderVue } from 'vue/server-renderer';
import { serverPage } from '../browser/bindings/svelte-page.js';
import { cacheFolder } from '../support/cache-folder.js';
import { testGameId } from '../support/service.js';
import { compileComponent } from '../support/svelte-components.js';

const components = new URL('../browser/bindings/svelte/', import.meta.url);
const folder = cacheFolder('svelte-on-a-server');
const fetch = vi.fn();
const storage = { getItem: vi.fn(), setItem: vi.fn(), removeItem: vi.fn() };
let client: Client;

beforeEach(() => {
  vi.useFakeTimers();
  client = createClient({ gameId: testGameId, environment: 0, baseUrl: 'http://saves.test', fetch, storage });
});
afterEach(() => {
  // Nothing was asked of anybody, stored, or left to be done later.
  for (const asked of [fetch, storage.getItem, storage.setItem, storage.removeItem])
    expect(asked).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function Coins({ suspense = false }: { suspense?: boolean }) {
  const { value, status } = react.useSave<{ coins: number }>('progress', 'main', { suspense });
  return [value?.coins ?? 'none', status, react.useAccount().state, react.useSyncStatus(), react.useConflict()].join();
}
const inReact = (...nodes: ReactNode[]) => createElement(react.SavepointProvider, { client }, ...nodes);
const text = (html: string): string => html.replace(/<[^>]*>/g, '');

it('React renders what is known before the start, and asks nobody', () => {
  expect(renderToString(inReact(createElement(Coins)))).toBe('none,loading,starting,synced,');
});

it('React streams the fallback of what suspends, and ends', async () => {
  const pieces: string[] = [];
  const errors: unknown[] = [];
  await new Promise<void>((resolve, reject) => {
    const stream = renderToPipeableStream(
      inReact(createElement(Suspense, { fallback: 'Loading …' }, createElement(Coins, { suspense: true }))),
      { onError: (error) => void errors.push(error), onShellError: reject, onAllReady: () => resolve() },
    );
    stream.pipe({
      write: (piece: Uint8Array) => pieces.push(new TextDecoder().decode(piece)),
      end: () => {},
      on: () => {},
    } as never);
  });
  vi.clearAllTimers();
  expect(pieces.join('')).toContain('Loading …');
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('getServerSnapshot') })]);
});

it('Vue renders what is known before the start, and waits for nothing', async () => {
  const game = {
    async setup() {
      const { value, status, loaded } = vue.useSave<{ coins: number }>('progress', 'main');
      const [account, sync, conflict] = [vue.useAccount(), vue.useSyncStatus(), vue.useConflict()];
      await loaded();
      return () => `${value.value?.coins}, ${status.value}, ${account.value.state}, ${sync.value}, ${conflict.value}`;
    },
  };
  const app = createSSRApp({ render: () => h(VueSuspense, null, { default: () => h(game) }) });
  const html = await renderVue(app.use(vue.savepoint, { client }));
  expect(text(html)).toBe('undefined, loading, starting, synced, null');
});

it('Svelte renders what is known before the start, as the page takes it over', async () => {
  mkdirSync(folder, { recursive: true });
  for (const name of ['game', 'both', 'coins', 'who']) {
    const code = compileComponent(
      readFileSync(new URL(`${name}.svelte`, components), 'utf8'),
      `${name}.svelte`,
      'server',
    );
    writeFileSync(`${folder}${name}.svelte.js`, code.replaceAll(".svelte'", ".svelte.js'"));
  }
  const load = async (name: string) =>
    ((await import(`${folder}${name}.svelte.js`)) as { default: Component<object> }).default;
  const [Game, Both] = [await load('game'), await load('both')];
  const { body } = render(Game, { props: { client, Shown: Both } });
  expect(body).toBe(serverPage);
});
