import { afterEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/backend/stores/memory/store.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { storeWith } from '../../../src/backend/stores/store-with.js';
import { newSigningKey } from '../../../src/cli/new-key.js';
import { testOperatorKey } from '../../support/operators.js';
import { ask, listen, openPage } from './page.js';
import { gameId, type ServedConsole, serveConsole } from './served-console.js';

const running: ServedConsole[] = [];

async function started(...given: Parameters<typeof serveConsole>): Promise<ServedConsole> {
  const served = await serveConsole(...given);
  running.push(served);
  return served;
}

afterEach(async () => {
  for (const served of running.splice(0)) await served.close();
});

const hour = 60 * 60 * 1000;
const nobodySignedIn = { operator: null, csrf: null, games: [], expiresAt: null, dev: null };

describe('a sign-in to the console', () => {
  it('says who the operator is, and what the page needs', async () => {
    const { url } = await started();
    const page = openPage(url);
    expect((await page.session()).json()).toEqual({ mode: 'serve', ...nobodySignedIn });
    const { status, text, json } = await page.signIn(testOperatorKey);
    expect(status).toBe(200);
    expect(json()).toEqual({
      mode: 'serve',
      operator: { name: 'the key of the environment', scope: 'admin' },
      csrf: expect.stringMatching(/^[\w-]{43}$/),
      games: [gameId],
      expiresAt: Date.parse('2026-11-23T20:00:00Z'),
      dev: null,
    });
    expect(text).not.toContain(testOperatorKey);
    expect((await page.session()).json()).toEqual(json());
  });

  it('says the name and the scope of a key that an operator has made', async () => {
    const { url } = await started();
    const admin = openPage(url);
    await admin.signIn(testOperatorKey);
    for (const scope of ['read', 'support', 'admin'] as const) {
      const made = await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: `grace ${scope}`, scope } });
      const page = openPage(url);
      expect((await page.signIn(made.json().key)).json().operator).toEqual({ name: `grace ${scope}`, scope });
    }
  });

  it('is in the log and in the audit log: who, when and from where, and never the key', async () => {
    const own = await serveConsole({ trustedProxies: ['127.0.0.1'] });
    const admin = openPage(own.url);
    await admin.signIn(testOperatorKey);
    own.advance(1);
    const { key, id } = (
      await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: 'grace', scope: 'read' } })
    ).json();
    own.advance(1);
    const page = openPage(own.url, { 'x-forwarded-for': '2001:db8:1:2:3::4' });
    await page.signIn(key);
    expect((await page.signIn(`${key}x`)).status).toBe(401);
    const { entries } = (await admin.ask('api/v2/admin/audit')).json();
    expect(entries.map(({ action }: { action: string }) => action)).toEqual([
      'signInToConsole',
      'makeOperatorKey',
      'signInToConsole',
    ]);
    expect(entries[0]).toMatchObject({ by: { id, name: 'grace' }, what: { from: '2001:db8:1:2::/64' } });
    expect(entries[0].at).toBeGreaterThan(0);
    expect(own.said.at(-1)).toEqual({
      kind: 'console-sign-in',
      operator: 'grace',
      scope: 'read',
      from: '2001:db8:1:2::/64',
    });
    expect(own.said).toHaveLength(2);
    expect(JSON.stringify([entries, own.said])).not.toContain(key);
    await own.close();
  });

  it('keeps the key out of the cookie as anybody could read it', async () => {
    const { url } = await started();
    const page = openPage(url);
    const { headers } = await page.signIn(testOperatorKey);
    const cookie = String(headers['set-cookie']);
    expect(cookie).toMatch(/^savepoint-console=[\w-]+; Max-Age=43200; Path=\/console\/; HttpOnly; SameSite=Strict$/);
    const value = /=([\w-]+);/.exec(cookie)?.[1] ?? '';
    const bytes = Buffer.from(value, 'base64url');
    expect(bytes.includes(testOperatorKey) || bytes.includes('expiresAt')).toBe(false);
  });

  it.each([
    ['a wrong key', { key: `${testOperatorKey}x` }, 401, 'invalid_credentials'],
    ['an empty key', { key: '' }, 401, 'invalid_credentials'],
    ['a key with a line break', { key: 'a\r\nCookie: b' }, 401, 'invalid_credentials'],
    ['no key', {}, 400, 'invalid_request'],
    ['a key that is no text', { key: [testOperatorKey] }, 400, 'invalid_request'],
    ['a list', [testOperatorKey], 400, 'invalid_request'],
    ['a body that is too large', { key: 'k'.repeat(5_000) }, 413, 'too_large'],
  ])('is refused with %s', async (_, body, status, code) => {
    const { url } = await started();
    const answered = await openPage(url).ask('session', { method: 'POST', body });
    expect([answered.status, answered.json().code]).toEqual([status, code]);
    expect(answered.headers['set-cookie']).toBeUndefined();
  });

  it('is refused to what is not JSON', async () => {
    const { url } = await started();
    const headers = { 'content-type': 'text/plain' };
    const answered = await openPage(url).ask('session', { method: 'POST', body: { key: testOperatorKey }, headers });
    expect([answered.status, answered.json().code]).toEqual([415, 'unsupported_media_type']);
  });

  it.each([[{ 'sec-fetch-site': 'cross-site' }], [{ 'sec-fetch-site': 'same-site' }], [{ 'sec-fetch-site': 'none' }]])(
    'is refused to another page, which could sign its visitor in as somebody else: %j',
    async (headers) => {
      const { url } = await started();
      const { status, json, headers: answered } = await openPage(url).signIn(testOperatorKey, { headers });
      expect([status, json().code, answered['set-cookie']]).toEqual([403, 'forbidden', undefined]);
    },
  );

  it('can be tried twenty times in ten minutes by a household, with right keys too', async () => {
    const { url, advance } = await started();
    const page = openPage(url);
    for (let tried = 0; tried < 20; tried += 1)
      expect((await page.signIn('a wrong key'.replaceAll(' ', '-'))).status).toBe(401);
    const refused = await page.signIn(testOperatorKey);
    const { code, limitName } = refused.json();
    expect([refused.status, code, limitName]).toEqual([429, 'rate_limited', 'console.signInsPerAddress']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    advance(Number(refused.headers['retry-after']) * 1000);
    expect((await page.signIn(testOperatorKey)).status).toBe(200);
  });

  it('counts by the address that a trusted proxy names, and by nothing that another peer says', async () => {
    const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
    const behindProxy = openPage((await started({ trustedProxies: ['127.0.0.1'] })).url);
    for (let tried = 0; tried < 21; tried += 1) await behindProxy.signIn('wrong', from('203.0.113.7'));
    expect((await behindProxy.signIn(testOperatorKey, from('203.0.113.7'))).status).toBe(429);
    expect((await behindProxy.signIn(testOperatorKey, from('203.0.113.8'))).status).toBe(200);
    const direct = openPage((await started()).url);
    for (let tried = 0; tried < 21; tried += 1) await direct.signIn('wrong', from(`203.0.113.${tried}`));
    expect((await direct.signIn(testOperatorKey, from('203.0.113.99'))).status).toBe(429);
  });
});

describe("the console's cookie", () => {
  const viaHttps = { headers: { origin: 'https://saves.example', host: 'saves.example' } };

  it('is one that only https and this host can set, where the browser came over https', async () => {
    const { url } = await started();
    const { headers } = await openPage(url).signIn(testOperatorKey, viaHttps);
    expect(String(headers['set-cookie'])).toMatch(
      /^__Host-savepoint-console=[\w-]+; Max-Age=43200; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
  });

  it('is that too where a trusted proxy says so, and no other peer', async () => {
    const headers = { 'x-forwarded-proto': 'https' };
    const trusting = await openPage((await started({ trustedProxies: ['127.0.0.1'] })).url).signIn(testOperatorKey, {
      headers,
    });
    expect(String(trusting.headers['set-cookie'])).toMatch(/^__Host-/);
    const wary = await openPage((await started()).url).signIn(testOperatorKey, { headers });
    expect(String(wary.headers['set-cookie'])).toMatch(/^savepoint-console=/);
  });

  it('is not given over plain http to another machine, whose key anybody could have read', async () => {
    const { url } = await started();
    const headers = { host: 'saves.example', origin: 'http://saves.example' };
    const { status, json, headers: answered } = await openPage(url).signIn(testOperatorKey, { headers });
    expect([status, json().code, answered['set-cookie']]).toEqual([403, 'forbidden', undefined]);
    expect(json().detail).toContain('https');
  });

  it('counts for twelve hours, and not a moment longer', async () => {
    const { url, advance } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    advance(12 * hour - 1);
    expect((await page.ask('api/v2/admin/games')).status).toBe(200);
    advance(1);
    expect((await page.ask('api/v2/admin/games')).status).toBe(401);
    expect((await page.session()).json()).toEqual({ mode: 'serve', ...nobodySignedIn });
  });

  it('does not count with one bit changed, whichever it is', async () => {
    const { url } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const [name, value = ''] = (page.cookie() ?? '').split('=');
    const bytes = Buffer.from(value, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit += 37) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const headers = { cookie: `${name}=${changed.toString('base64url')}` };
      expect((await ask(url, '/console/api/v2/admin/games', { headers })).status, `bit ${bit}`).toBe(401);
    }
  });

  it.each([
    ['cut off', (value: string) => value.slice(0, -1)],
    ['empty', () => ''],
    ['short', () => 'AAAA'],
    ['spelled in another way', (value: string) => `${value}==`],
    ['something else', () => 'x'.repeat(200)],
  ])('does not count where it is %s', async (_, change) => {
    const { url, errors } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const [name, value = ''] = (page.cookie() ?? '').split('=');
    const headers = { cookie: `${name}=${change(value)}` };
    expect((await ask(url, '/console/api/v2/admin/games', { headers })).status).toBe(401);
    expect(errors).toEqual([]);
  });

  it('does not count under the other name, nor twice, nor at another service', async () => {
    const { url } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const cookie = page.cookie() ?? '';
    const [, value] = cookie.split('=');
    const get = async (sent: string, at = url) =>
      (await ask(at, '/console/api/v2/admin/games', { headers: { cookie: sent } })).status;
    expect(await get(cookie)).toBe(200);
    expect(await get(`__Host-savepoint-console=${value}`)).toBe(401);
    expect(await get(`${cookie}; savepoint-console=of-a-sub-domain`)).toBe(401);
    expect(await get(cookie, (await started()).url)).toBe(401);
    // White space that is none in a header: a sub-domain may set a cookie of that name.
    expect(await get(`\u00a0${cookie}`)).toBe(401);
    expect(await get(`${cookie}; \u00a0savepoint-console=of-a-sub-domain`)).toBe(200);
  });

  it('does not count with its plain name at a host that others could have set it for', async () => {
    const { url } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const headers = { host: 'saves.example' };
    expect((await page.ask('api/v2/admin/games', { headers })).status).toBe(401);
  });

  it('counts after a restart and in every process, also when the signing key has become a former one', async () => {
    const first = await started();
    const page = openPage(first.url);
    await page.signIn(testOperatorKey);
    const cookie = page.cookie() ?? '';
    const signingKey = first.options.signingKey as NonNullable<typeof first.options.signingKey>;
    const get = async (url: string) => (await ask(url, '/console/api/v2/admin/games', { headers: { cookie } })).status;
    expect(await get((await started({ signingKey })).url)).toBe(200);
    const newKey = await newSigningKey();
    expect(await get((await started({ signingKey: newKey, formerSigningKeys: [signingKey] })).url)).toBe(200);
    const { d: _, ...published } = signingKey;
    expect(await get((await started({ signingKey: newKey, formerSigningKeys: [published] })).url)).toBe(401);
  });

  it('goes when the operator signs out', async () => {
    const { url } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const { status, headers } = await page.ask('session', { method: 'DELETE' });
    expect([status, String(headers['set-cookie'])]).toEqual([
      204,
      expect.stringContaining('savepoint-console=; Max-Age=0'),
    ]);
    expect((await page.session()).json().operator).toBeNull();
  });

  describe('that was copied', () => {
    /** Two processes over one store, with an operator signed in, and somebody who has a copy of the cookie. */
    async function copied(given: { store?: Store } = {}) {
      const store = given.store ?? createMemoryStore();
      const here = await started({ store });
      const signingKey = here.options.signingKey as NonNullable<typeof here.options.signingKey>;
      const there = await started({ store, signingKey });
      const page = openPage(here.url);
      await page.signIn(testOperatorKey);
      const cookie = page.cookie() ?? '';
      const ofThief = async ({ url }: ServedConsole, path = 'api/v2/admin/games') =>
        (await ask(url, `/console/${path}`, { headers: { cookie } })).status;
      return { here, there, page, cookie, ofThief };
    }

    it('counts for nobody once the operator has signed out: here at once, in other processes within two seconds', async () => {
      const { here, there, page, cookie, ofThief } = await copied();
      expect([await ofThief(here), await ofThief(there)]).toEqual([200, 200]);
      expect((await page.ask('session', { method: 'DELETE' })).status).toBe(204);
      for (const path of ['api/v2/admin/games', 'overview', 'limits']) expect(await ofThief(here, path)).toBe(401);
      there.advance(2_000);
      for (const path of ['api/v2/admin/games', 'overview', 'limits']) expect(await ofThief(there, path)).toBe(401);
      const shown = await ask(there.url, '/console/session', { headers: { cookie } });
      expect(shown.json()).toEqual({ mode: 'serve', ...nobodySignedIn });
      // Another session of the same operator is another one.
      expect((await page.signIn(testOperatorKey)).status).toBe(200);
      expect((await page.ask('api/v2/admin/games')).status).toBe(200);
      expect(await ofThief(here)).toBe(401);
    });

    it('counts for nobody until it would have ended by itself, whatever is removed meanwhile', async () => {
      const { here, there, page, ofThief } = await copied();
      await page.ask('session', { method: 'DELETE' });
      there.advance(12 * hour - 1);
      here.advance(12 * hour - 1);
      await here.backend.sweep();
      expect([await ofThief(here), await ofThief(there)]).toEqual([401, 401]);
    });

    it('ends a list of requests that goes on', async () => {
      const { here, there, page, cookie } = await copied();
      const lists = [await listen(here.url, { cookie }), await listen(there.url, { cookie })];
      await page.ask('session', { method: 'DELETE' });
      there.advance(2_000);
      for (const served of [here, there]) await served.watch.beat();
      await Promise.all(lists.map(({ ended }) => ended));
    });

    it('is looked up once in two seconds, however much the page asks', async () => {
      let looks = 0;
      const memory = createMemoryStore();
      const store = storeWith(memory, {
        isNonceClaimed: (request) => {
          looks += 1;
          return memory.isNonceClaimed(request);
        },
      });
      const { here, page } = await copied({ store });
      const asked = () => Promise.all(Array.from({ length: 8 }, () => page.ask('api/v2/admin/games')));
      await asked();
      here.advance(1_999);
      await asked();
      expect(looks).toBe(1);
      here.advance(1);
      await asked();
      expect(looks).toBe(2);
    });

    it('counts for nobody while the store does not say, and a sign-out that it does not keep is not answered as one', async () => {
      let isAway = true;
      const memory = createMemoryStore();
      const away = () => Promise.reject(Object.assign(new Error('away'), { name: 'StoreUnavailable' }));
      const store = storeWith(memory, {
        isNonceClaimed: (request) => (isAway ? away() : memory.isNonceClaimed(request)),
        claimNonce: (request) => (isAway ? away() : memory.claimNonce(request)),
      });
      const { here, page, ofThief } = await copied({ store });
      expect(await ofThief(here)).toBe(503);
      const refused = await page.ask('session', { method: 'DELETE' });
      expect([refused.status, refused.headers['set-cookie']]).toEqual([503, undefined]);
      isAway = false;
      expect(await ofThief(here)).toBe(200);
      expect((await page.ask('session', { method: 'DELETE' })).status).toBe(204);
      expect(await ofThief(here)).toBe(401);
    });
  });

  it('is not taken away by another page', async () => {
    const { url } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await page.ask('session', { method: 'DELETE', headers })).status).toBe(403);
    expect((await page.session()).json().operator).not.toBeNull();
  });

  it.each([['cross-site'], ['same-site']])('tells its token to no page that is %s', async (site) => {
    const { url } = await started();
    const page = openPage(url);
    await page.signIn(testOperatorKey);
    const headers = { 'sec-fetch-site': site, origin: 'https://evil.example' };
    const told = await page.ask('session', { headers });
    expect(told.status).toBe(403);
    expect(JSON.stringify(told)).not.toContain(page.csrf());
    // A browser that sends no Sec-Fetch-Site hands the answer to no page of elsewhere either.
    const { headers: allowed } = await ask(url, '/console/session', {
      headers: { cookie: page.cookie() ?? '', origin: 'https://evil.example' },
    });
    expect(Object.keys(allowed).filter((name) => name.startsWith('access-control-'))).toEqual([]);
    expect(allowed['cross-origin-resource-policy']).toBe('same-origin');
  });

  it('ends with the key that it stands for', async () => {
    const { url } = await started();
    const admin = openPage(url);
    await admin.signIn(testOperatorKey);
    const made = await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: 'grace', scope: 'read' } });
    const page = openPage(url);
    await page.signIn(made.json().key);
    expect((await page.ask('api/v2/admin/games')).status).toBe(200);
    expect((await admin.change(`api/v2/admin/keys/${made.json().id}`, { method: 'DELETE' })).status).toBe(204);
    const { cookie } = { cookie: page.cookie() ?? '' };
    const refused = await page.ask('api/v2/admin/games');
    expect([refused.status, refused.json().code]).toEqual([401, 'unauthorized']);
    expect(page.cookie()).toBeNull();
    const shown = await ask(url, '/console/session', { headers: { cookie } });
    expect(shown.json()).toEqual({ mode: 'serve', ...nobodySignedIn });
  });
});
