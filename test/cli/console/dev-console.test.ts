import type { NetworkInterfaceInfo } from 'node:os';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoGame } from '../../../src/cli/demo.js';
import { banner } from '../../../src/cli/dev/banner.js';
import { lanUrls } from '../../../src/cli/dev/lan-urls.js';
import { type DevInProcess, startInProcess } from '../in-process.js';
import { ask, openPage, pageFolder } from './page.js';

const consoleFolder = pageFolder();
const dev = (...args: string[]): Promise<DevInProcess> =>
  startInProcess(['dev', '--port', '0', '--json', ...args], { consoleFolder });

describe('the console of savepoint dev', () => {
  let started: DevInProcess;
  let url: string;

  beforeAll(async () => {
    started = await dev('--seed-demo', '--faults', 'slow=0.2');
    url = started.ready.url;
  });
  afterAll(() => started.stop());

  it('needs no sign-in, and tells what there is', async () => {
    const page = openPage(url);
    const session = (await page.session()).json();
    expect(session).toMatchObject({
      mode: 'dev',
      operator: { scope: 'admin' },
      csrf: expect.stringMatching(/^[\w-]{43}$/),
      games: [demoGame.id],
      expiresAt: null,
      dev: {
        url,
        lanUrls: [],
        gameId: demoGame.id,
        privateKey: demoGame.privateKey,
        store: 'memory',
        faults: '20 % answered after 2 s',
      },
    });
    expect(session.dev.seeded).toContainEqual({ username: 'ada', password: 'correct horse' });
    expect((await page.ask('api/v2/admin/games')).json()).toEqual({ games: [{ id: demoGame.id }] });
  });

  const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

  it.each([
    [browser, '/', 'GET'],
    ['TEXT/HTML', '/', 'GET'],
    ['application/json, text/html; charset=utf-8', '/?a=b', 'GET'],
    [browser, '/', 'HEAD'],
  ])('is where a browser is led that asks for %s of %s by %s', async (accept, path, method) => {
    const { status, headers } = await ask(url, path, { method, headers: { accept } });
    expect([status, headers['location'], headers['vary']]).toEqual([302, '/console/', 'Accept']);
  });

  it.each([
    ['application/json', '/', 'GET'],
    ['*/*', '/', 'GET'],
    ['text/htmlx', '/', 'GET'],
    ['text/html;q=0.0, */*', '/', 'GET'],
    [browser, '/', 'POST'],
    [browser, '/favicon.ico', 'GET'],
    [browser, '/v2', 'GET'],
  ])('is nothing for what asks for %s of %s by %s', async (accept, path, method) => {
    const { status, headers } = await ask(url, path, { method, headers: { accept } });
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
  });

  it('takes no change without the token that another page cannot read', async () => {
    const page = openPage(url);
    const body = { name: 'of another page', scope: 'admin' };
    expect((await page.ask('api/v2/admin/keys', { method: 'POST', body })).status).toBe(403);
    await page.session();
    expect((await page.change('api/v2/admin/keys', { method: 'POST', body })).status).toBe(200);
    const headers = { 'sec-fetch-site': 'same-site' };
    expect((await page.change('api/v2/admin/keys', { method: 'POST', body, headers })).status).toBe(403);
  });

  it.each([['127.0.0.1'], ['localhost'], ['LOCALHOST'], ['[::1]'], ['game.localhost']])(
    'answers as %s',
    async (name) => {
      const host = `${name}:${new URL(url).port}`;
      expect((await ask(url, '/console/session', { headers: { host } })).status).toBe(200);
    },
  );

  it.each([
    ['evil.example', true],
    ['127.0.0.1.evil.example', true],
    ['localhost.evil.example', true],
    ['evil.example@localhost', true],
    ['localhost', false],
    ['192.168.1.5', true],
    ['0.0.0.0', true],
  ])('answers nothing as %s, whose name was made to lead here', async (name, hasPort) => {
    const host = hasPort ? `${name}:${new URL(url).port}` : name;
    for (const path of ['/console/session', '/console/', '/console/api/v2/admin/games', '/console/requests']) {
      const { status, text } = await ask(url, path, { headers: { host } });
      // A Host of which no URL can be made is refused before anybody looks at it.
      expect([400, 403], `${path} as ${host}`).toContain(status);
      expect(text).not.toContain('csrf');
    }
  });

  it('tells nobody the key that it asks with', async () => {
    const { text } = await openPage(url).session();
    expect(text).not.toMatch(/operatorKey|"key"/);
    expect(started.err()).not.toMatch(/Bearer/);
    const { status } = await ask(url, '/v2/admin/games');
    expect(status).toBe(401);
  });

  it('shows no private key that somebody gave', async () => {
    const own = await dev('--private-key', 'a-key-of-my-own');
    const { text, json } = await openPage(own.ready.url).session();
    await own.stop();
    expect(json().dev.privateKey).toBeNull();
    expect(text).not.toContain('a-key-of-my-own');
  });

  it("is not reached by the service's planned faults", async () => {
    const broken = await dev('--faults', '503=1');
    const { status } = await openPage(broken.ready.url).ask('api/v2/admin/games');
    await broken.stop();
    expect(status).toBe(200);
  });
});

describe('the console of savepoint dev --host', () => {
  let started: DevInProcess;
  let url: string;
  const linkOf = ({ ready }: DevInProcess) => new URL(ready.consoleUrl).hash.replace('#link=', '');

  afterEach(() => started.stop());

  it('is for whoever opens the printed link, once', async () => {
    started = await dev('--host', '0.0.0.0');
    url = started.ready.url;
    const page = openPage(url);
    expect((await page.session()).json()).toEqual({
      mode: 'dev',
      operator: null,
      csrf: null,
      games: [],
      expiresAt: null,
      dev: null,
    });
    expect((await page.ask('api/v2/admin/games')).status).toBe(401);
    const open = (link: unknown) => page.ask('session/link', { method: 'POST', body: { link } });
    expect((await open('x'.repeat(43))).status).toBe(401);
    expect((await open(undefined)).status).toBe(400);
    const opened = await open(linkOf(started));
    expect(opened.status).toBe(200);
    expect(opened.json()).toMatchObject({
      operator: { scope: 'admin' },
      dev: { gameId: demoGame.id, lanUrls: lanUrls(Number(new URL(url).port)) },
    });
    expect((await page.ask('api/v2/admin/games')).status).toBe(200);
    const again = await openPage(url).ask('session/link', { method: 'POST', body: { link: linkOf(started) } });
    expect([again.status, again.json().code]).toEqual([401, 'invalid_credentials']);
  });

  it('counts in the network of the developer without https, by whatever name the machine has there', async () => {
    started = await dev('--host', '0.0.0.0');
    const headers = { host: 'laptop.local:4873', origin: 'http://laptop.local:4873' };
    const opened = await ask(started.ready.url, '/console/session/link', {
      method: 'POST',
      body: { link: linkOf(started) },
      headers,
    });
    expect(opened.status).toBe(200);
    const cookie = String(opened.headers['set-cookie']).split(';')[0] ?? '';
    const { json } = await ask(started.ready.url, '/console/session', { headers: { ...headers, cookie } });
    expect(json().operator).not.toBeNull();
  });

  it('needs no link where the address is of this machine alone', async () => {
    started = await dev('--host', 'localhost');
    expect(started.ready.consoleUrl).toBe(`${started.ready.url}/console/`);
  });
});

it('a phone is shown the addresses of the network, and none of this machine alone', () => {
  const of = (address: string, family: 'IPv4' | 'IPv6', internal: boolean) =>
    ({ address, family, internal, netmask: '', mac: '', cidr: null, scopeid: 0 }) as NetworkInterfaceInfo;
  const interfaces = {
    lo: [of('127.0.0.1', 'IPv4', true), of('::1', 'IPv6', true)],
    wlan0: [of('192.168.1.20', 'IPv4', false), of('fe80::1', 'IPv6', false)],
    eth0: [of('10.0.0.7', 'IPv4', false)],
  };
  expect(lanUrls(4873, interfaces)).toEqual(['http://192.168.1.20:4873', 'http://10.0.0.7:4873']);
});

describe('the greeting of savepoint dev', () => {
  const ready = {
    url: 'http://127.0.0.1:4873',
    gameId: demoGame.id,
    privateKey: demoGame.privateKey,
    store: 'memory',
    seeded: [],
    faults: null,
  };

  it('names the console', () => {
    const text = banner({ ...ready, consoleUrl: 'http://127.0.0.1:4873/console/' });
    expect(text).toContain('  Console       http://127.0.0.1:4873/console/   (open it in a browser)\n');
  });

  it('says of a link that it works once', () => {
    const text = banner({ ...ready, consoleUrl: 'http://127.0.0.1:4873/console/#link=abc' });
    expect(text).toContain('/console/#link=abc   (open it in a browser; the link works once)\n');
  });
});
