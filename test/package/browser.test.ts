import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium, type Page } from 'playwright-core';
import { build, type Rollup } from 'vite';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { browserArgs, findBrowser } from '../../scripts/browser.mjs';

const consumer = inject('consumer');

interface Bundle {
  /** All chunks, one after the other. */
  code: string;
  modules: string[];
}

/** Each different thing in the code that fits; a failed test then shows those, and not the whole bundle. */
function found({ code }: { code: string }, pattern: RegExp): string[] {
  return [...new Set(code.match(pattern))];
}

/** A page's only script, as Vite bundles it for browsers. */
async function bundle(name: string, script: string): Promise<Bundle> {
  const root = join(consumer, name);
  mkdirSync(root, { recursive: true });
  writeFileSync(join(root, 'index.html'), page);
  writeFileSync(join(root, 'main.js'), script);
  const result = (await build({
    root,
    base: './',
    configFile: false,
    logLevel: 'error',
    build: { target: 'es2022', modulePreload: false, emptyOutDir: true },
  })) as Rollup.RollupOutput;
  const chunks = result.output.filter((part) => part.type === 'chunk');
  return { code: chunks.map(({ code }) => code).join('\n'), modules: chunks.flatMap(({ moduleIds }) => moduleIds) };
}

const page = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="./main.js"></script>';
const everything = (entry: string): string => `import * as all from '${entry}'; globalThis.savepoint = { ...all };`;

describe('a Vite build of the client', () => {
  let client: Bundle;
  let server: Bundle;

  beforeAll(async () => {
    client = await bundle('page-client', everything('savepoint'));
    server = await bundle('page-server', everything('savepoint/server'));
  }, 120_000);

  it('has nothing of Node in it', () => {
    expect(client.modules.filter((id) => /node:|__vite-browser-external/.test(id))).toEqual([]);
    expect(found(client, /["'`]node:|\brequire\(|\bprocess\./g)).toEqual([]);
  });

  it('has nothing of the classic zod in it, nor of its locales', () => {
    expect(client.modules.filter((id) => /\/zod\/(v3|v4\/(classic|locales))\//.test(id))).toEqual([]);
    expect(found(client, /["'`]Zod(?!Mini|Error|RealError|Async|Encode)[A-Z]\w*["'`]/g)).toEqual([]);
  });

  const signing = /importKey|HMAC|Service-(Signature|Nonce|Timestamp)/gi;

  it('has no signing code in it', () => {
    expect(found(client, signing)).toEqual([]);
  });

  it("would be found out: the game back end's entry does have signing code", () => {
    expect(found(server, signing)).toEqual(expect.arrayContaining(['importKey', 'HMAC', 'Service-Signature']));
  });

  it('has nothing of the service in it', () => {
    expect(client.modules.filter((id) => /node_modules\/(hono|jose|msw|@hono)\//.test(id))).toEqual([]);
  });

  it('of a page that imports the client and uses nothing of it is empty', async () => {
    expect((await bundle('page-empty', `import 'savepoint';`)).code.trim()).toBe('');
  });
});

const servicePage = `
  import { createClient } from 'savepoint';
  import { createBackend } from 'savepoint/backend';

  const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
  const backend = createBackend({ games: [{ id: gameId, privateKeys: ['a private key for one game only'] }] });
  const fetch = (request) => backend.fetch(request);
  globalThis.play = async () => {
    const client = createClient({ gameId, environment: 0, baseUrl: 'https://saves.test', fetch });
    const ready = await client.init();
    if (!ready.success) return ready.error.code;
    await client.profile.collection('progress').set('main', { level: 2 });
    return (await client.profile.collection('progress').get('main')).level;
  };
`;

describe('in Chromium', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: findBrowser() ?? '', args: browserArgs });
  });
  afterAll(() => browser.close());

  /** A page for which game.test is the consumer's folder; nothing listens there. */
  async function newPage(): Promise<Page> {
    const page = await browser.newPage();
    await page.route(/^https?:\/\/game\.test\//, (route) =>
      route.fulfill({ path: join(consumer, new URL(route.request().url()).pathname) }),
    );
    return page;
  }

  /** What a page says about its global `savepoint`, and every error it had. */
  async function inspect(path: string): Promise<{ names: string[]; authorized: unknown; errors: string[] }> {
    const page = await newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    await page.goto(`http://game.test/${path}`);
    const seen = await page.evaluate(() => {
      const { savepoint } = globalThis as unknown as { savepoint: { Auth: { IsAuthorized(): unknown } } };
      return { names: Object.keys(savepoint), authorized: savepoint.Auth.IsAuthorized() };
    });
    await page.close();
    return { ...seen, errors };
  }

  const names = ['Main', 'Auth', 'Profile', 'Events', 'createClient'];

  it('a plain <script> tag gives the global `savepoint`', async () => {
    const script = 'node_modules/savepoint/dist/savepoint.global.js';
    const icon = '<link rel="icon" href="data:,">';
    writeFileSync(join(consumer, 'script-tag.html'), `<!doctype html>${icon}<script src="${script}"></script>`);
    const seen = await inspect('script-tag.html');
    expect(seen.errors).toEqual([]);
    expect(seen.names).toEqual(expect.arrayContaining(names));
    expect(seen.authorized).toBe(false);
  });

  it('the page that Vite built runs', async () => {
    const seen = await inspect('page-client/dist/index.html');
    expect(seen.errors).toEqual([]);
    expect(seen.names).toEqual(expect.arrayContaining(names));
    expect(seen.authorized).toBe(false);
  });

  it('a page can carry the whole service', async () => {
    const { modules } = await bundle('page-service', servicePage);
    expect(modules.filter((id) => /node:|__vite-browser-external/.test(id))).toEqual([]);
    const page = await newPage();
    await page.goto('https://game.test/page-service/dist/index.html');
    expect(await page.evaluate(() => (globalThis as unknown as { play(): unknown }).play())).toBe(2);
    await page.close();
  });

  it('the file for the <script> tag stands alone and is not a module', () => {
    const code = readFileSync(join(consumer, 'node_modules/savepoint/dist/savepoint.global.js'), 'utf8');
    expect(code.slice(0, 40)).toMatch(/^(["']use strict["'];)?var savepoint=/);
    expect(found({ code }, /\bimport\s*[{*"'(]|\brequire\(|\bexport\s*\{/g)).toEqual([]);
    expect(found({ code }, /importKey|HMAC|Service-(Signature|Nonce|Timestamp)/gi)).toEqual([]);
  });
});
