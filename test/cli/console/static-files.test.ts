import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DevInProcess, startInProcess } from '../in-process.js';
import { ask, pageFolder } from './page.js';

describe("the console's files", () => {
  let started: DevInProcess;
  let url: string;

  beforeAll(async () => {
    started = await startInProcess(['dev', '--port', '0', '--json'], { consoleFolder: pageFolder() });
    url = started.ready.url;
  });
  afterAll(() => started.stop());

  it.each([['/console/'], ['/console/index.html']])('has the page at %s, which is never kept', async (path) => {
    const answered = await ask(url, path);
    expect([answered.status, answered.text]).toEqual([200, '<!doctype html><title>savepoint</title>']);
    expect(answered.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
  });

  it('leads from the address without a slash to the page', async () => {
    const { status, headers } = await ask(url, '/console');
    expect([status, headers['location']]).toEqual([308, '/console/']);
  });

  it('lets a file be kept whose name tells its content, and no other', async () => {
    const hashed = await ask(url, '/console/assets/index-B2x9_kQ1.js');
    expect(hashed.headers).toMatchObject({
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    expect((await ask(url, '/console/favicon.svg')).headers).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': 'no-store',
    });
  });

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip;q=0.8', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['identity', null],
    ['gzip;q=0', null],
  ])('are compressed for a browser that takes %s', async (accepted, encoding) => {
    const address = `${url}/console/assets/large-B2x9_kQ2.js`;
    const answered = await fetch(address, { headers: { 'accept-encoding': accepted } });
    expect(answered.headers.get('content-encoding')).toBe(encoding);
    expect(answered.headers.get('vary')).toBe('Accept-Encoding');
    const sent = Number(answered.headers.get('content-length'));
    const { length } = await answered.text();
    expect(length).toBe(10_018);
    expect(sent < 500).toBe(encoding !== null);
  });

  it('are sent as they are where they are small', async () => {
    const answered = await fetch(`${url}/console/`, { headers: { 'accept-encoding': 'br' } });
    expect([answered.headers.get('content-encoding'), answered.headers.get('vary')]).toEqual([null, null]);
  });

  it('answers HEAD without a body', async () => {
    const { status, text, headers } = await ask(url, '/console/', { method: 'HEAD' });
    expect([status, text, headers['content-type']]).toEqual([200, '', 'text/html; charset=utf-8']);
  });

  it.each([['/console/'], ['/console/assets/index-B2x9_kQ1.js'], ['/console/session'], ['/console/nothing']])(
    'stands in no frame, runs no script but its own and tells nobody where it was: %s',
    async (path) => {
      const { headers } = await ask(url, path);
      const policy = String(headers['content-security-policy']).split('; ');
      for (const directive of [
        "default-src 'none'",
        "script-src 'self'",
        "connect-src 'self'",
        "frame-ancestors 'none'",
      ])
        expect(policy).toContain(directive);
      for (const directive of ["base-uri 'none'", "form-action 'none'"]) expect(policy).toContain(directive);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );

  it.each([
    ['/console/nothing.js'],
    ['/console/../package.json'],
    ['/console/%2e%2e/%2e%2e/package.json'],
    ['/console/..%2f..%2fpackage.json'],
    ['/console/assets/..%5c..%5cpackage.json'],
    ['/console//etc/passwd'],
    ['/console/assets'],
    ['/console/__proto__'],
    ['/console/constructor'],
    ['/console/assets/%00'],
  ])('has nothing at %s', async (path) => {
    const { status, headers } = await ask(url, path);
    expect([status, headers['content-type']]).toEqual([404, 'application/problem+json']);
  });

  it.each([['POST'], ['PUT'], ['DELETE'], ['OPTIONS'], ['PROPFIND']])('takes no %s of a file', async (method) => {
    const { status, headers } = await ask(url, '/console/', { method });
    expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('says so where the package was built without the page', async () => {
    const bare = await startInProcess(['dev', '--port', '0', '--json']);
    const { status, text } = await ask(bare.ready.url, '/console/');
    await bare.stop();
    expect([status, text]).toEqual([404, expect.stringContaining('built without the page of the console')]);
  });
});
