import { chromium } from 'playwright-core';
import { serve } from 'savepoint/backend/node';
import { expect, it, onTestFinished } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { languageLevel } from '../../scripts/oldest-browsers.mjs';
import { clientBundle } from '../support/client-bundle.js';
import { createTestService } from '../support/service.js';
import { youngerApis } from '../support/younger-apis.js';

const page = '<!doctype html><link rel="icon" href="data:,"><title>A game</title>';

it('the client with its packages signs in and saves in a browser that has nothing younger than the oldest', async () => {
  const service = createTestService();
  const { code } = await clientBundle({ target: languageLevel, format: 'iife', globalName: 'savepoint' });
  const fallback = () => new Response(page, { headers: { 'content-type': 'text/html' } });
  const served = await serve(service.backend, { port: 0, fallback });
  onTestFinished(() => served.close());
  const browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
  onTestFinished(() => browser.close());
  const tab = await browser.newPage();
  const complaints: string[] = [];
  tab.on('pageerror', (error) => complaints.push(String(error)));
  tab.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  await tab.goto(served.url);
  const paths = youngerApis.flatMap(([, , , path]) => (path === null ? [] : [path]));
  const left = await tab.evaluate((all) => {
    return all.filter((path) => {
      const parts = path.split('.');
      const name = parts.pop() ?? '';
      // biome-ignore lint/suspicious/noExplicitAny: anything can stand behind a name.
      const owner = parts.reduce<any>((value, part) => value?.[part], globalThis);
      if (owner !== undefined) delete owner[name];
      return owner !== undefined && name in owner;
    });
  }, paths);
  await tab.addScriptTag({ content: code });
  const saved = await tab.evaluate(
    async ({ gameId, baseUrl }) => {
      const { createClient } = (globalThis as unknown as { savepoint: typeof import('savepoint') }).savepoint;
      const client = createClient({ gameId, environment: 0, baseUrl });
      const { signal } = new AbortController();
      const ready = await client.init();
      if (!ready.success) throw ready.error;
      const linked = await client.auth.withName('ada', 'correct horse', { signal });
      if (!linked.success) throw linked.error;
      const progress = client.profile.collection('progress');
      await progress.set('main', { level: 2 });
      await client.profile.flush({ signal });
      const saved = await progress.load();
      client.dispose();
      return saved;
    },
    { gameId: service.gameId, baseUrl: served.url },
  );
  expect(saved).toEqual([{ key: 'main', value: { level: 2 }, version: 0 }]);
  expect({ left, complaints }).toEqual({ left: [], complaints: [] });
});
