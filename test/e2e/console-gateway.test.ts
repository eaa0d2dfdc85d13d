import { mkdtempSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';
import { type DevInProcess, startInProcess } from '../cli/in-process.js';

let started: DevInProcess;
let other: Server;
let otherUrl: string;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  const consoleFolder = mkdtempSync(join(tmpdir(), 'savepoint-console-'));
  writeFileSync(
    join(consoleFolder, 'index.html'),
    '<!doctype html><title>console</title><script src="own.js"></script>',
  );
  writeFileSync(join(consoleFolder, 'own.js'), 'window.hasRun = true;');
  started = await startInProcess(['dev', '--port', '0', '--json', '--host', '0.0.0.0'], { consoleFolder });
  other = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<!doctype html>')).listen(
    0,
  );
  otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
  browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
}, 60_000);
afterAll(async () => {
  await browser.close();
  other.close();
  await started.stop();
});
beforeEach(async () => {
  context = await browser.newContext();
  page = await context.newPage();
});
afterEach(() => context.close());

/** Runs in the page: what `fetch` answers, or that it could not. */
const ask = (address: string, init: { method?: string; headers?: { [name: string]: string }; body?: string } = {}) =>
  page.evaluate(
    async ([url, given]) =>
      fetch(url, given).then(
        async (answer) => ({ status: answer.status, text: await answer.text() }),
        () => ({ status: 0, text: '' }),
      ),
    [address, init] as const,
  );

describe('the console in a real browser', () => {
  it('has a session by its link, asks, changes and listens; no other page does any of it', async () => {
    const { url, consoleUrl } = started.ready;
    const json = { 'content-type': 'application/json' };
    await page.goto(`${url}/console/`);
    expect(await page.evaluate(() => (window as never as { hasRun: boolean }).hasRun)).toBe(true);
    const body = JSON.stringify({ link: new URL(consoleUrl).hash.replace('#link=', '') });
    const opened = await ask('/console/session/link', { method: 'POST', headers: json, body });
    expect(opened.status).toBe(200);
    const { csrf } = JSON.parse(opened.text);
    expect(await page.evaluate(() => document.cookie)).toBe('');
    const headers = { ...json, 'savepoint-console': csrf };
    const key = { method: 'POST', body: '{"name":"made","scope":"read"}' };
    expect((await ask('/console/api/v2/admin/keys', { ...key, headers: json })).status).toBe(403);
    expect((await ask('/console/api/v2/admin/keys', { ...key, headers })).status).toBe(200);

    const heard = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          new EventSource('/console/requests').addEventListener('request', ({ data }) => {
            const { path } = JSON.parse(data);
            if (path === '/openapi.json') resolve(path);
          });
        }),
    );
    await ask('/openapi.json');
    expect(await heard).toBe('/openapi.json');

    await page.goto(otherUrl);
    expect((await ask(`${url}/console/session`)).status).toBe(0);
    const withCookie = { credentials: 'include' as const, mode: 'no-cors' as const };
    await ask(`${url}/console/api/v2/admin/keys`, { ...key, ...withCookie, headers: { 'content-type': 'text/plain' } });
    expect((await ask(`${url}/console/api/v2/admin/keys`, { ...key, headers })).status).toBe(0);

    await page.goto(`${url}/console/`);
    const { keys } = JSON.parse((await ask('/console/api/v2/admin/keys')).text);
    expect(keys).toHaveLength(1);
  });

  it('runs no script that is written into it, and stands in no frame', async () => {
    await page.goto(`${started.ready.url}/console/`);
    const ran = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'window.wasInjected = true';
      document.body.append(script);
      return 'wasInjected' in window;
    });
    expect(ran).toBe(false);
    await page.goto(otherUrl);
    const refused: string[] = [];
    page.on('console', (message) => refused.push(message.text()));
    await page.setContent(`<iframe src="${started.ready.url}/console/"></iframe>`);
    await expect.poll(() => refused.join(' ')).toMatch(/frame-ancestors|X-Frame-Options/);
  });
});
