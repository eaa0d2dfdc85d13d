import prometheus from 'prom-client';
import { createBackend, createMemoryStore, type Store } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/backend/stores/unavailable.js';
import { createMetrics, type Watched } from '../../src/cli/serve/metrics.js';
import { showMetrics } from '../../src/cli/serve/metrics-port.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  authenticateForGame,
  createTestService,
  makeConflict,
  post,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  testGameId,
  writeEntry,
} from '../support/service.js';

type Options = NonNullable<Parameters<typeof createTestService>[0]>;

const unwatched: Omit<Watched, 'load'> = {
  health: { reads: async () => true, writes: async () => false },
  connections: () => ({ idle: 3, busy: 2, waiting: 1, max: 10 }),
  isDraining: () => false,
  warnings: () => [],
};

/** A service that is measured, and what is measured, by `name{label="value"}`. */
function measured(options: Options = {}, watched: Partial<Watched> = {}) {
  const metrics = createMetrics(prometheus, { version: '1.2.3', now: () => 0 });
  const service = createTestService({ ...options, observer: metrics.observer });
  metrics.watch({
    ...unwatched,
    load: service.backend.load,
    ...watched,
  });
  const read = async (): Promise<Map<string, number>> => {
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('savepoint_'));
    return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  };
  return { service, metrics, read };
}

describe('the metrics', () => {
  it("show what the games' back ends have not been told", async () => {
    const webhooks = [{ gameId: testGameId, waiting: 3, oldestAgeMs: 5_500, dead: 2, lost: 7 }];
    const { service, metrics } = measured();
    const other = createMetrics(prometheus, { version: '1.2.3', now: () => 0 });
    expect(await metrics.text()).not.toMatch(/^savepoint_webhooks.*\{/m);
    other.watch({ ...unwatched, load: () => ({ ...service.backend.load(), webhooks }) });
    const text = await other.text();
    expect(text).toContain(`savepoint_webhooks{game="${testGameId}",state="waiting"} 3\n`);
    expect(text).toContain(`savepoint_webhooks{game="${testGameId}",state="dead"} 2\n`);
    expect(text).toContain(`savepoint_webhooks_oldest_seconds{game="${testGameId}"} 5.5\n`);
    expect(text).toContain(`savepoint_webhooks_lost{game="${testGameId}"} 7\n`);
  });

  it('count requests by operation, status and code, and how long they took', async () => {
    const { service, read } = measured();
    await signInGuest(service);
    await send(service, operations.readAccount.path, {});
    const found = await read();
    expect(found.get('savepoint_requests_total{operation="signInAsGuest",status="200",code="none"}')).toBe(1);
    expect(found.get('savepoint_requests_total{operation="readAccount",status="401",code="unauthorized"}')).toBe(1);
    expect(found.get('savepoint_refusals_total{code="unauthorized"}')).toBe(1);
    expect(found.get('savepoint_request_duration_seconds_count{operation="signInAsGuest"}')).toBe(1);
    expect(found.get('savepoint_request_duration_seconds_bucket{le="0.001",operation="signInAsGuest"}')).toBe(1);
    expect(found.get('savepoint_requests_running')).toBe(0);
    expect(found.get('savepoint_store_duration_seconds_count{operation="ensureAccount"}')).toBe(1);
  });

  it('count sign-ins by method and result, choices, writes by who writes, and nonces by their games', async () => {
    const { service, read } = measured();
    const { local, ticket } = await makeConflict(service);
    const credential = { username: 'ada', password: 'wrong horse' };
    await post(service, operations.signInWithName.path, credential, { deviceId: 'device-three' });
    await writeEntry(service, local);
    await writeEntry(service, local, { version: 7 });
    await post(service, operations.resolveConflict.path, { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    await authenticateForGame(service);
    const nonce = 'n'.repeat(32);
    for (let times = 0; times < 2; times += 1) await service.backend.fetch(await signedRequest(service, { nonce }));
    const found = await read();
    const signIns = (method: string, result: string) =>
      found.get(`savepoint_sign_ins_total{method="${method}",result="${result}"}`);
    expect([signIns('guest', 'ok'), signIns('name', 'ok'), signIns('custom', 'ok')]).toEqual([2, 1, 2]);
    expect([signIns('name', 'profile_conflict'), signIns('name', 'invalid_credentials')]).toEqual([1, 1]);
    expect(found.get('savepoint_writes_total{by="player",result="ok"}')).toBe(1);
    expect(found.get('savepoint_writes_total{by="player",result="version_mismatch"}')).toBe(1);
    expect(found.get('savepoint_conflict_choices_total{choice="cloud"}')).toBe(1);
    expect(found.get('savepoint_conflict_choices_total{choice="merge"}')).toBe(0);
    const nonces = (outcome: string) => found.get(`savepoint_nonces_total{game="${testGameId}",outcome="${outcome}"}`);
    expect([nonces('claimed'), nonces('reused')]).toEqual([2, 1]);
  });

  it('tell how the store is, and how its operations fail', async () => {
    const broken: Partial<Store> = {
      findLink: () => Promise.reject(new StoreUnavailable('ECONNREFUSED', null)),
      findSession: () => Promise.reject(new Error('nobody knows')),
    };
    const { service, read } = measured({ store: { ...createMemoryStore(), ...broken } });
    await post(service, operations.signInAsGuest.path, {});
    const found = await read();
    expect(found.get('savepoint_store_failures_total{operation="findLink",reason="unavailable"}')).toBe(1);
    expect(found.get('savepoint_sign_ins_total{method="guest",result="unavailable"}')).toBe(1);
    expect(found.get('savepoint_store_up{access="reads"}')).toBe(1);
    expect(found.get('savepoint_store_up{access="writes"}')).toBe(0);
    expect(found.get('savepoint_postgres_connections{state="busy"}')).toBe(2);
    expect(found.get('savepoint_postgres_waiting')).toBe(1);
  });

  it('tell what waits: passwords, and what has expired', async () => {
    let removed = 200;
    const store = { ...createMemoryStore(), removeExpired: async () => removed };
    const { service, read } = measured({ store });
    expect((await read()).get('savepoint_retention_backlog_seconds')).toBe(0);
    for (let minutes = 0; minutes < 3; minutes += 1) {
      service.backend.control.advance(60_000);
      await send(service, operations.readPublicKeys.path, {});
    }
    expect((await read()).get('savepoint_retention_backlog_seconds')).toBe(120);
    removed = 1;
    await send(service, operations.readPublicKeys.path, {});
    const found = await read();
    expect(found.get('savepoint_retention_backlog_seconds')).toBe(0);
    expect(found.get('savepoint_retention_removed_total')).toBe(601);
    expect(found.get('savepoint_passwords{state="waiting"}')).toBe(0);
  });

  it('see the passwords that wait for their turn', async () => {
    const { service, read } = measured();
    const username = 'ada';
    const asked = Array.from({ length: 20 }, (_, index) =>
      post(service, operations.signInWithName.path, { username, password: `wrong horse ${index}` }),
    );
    const waiting = async () => (await read()).get('savepoint_passwords{state="waiting"}') ?? 0;
    await expect.poll(waiting, { interval: 0 }).toBeGreaterThan(0);
    await Promise.all(asked);
    expect(await waiting()).toBe(0);
  });

  it('have no series more for whatever anybody sends', async () => {
    const { service, read } = measured();
    const junk = (index: number) => {
      const word = `junk-${index}`;
      const ask = (method: string, path: string, headers: Record<string, string> = {}) =>
        service.backend.fetch(new Request(`${service.baseUrl}${path}`, { method, headers }));
      const game = pathOf(operations.readUserUsage, { game: word, user: word });
      return Promise.all([
        ask('GET', `/${word}`),
        ask(`X${word}`, '/v2/auth/account'),
        ask('OPTIONS', `/v2/auth/${word}`, { origin: `https://${word}.example` }),
        ask('GET', `${game}?env=${word}`, { authorization: `Bearer ${word}`, traceparent: word, 'x-request-id': word }),
        post(service, pathOf(operations.peek, { method: word }), { token: word, platform: word }),
        post(service, operations.signInWithSocialToken.path, { token: word, platform: word }),
        post(service, operations.resolveConflict.path, { ticket: word, choice: word }),
        signedRequest(service, { body: { game_id: word } }).then((request) => service.backend.fetch(request)),
        writeEntry(service, { accessToken: word }, { key: word, collection: word }),
      ]);
    };
    await junk(0);
    const before = [...(await read()).keys()];
    for (let index = 1; index < 30; index += 1) await junk(index);
    const after = [...(await read()).keys()];
    expect(after).toEqual(before);
    expect(after.join()).not.toContain('junk');
  });
});

describe('a service that nobody observes', () => {
  it('asks its store itself', async () => {
    const store = createMemoryStore();
    const asked: unknown[] = [];
    const findLink: Store['findLink'] = function (this: unknown, key) {
      asked.push(this);
      return store.findLink(key);
    };
    const own = { ...store, findLink };
    const backend = createBackend({ games: [{ id: testGameId, privateKeys: ['key'] }], store: own });
    await signInGuest({ backend, baseUrl: 'http://saves.test', gameId: testGameId } as TestService);
    expect(asked).toEqual([own]);
  });
});

describe('the port of the metrics', () => {
  it('answers at /metrics alone', async () => {
    const contentType = 'text/plain; version=0.0.4';
    const shown = { text: async () => 'some 1\n', contentType };
    const { url, close } = await showMetrics(shown, { port: 0, host: '127.0.0.1' });
    const elsewhere = await fetch(new URL('/', url));
    const posted = await fetch(url, { method: 'POST' });
    expect([elsewhere.status, posted.status]).toEqual([404, 405]);
    const answer = await fetch(`${url}?more=geheim`);
    expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
      200,
      contentType,
      'some 1\n',
    ]);
    await close();
  });

  it('answers 500 where they cannot be collected', async () => {
    const text = () => Promise.reject(new Error('a secret'));
    const { url, close } = await showMetrics({ text, contentType: 'text/plain' }, { port: 0, host: '127.0.0.1' });
    const answer = await fetch(url);
    expect([answer.status, await answer.text()]).toEqual([500, '']);
    await close();
  });
});
