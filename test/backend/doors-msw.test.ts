import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { createHandlers } from 'savepoint/backend/msw';
import { afterEach, describe, expect, it } from 'vitest';
import { createTestService } from '../support/service.js';

const server = setupServer();
let isListening = false;

function mock(options: { baseUrl: string; authUrl?: string }, ...more: Parameters<typeof server.use>) {
  const service = createTestService();
  server.use(...createHandlers(service.backend, options), ...more);
  if (!isListening) server.listen({ onUnhandledRequest: 'error' });
  isListening = true;
  return service;
}

afterEach(() => server.resetHandlers());

describe('createHandlers', () => {
  it("leaves what is not the service's to other handlers", async () => {
    mock(
      { baseUrl: 'https://game.test' },
      http.get('https://game.test/shop', () => HttpResponse.json(['hat'])),
    );
    expect(await (await fetch('https://game.test/shop')).json()).toEqual(['hat']);
    expect((await fetch('https://game.test/.well-known/jwks.json')).status).toBe(200);
    expect((await fetch('https://game.test/v2/nothing')).status).toBe(404);
  });

  it('leaves what is beside its path to other handlers', async () => {
    const { backend } = mock(
      { baseUrl: 'https://game.test/saves' },
      http.get('https://game.test/*', ({ request }) => HttpResponse.text(new URL(request.url).pathname)),
    );
    for (const path of [
      '/v2/auth/account',
      '/savesv2/auth/account',
      '/saves',
      '/saves/',
      '/saves/v2',
      '/saves/x/v2/auth/account',
    ]) {
      expect(await (await fetch(`https://game.test${path}`)).text()).toBe(path);
    }
    expect(backend.control.requests).toEqual([]);
    expect((await fetch('https://game.test/saves/v2/auth/account')).status).toBe(401);
  });

  it('answers at two addresses, where authentication has one of its own', async () => {
    const { backend } = mock({ baseUrl: 'https://saves.test/api/', authUrl: 'https://auth.test' });
    await fetch('https://auth.test/v2/auth/account');
    await fetch('https://saves.test/api/v2/auth/account?env=0');
    expect(backend.control.requests.map(({ path }) => path)).toEqual(['/v2/auth/account', '/v2/auth/account?env=0']);
  });

  it('takes an address for what it is, not for a pattern', async () => {
    mock(
      { baseUrl: 'https://game.test/a.b(c)+' },
      http.get('https://game.test/*', () => HttpResponse.text('other')),
    );
    expect((await fetch('https://game.test/a.b(c)+/v2/auth/account')).status).toBe(401);
    expect(await (await fetch('https://game.test/axb(c)+/v2/auth/account')).text()).toBe('other');
  });

  it('survives a bad escape in the path', async () => {
    mock({ baseUrl: 'https://game.test' });
    const answer = await fetch('https://game.test/v2/cl/games/%zz/collections/%', {
      headers: { authorization: 'Bearer x' },
    });
    expect(answer.status).toBe(400);
  });

  it.each([
    ['baseUrl', { baseUrl: '/api' }],
    ['baseUrl', {}],
    ['authUrl', { baseUrl: 'https://game.test', authUrl: 'game.test' }],
  ])('throws TypeError naming %s for %j', (option, options) => {
    const { backend } = createTestService();
    expect(() => createHandlers(backend, options as never)).toThrow(TypeError);
    expect(() => createHandlers(backend, options as never)).toThrow(option);
  });

  it('throws TypeError without a back end or options', () => {
    expect(() => createHandlers(undefined as never, { baseUrl: 'https://game.test' })).toThrow(TypeError);
    expect(() => createHandlers(createTestService().backend, undefined as never)).toThrow(TypeError);
  });
});

describe('the worker script of the browser tests', () => {
  it('is the one of the installed msw (else run: npx msw init test/public --no-save)', () => {
    const script = readFileSync(new URL('../public/mockServiceWorker.js', import.meta.url), 'utf8');
    const { version } = createRequire(import.meta.url)('msw/package.json') as { version: string };
    expect(script).toContain(`PACKAGE_VERSION = '${version}'`);
  });
});
