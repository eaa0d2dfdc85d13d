import { createMemoryStore, type LogRecord, type Store } from 'savepoint/backend';
import { createServerClient } from 'savepoint/server';
import { describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../src/backend/stores/unavailable.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, readEntries, send, signInGuest, useName } from '../support/service.js';

/** A store of which operations can be made to fail. */
function failing() {
  const failures = new Map<PropertyKey, unknown>();
  /** What fails from then on, by what succeeds before it. */
  const later = new Map<PropertyKey, PropertyKey>();
  const memory = createMemoryStore();
  const store = new Proxy<Store>(memory, {
    get: (_, name) => async (argument: never) => {
      if (failures.has(name)) throw failures.get(name);
      const answer = await (memory[name as keyof Store] as (request: never) => unknown)(argument);
      const next = later.get(name);
      if (next !== undefined) failures.set(next, away());
      return answer;
    },
  });
  return { failures, later, store };
}

const away = () => new StoreUnavailable('ECONNREFUSED', new Error('geheim'));

describe('a store that cannot be reached', () => {
  it('is a 503 with Retry-After, and an error in the log under the id of the request, without the cause', async () => {
    const { failures, store } = failing();
    const log: LogRecord[] = [];
    const service = createTestService({ store, log: (record) => log.push(record) });
    failures.set('findLink', away()).set('ensureAccount', away());
    const refused = await post(service, operations.signInAsGuest.path, {});
    expect(refused).toMatchObject({ status: 503, body: { code: 'unavailable', retryAfterMs: 1_000 } });
    expect(refused.headers.get('retry-after')).toBe('1');
    const { requestId } = refused.body;
    expect(log).toEqual([
      expect.objectContaining({ kind: 'error', requestId, name: 'StoreUnavailable' }),
      expect.objectContaining({ kind: 'request', requestId, status: 503, code: 'unavailable' }),
    ]);
    expect(JSON.stringify([log, refused.body])).not.toContain('geheim');
  });

  it.each(['connectTimeoutMs', 'statementTimeoutMs'] as const)(
    'names the limit that it has reached: %s',
    async (limitName) => {
      const { failures, store } = failing();
      const log: LogRecord[] = [];
      const service = createTestService({ store, log: (record) => log.push(record) });
      failures.set('findLink', new StoreUnavailable('ETIMEDOUT', new Error('geheim'), limitName));
      const refused = await post(service, operations.signInAsGuest.path, {});
      expect(refused.body).toMatchObject({ code: 'unavailable', limitName });
      expect(log.at(-1)).toMatchObject({ kind: 'request', limitName });
      failures.set('findLink', Object.assign(away(), { limitName: 'geheim' }));
      expect((await post(service, operations.signInAsGuest.path, {})).body).not.toHaveProperty('limitName');
    },
  );

  it('is one from another copy of the package, too', async () => {
    const { failures, store } = failing();
    const service = createTestService({ store });
    failures.set('findLink', Object.assign(new Error('another'), { name: 'StoreUnavailable' }));
    expect((await post(service, operations.signInAsGuest.path, {})).status).toBe(503);
  });

  it('is asked again by the SDK for a forced write, and asked about where nobody knows of one', async () => {
    const { failures, store } = failing();
    const service = createTestService({ store });
    const { userId } = await signInGuest(service);
    const entry = { userId, collection: 'progress', key: 'main', value: { coins: 1 }, version: -1 };
    let sent = 0;
    const { gameId, privateKey, baseUrl, clock: now } = service;
    const fetch = async (request: Request): Promise<Response> => {
      sent += 1;
      const answer = await service.fetch(request);
      failures.clear();
      return answer;
    };
    const saves = createServerClient({ gameId, environment: 0, privateKey, baseUrl, fetch, now });
    failures.set('updateEntry', away());
    expect(await saves.updateEntry(entry)).toEqual({ version: 0 });
    expect(sent).toBe(2);
    failures.set('updateEntry', new Error('Connection terminated unexpectedly'));
    expect(await saves.updateEntry(entry)).toEqual({ version: 1 });
    // The one that failed, the question whether it was carried out, and the write again.
    expect(sent).toBe(5);
  });

  it('after the work was done does not say that it was not', async () => {
    const { failures, later, store } = failing();
    const service = createTestService({ store });
    const guest = await signInGuest(service);
    await useName(service, { username: 'ada', password: 'correct horse' }, { token: guest.accessToken });
    later.set('unlinkMethod', 'readAccount');
    const path = pathOf(operations.unlinkMethod, { method: 'name' });
    const removed = await send(service, path, { method: 'DELETE', token: guest.accessToken });
    expect(removed).toMatchObject({ status: 500, body: { code: 'internal' } });
    failures.clear();
    const left = await send(service, operations.readAccount.path, { token: guest.accessToken });
    expect(left.body.methods).toMatchObject([{ method: 'device' }]);
  });

  it('is served again as soon as it is there', async () => {
    const { failures, store } = failing();
    const service = createTestService({ store });
    const guest = await signInGuest(service);
    failures.set('readCollection', away());
    expect((await readEntries(service, guest)).status).toBe(503);
    failures.clear();
    expect((await readEntries(service, guest)).status).toBe(200);
  });
});
