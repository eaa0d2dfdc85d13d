import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { operations } from '../../../src/protocol/operations.js';
import { createTestService, testGameId, testPrivateKey } from '../../support/service.js';

const open: ServedBackend[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ close }) => close()));
});

async function listen(backend: Parameters<typeof serve>[0]): Promise<string> {
  const served = await serve(backend, { port: 0 });
  open.push(served);
  return served.url;
}

/** A back end as a user may wrap it: all that it has, and a `fetch` of the user's own. */
function wrapped() {
  const { backend } = createTestService();
  const asked: string[] = [];
  const fetch: typeof backend.fetch = (request, from) => {
    asked.push(`${request.method} ${new URL(request.url).pathname}`);
    return backend.fetch(request, from);
  };
  return { backend: { ...backend, fetch }, asked };
}

const json = { 'Content-Type': 'application/json' };
const guest = JSON.stringify({ game_id: testGameId, env: 0, device_id: 'device-one' });
const requests: [path: string, init: RequestInit][] = [
  [operations.readApiDocument.path, {}],
  [operations.readApiDocument.path, { method: 'HEAD' }],
  [operations.signInAsGuest.path, { method: 'POST', headers: json, body: '{' }],
  [operations.signInAsGuest.path, { method: 'POST', headers: json, body: ' '.repeat(300_000) }],
  [operations.signInAsGuest.path, { method: 'POST', headers: { ...json, Origin: 'https://a.example' }, body: guest }],
  [operations.signInAsGuest.path, { method: 'OPTIONS', headers: { Origin: 'https://a.example' } }],
  [operations.signInAsGuest.path, { method: 'DELETE' }],
  [`/v2/pr/games/${testGameId}/saves/${testGameId}/collections/hero?env=0`, bearer(testPrivateKey)],
  ['/v2/nothing', {}],
];

function bearer(key: string): RequestInit {
  return { headers: { Authorization: `Bearer ${key}` } };
}

/** Tokens are signed with a key of each service's own, and Node says itself how it sends. */
async function answersOf(url: string) {
  const own = new Set(['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']);
  const answers: unknown[] = [];
  for (const [path, init] of requests) {
    const answer = await fetch(url + path, init);
    const headers = [...answer.headers].filter(([name]) => !own.has(name)).sort();
    const body = (await answer.text()).replace(/eyJ[\w.-]+/g, '<token>');
    answers.push({ path, status: answer.status, headers, body });
  }
  return answers;
}

describe('serve', () => {
  it('takes no Response from what createBackend makes', async () => {
    const { backend } = createTestService();
    expect(backend.core.fetch).toBe(backend.fetch);
    const [own, answer] = [vi.fn(backend.core.fetch), vi.fn(backend.core.answer)];
    const url = await listen({ fetch: own, core: { ...backend.core, fetch: own, answer } });
    expect((await fetch(`${url}/v2/nothing`)).status).toBe(404);
    expect(answer).toHaveBeenCalledOnce();
    expect(own).not.toHaveBeenCalled();
  });

  it("asks a user's own fetch, though the back end behind it is there as well", async () => {
    const { backend, asked } = wrapped();
    const answer = vi.fn(backend.core.answer);
    const url = await listen({ ...backend, core: { ...backend.core, answer } });
    expect((await fetch(`${url}/v2/nothing`)).status).toBe(404);
    expect(asked).toEqual(['GET /v2/nothing']);
    expect(answer).not.toHaveBeenCalled();
  });

  it('answers alike in both ways', async () => {
    const { backend, asked } = wrapped();
    const indirect = await answersOf(await listen(backend));
    expect(asked).toHaveLength(requests.length);
    expect(await answersOf(await listen(createTestService().backend))).toEqual(indirect);
  });
});
