import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { App } from '../../../src/backend/http/app.js';
import { askAdminApi } from '../../../src/cli/console/admin-api.js';
import { testOperatorKey } from '../../support/operators.js';
import { ask, type ConsolePage, openPage } from './page.js';
import { gameId, privateKey, type ServedConsole, serveConsole } from './served-console.js';

describe('what the page asks of the service', () => {
  let served: ServedConsole;
  let page: ConsolePage;

  beforeAll(async () => {
    served = await serveConsole({ trustedProxies: ['10.9.8.7'] });
    page = openPage(served.url);
    await page.signIn(testOperatorKey);
  });
  afterAll(() => served.close());

  const players = `api/v2/admin/games/${gameId}/players`;

  it('is answered as the service answers the operator', async () => {
    for (const path of [
      '/v2/admin/games',
      `/v2/admin/games/${gameId}/players?env=0`,
      '/v2/admin/nothing',
      '/v2/admin/keys',
    ]) {
      const own = await ask(served.url, path, { headers: { authorization: `Bearer ${testOperatorKey}` } });
      const { status, headers, json } = await page.ask(`api${path}`);
      expect([status, headers['content-type']]).toEqual([own.status, own.headers['content-type']]);
      const { requestId: _, ...body } = json();
      const { requestId: __, ...expected } = own.json();
      expect(body).toEqual(expected);
    }
  });

  it('is refused with the code of the service where the scope does not allow it', async () => {
    const made = await page.change('api/v2/admin/keys', {
      method: 'POST',
      body: { name: 'only looks', scope: 'read' },
    });
    const reader = openPage(served.url);
    await reader.signIn(made.json().key);
    expect((await reader.ask(`${players}?env=0`)).status).toBe(200);
    const refused = await reader.change(`${players}/11111111-1111-4111-8111-111111111111?env=0`, { method: 'DELETE' });
    expect([refused.status, refused.json().code]).toEqual([403, 'insufficient_scope']);
  });

  it('goes without a session nowhere', async () => {
    const { status, json } = await openPage(served.url).ask(`${players}?env=0`);
    expect([status, json().code]).toEqual([401, 'unauthorized']);
  });

  it.each([
    ['no token', () => ({})],
    ['an empty token', () => ({ 'savepoint-console': '' })],
    ['a wrong token', () => ({ 'savepoint-console': 'x'.repeat(43) })],
    ['a token cut off', () => ({ 'savepoint-console': page.csrf().slice(0, -1) })],
    ['the token from another site', () => ({ 'savepoint-console': page.csrf(), 'sec-fetch-site': 'cross-site' })],
    ['the token from another sub-domain', () => ({ 'savepoint-console': page.csrf(), 'sec-fetch-site': 'same-site' })],
  ])('changes nothing with %s', async (_, headers) => {
    const keys = async () => (await page.ask('api/v2/admin/keys')).json().keys.length;
    const before = await keys();
    const body = { name: 'of another page', scope: 'admin' };
    const refused = await page.ask('api/v2/admin/keys', { method: 'POST', body, headers: headers() });
    expect([refused.status, refused.headers['content-type'], refused.json()]).toEqual([
      403,
      'application/problem+json',
      expect.objectContaining({ code: 'forbidden', status: 403, detail: expect.any(String) }),
    ]);
    expect(await keys()).toBe(before);
  });

  it('takes the token of its own session alone', async () => {
    const other = openPage(served.url);
    await other.signIn(testOperatorKey);
    const headers = { 'savepoint-console': other.csrf() };
    const body = { name: 'of another session', scope: 'read' };
    expect((await page.ask('api/v2/admin/keys', { method: 'POST', body, headers })).status).toBe(403);
  });

  it.each([
    ['its own origin', (url: string) => ({ origin: url }), 200],
    ['another origin', () => ({ origin: 'http://evil.example' }), 403],
    ['another port', () => ({ origin: 'http://127.0.0.1:1' }), 403],
    ['an origin of nowhere', () => ({ origin: 'null' }), 403],
    ['no origin', () => ({}), 403],
  ])('goes by the Origin where the browser sends no Sec-Fetch-Site: %s', async (_, headers, expected) => {
    const cookie = page.cookie() ?? '';
    const sent = { cookie, 'savepoint-console': page.csrf(), ...headers(served.url) };
    const body = { name: 'by origin', scope: 'read' };
    const { status } = await ask(served.url, '/console/api/v2/admin/keys', { method: 'POST', body, headers: sent });
    expect(status).toBe(expected);
  });

  it.each([['cross-site'], ['same-site']])('is not read for a page that is %s', async (site) => {
    expect((await page.ask('api/v2/admin/games', { headers: { 'sec-fetch-site': site } })).status).toBe(403);
  });

  it.each([
    ['api/v2/auth/account'],
    [`api/v2/pr/games/${gameId}/saves/a/collections/b?env=0`],
    ['api/openapi.json'],
    ['api/.well-known/jwks.json'],
    ['api/v2/admin'],
    ['api/v2/adminx'],
    ['api/v2/admin/../auth/account'],
    ['api/v2/admin/%2e%2e/auth/account'],
    ['api/v2/admin/..%2f..%2fauth/account'],
    ['api/v2/admin/.%2e/auth/account'],
    ['api//v2/admin/games'],
    ['api/http://127.0.0.1:1/v2/admin/games'],
    ['api//127.0.0.1:1/v2/admin/games'],
    ['api/%2fv2/admin/games'],
    ['api/'],
  ])("reaches nothing but the operators' addresses: %s", async (path) => {
    const { status, json } = await page.ask(path, { headers: { authorization: `Bearer ${privateKey}` } });
    expect([status, json().code]).toEqual([404, 'not_found']);
  });

  it.each(['TRACE', 'OPTIONS', 'PURGE'])('does not pass on %s', async (method) => {
    const { status, headers } = await page.change('api/v2/admin/games', { method });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD, POST, PUT, PATCH, DELETE']);
  });

  it('brings nothing of the browser but what the request needs', async () => {
    const headers = {
      authorization: 'Bearer another-key',
      'x-forwarded-for': '203.0.113.9',
      'x-request-id': 'chosen-by-the-page',
      'service-signature': 'a',
      origin: served.url,
    };
    const { status, headers: answered } = await page.ask('api/v2/admin/games', { headers });
    expect(status).toBe(200);
    expect(answered['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(Object.keys(answered).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('carries a body to the service, whole', async () => {
    const body = { name: 'n'.repeat(64), scope: 'read' };
    const made = await page.change('api/v2/admin/keys', { method: 'POST', body });
    expect(made.json()).toMatchObject({ name: 'n'.repeat(64), scope: 'read' });
    const tooLong = await page.change('api/v2/admin/keys', {
      method: 'POST',
      body: { name: 'n'.repeat(300_000), scope: 'read' },
    });
    expect([tooLong.status, tooLong.json().code]).toEqual([413, 'too_large']);
  });

  it('is a 503 where the store is away, and the log has it', async () => {
    const away = Object.assign(new Error('The store cannot be reached (test).'), { name: 'StoreUnavailable' });
    const failing = await serveConsole({
      store: new Proxy({} as never, { get: () => () => Promise.reject(away) }),
    });
    const { status, json, headers } = await openPage(failing.url).signIn(
      `op_11111111-1111-4111-8111-111111111111_${'x'.repeat(43)}`,
    );
    expect([status, json().code, headers['retry-after']]).toEqual([503, 'unavailable', '1']);
    expect(failing.errors).toEqual(['The store cannot be reached (test).']);
    await failing.close();
  });
});

describe('askAdminApi', () => {
  it('passes on what a request needs, and keeps back what is of one connection or for other pages', async () => {
    const seen: string[] = [];
    const service: App = async (request, arrival) => {
      seen.push(...[...request.headers].map(([name, value]) => `${name}: ${value}`), String(arrival.address));
      const headers = [
        'Retry-After',
        'X-Request-Id',
        'Connection',
        'Set-Cookie',
        'Access-Control-Allow-Origin',
        'Vary',
      ];
      return { status: 429, headers: new Map(headers.map((name) => [name, '1'])), body: '{}' };
    };
    const asked = new Request('http://localhost:1/console/api/v2/admin/games', {
      headers: {
        cookie: 'a=b',
        authorization: 'Bearer other',
        accept: 'application/json',
        'x-forwarded-for': '1.2.3.4',
      },
    });
    const given = { path: '/v2/admin/games', key: 'the-key', address: '127.0.0.1' };
    const { status, headers } = await askAdminApi(service, asked, given);
    expect(seen).toEqual(['accept: application/json', 'authorization: Bearer the-key', '127.0.0.1']);
    expect([status, ...headers.keys()]).toEqual([429, 'content-type', 'retry-after', 'x-request-id']);
  });
});
