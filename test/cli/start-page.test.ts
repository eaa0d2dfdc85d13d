import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import type { Ready } from '../../src/cli/dev/banner.js';
import { asksForStartPage, startPage, startPageText } from '../../src/cli/dev/start-page.js';
import { type DevInProcess, devInProcess } from './in-process.js';

const ready: Ready = {
  url: 'http://127.0.0.1:4873',
  consoleUrl: 'http://127.0.0.1:4873/console/',
  gameId: demoGame.id,
  privateKey: demoGame.privateKey,
  store: 'memory',
  seeded: [],
  faults: null,
};
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('the address that savepoint dev prints', () => {
  let started: DevInProcess;

  beforeAll(async () => {
    started = await devInProcess('--seed-demo', '--private-key', 'a-key-of-my-own');
  });
  afterAll(() => started.stop());

  const get = (accept: string, path = '/', method = 'GET') =>
    fetch(started.ready.url + path, { method, headers: { accept } });

  it('answers a browser with a page of its ids, its address and its players', async () => {
    const response = await get(browser);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const text = await response.text();
    for (const part of [started.ready.url, demoGame.id, 'correct horse', '/openapi.json', '/.well-known/jwks.json']) {
      expect(text).toContain(part);
    }
  });

  it('shows no private key that somebody gave', async () => {
    expect(await (await get(browser)).text()).not.toContain('a-key-of-my-own');
  });

  it('takes no Host header for its own address', async () => {
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { accept: browser, host: 'evil.example' };
      request(started.ready.url, { headers }, (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve(body));
      })
        .on('error', reject)
        .end();
    });
    expect(text).toContain(started.ready.url);
    expect(text).not.toContain('evil.example');
  });

  it('answers HEAD with the headers alone', async () => {
    const response = await get(browser, '/', 'HEAD');
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it.each([
    ['application/json', '/', 'GET'],
    ['*/*', '/', 'GET'],
    ['text/html;q=0, */*', '/', 'GET'],
    [browser, '/', 'POST'],
    [browser, '/favicon.ico', 'GET'],
  ])('answers what asks for %s of %s by %s with the problem', async (accept, path, method) => {
    const response = await get(accept, path, method);
    expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/problem+json']);
    expect(await response.json()).toMatchObject({ code: 'not_found' });
  });

  it('leads to the requests and the public keys', async () => {
    const links = [...(await (await get(browser)).text()).matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toHaveLength(2);
    for (const link of links) expect((await get(browser, link)).status).toBe(200);
  });
});

it('Only a GET or HEAD of / that names HTML asks for the page', () => {
  const asked = (accept: string | null, path = '/') =>
    asksForStartPage(new Request(`http://test${path}`, { headers: accept === null ? {} : { accept } }));
  expect([browser, 'TEXT/HTML', 'application/json, text/html; charset=utf-8'].map((accept) => asked(accept))).toEqual([
    true,
    true,
    true,
  ]);
  expect(asked(browser, '/?a=b')).toBe(true);
  expect([null, '', '*/*', 'text/htmlx', 'text/html;q=0.0'].map((accept) => asked(accept))).not.toContain(true);
  expect(asked(browser, '/v2')).toBe(false);
});

it('The page shows the demo key, and says that everybody knows it', () => {
  expect(startPageText(ready)).toContain(demoGame.privateKey);
  expect(startPageText({ ...ready, privateKey: 'mine' })).not.toContain('everybody knows it');
});

it('The page says what goes wrong how often', () => {
  const faults = { slow: 0.2, '503': 0, lost: 0.05, offline: 0 };
  expect(startPageText({ ...ready, faults })).toContain('20 % answered after 2 s, 5 % carried out without an answer');
});

it('Everything that is put into the page is escaped', () => {
  const bad = `"'><img src=x onerror=alert(1)></style></script>&`;
  const text = startPageText({
    ...ready,
    url: bad,
    gameId: bad,
    store: bad,
    seeded: [{ username: bad, password: bad }],
  });
  expect(text).not.toContain('<img');
  expect(text.match(/<\/style>|<\/script>/g)).toEqual(['</style>', '</script>']);
  expect(text).toContain('data-address="&quot;&#39;&gt;&lt;img src=x');
});

it('Nothing runs in the page but its own script and style, and nothing comes from elsewhere', async () => {
  const response = startPage({ method: 'GET' }, ready);
  const policy = response.headers.get('content-security-policy') ?? '';
  const text = await response.text();
  for (const tag of ['style', 'script']) {
    const [, inside = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(text) ?? [];
    expect(policy).toContain(`${tag}-src 'sha256-${createHash('sha256').update(inside).digest('base64')}'`);
  }
  expect(policy).not.toContain('unsafe');
  expect(text).not.toMatch(/\s(on\w+|style)=|<(link|script|img|iframe)[^>]*\s(src|href)="(?!data:)/);
});
