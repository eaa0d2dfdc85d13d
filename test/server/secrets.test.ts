import { inspect } from 'node:util';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { offline, privateKey, problem, scripted, userId } from './scripted-client.js';

const accessToken = 'eyJhbGciOiJFUzI1NiJ9.c2VjcmV0LXBheWxvYWQ.c2VjcmV0LXNpZw';
const ip = '203.0.113.77';

/** Fails as fetch implementations do: with the whole request on the error. */
function failWithRequest(request: unknown): never {
  throw Object.assign(new TypeError(`failed: Bearer ${privateKey}`), { request, options: { headers: privateKey } });
}

describe('secrets', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it.each([
    ['an error that carries the request', (asked: unknown) => failWithRequest(asked)],
    ['no network', () => offline()],
    ['a refusal', () => problem(401, 'unauthorized')],
    ['a page', () => new Response(`<p>${privateKey}</p>`, { status: 502 })],
    ['an answer of another form', () => Response.json({ echo: privateKey })],
  ])('are in no error, log line or address after %s', async (_, reply) => {
    const lines: unknown[] = [];
    for (const method of ['log', 'info', 'warn', 'error', 'debug'] as const) {
      vi.spyOn(console, method).mockImplementation((...line) => void lines.push(line));
    }
    const { client, asked } = scripted((request) => reply(request));
    const entry = { userId, collection: 'profile', key: 'wallet' };
    const failures = await Promise.allSettled([
      client.authenticate({ customUserId: 'player-42', deviceId: 'device-7', ip }),
      client.readCollection(entry),
      client.updateEntry({ ...entry, value: {}, version: 0 }),
      client.editEntry(entry, () => ({})),
      client.verifyPlayer(accessToken),
    ]);

    expect(failures.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
    const seen = inspect({ failures, lines, client }, { depth: Number.POSITIVE_INFINITY, showHidden: true });
    const signatures = asked.flatMap(({ headers }) => headers.get('service-signature') ?? []);
    expect(signatures.length).toBeGreaterThan(0);
    for (const secret of [privateKey, accessToken, 'c2VjcmV0', ip, ...signatures]) expect(seen).not.toContain(secret);
    for (const { url } of asked) expect(url).not.toContain(privateKey);
  });
});
