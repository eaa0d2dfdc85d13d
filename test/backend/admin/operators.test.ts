import { createBackend } from 'savepoint/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/backend/index.js';
import type { LogRecord } from '../../../src/backend/log.js';
import { pathOf } from '../../../src/protocol/addresses.js';
import { adminOperations } from '../../../src/protocol/admin-operations.js';
import { isUuid } from '../../../src/protocol/ids.js';
import { adminOf, createOperatedService, operatorOf, testOperatorKey } from '../../support/operators.js';
import {
  createTestService,
  send,
  signInGuest,
  type TestService,
  testGameId,
  testStart,
} from '../../support/service.js';

const noKey = '00000000-0000-4000-8000-000000000000';
const segments = {
  id: noKey,
  game: testGameId,
  user: noKey,
  collection: 'a',
  key: 'b',
  snapshot: noKey,
  method: 'name',
  device: 'x',
};
/** Each operation as a request that is right but for its key. */
const asked = Object.entries(adminOperations).map(
  ([name, { method, path }]) => [name, { method, path: pathOf({ path: path as string }, segments as never) }] as const,
);

let service: TestService;
beforeEach(() => {
  service = createOperatedService();
});

const ask = (token: string | undefined, { method = 'GET', path = '/v2/admin/games' } = {}) =>
  send(service, path, { method, token, ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }) });

describe('an operator', () => {
  it('makes keys with the first one, which are listed without their secrets', async () => {
    const admin = adminOf(service);
    const made = await admin.makeKey({ name: 'grace@example', scope: 'read' });
    expect(made).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'grace@example',
      scope: 'read',
      createdAt: testStart,
      createdBy: 'the key of the environment',
      key: expect.stringMatching(/^op_[0-9a-f-]{36}_[\w-]{43}$/),
    });
    const { key, ...shown } = made;
    expect(await admin.listKeys()).toEqual([shown]);
    expect(await adminOf(service, key).games()).toEqual([{ id: testGameId }]);
  });

  it('does what the scope of the key allows, and nothing more', async () => {
    const read = await operatorOf(service, 'read');
    const support = await operatorOf(service, 'support');
    const admin = await operatorOf(service, 'admin');
    for (const operator of [read, support]) {
      const refused = { code: 'insufficient_scope', status: 403, message: expect.stringContaining('scope admin') };
      await expect(operator.listKeys()).rejects.toMatchObject(refused);
      await expect(operator.makeKey({ name: 'mine', scope: 'admin' })).rejects.toMatchObject(refused);
      await expect(operator.revokeKey(noKey)).rejects.toMatchObject(refused);
      expect((await operator.audit()).entries).toHaveLength(3);
    }
    expect(await admin.listKeys()).toHaveLength(3);
  });

  it('whose key was revoked is nobody, at once', async () => {
    const admin = adminOf(service);
    const { id, key } = await admin.makeKey({ name: 'grace', scope: 'admin' });
    const grace = adminOf(service, key);
    await grace.games();
    await admin.revokeKey(id.toUpperCase());
    await expect(grace.games()).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(admin.revokeKey(id)).rejects.toMatchObject({ code: 'not_found' });
    const nothing = '/v2/admin/keys/%00';
    expect((await send(service, nothing, { method: 'DELETE', token: testOperatorKey })).status).toBe(404);
    expect(await admin.listKeys()).toEqual([]);
  });

  it('whose key is revoked while a change is under way changes nothing', async () => {
    const store = createMemoryStore();
    const backend = createOperatedService({
      store: {
        ...store,
        // The key is right when it is checked, and gone when the change begins.
        async findOperatorKey(keyId) {
          const found = await store.findOperatorKey(keyId);
          if (found?.name === 'late') await adminOf(service).revokeKey(keyId);
          return found;
        },
      },
    });
    service = backend;
    const { key } = await adminOf(service).makeKey({ name: 'late', scope: 'admin' });
    const late = adminOf(service, key).makeKey({ name: 'never', scope: 'admin' });
    await expect(late).rejects.toMatchObject({ code: 'unauthorized' });
    expect(await store.listOperatorKeys()).toEqual([]);
  });
});

describe('whoever is no operator', () => {
  it.each(asked)('has one answer, whatever is wrong: %s', async (_, request) => {
    const { id, key } = await adminOf(service).makeKey({ name: 'grace', scope: 'admin' });
    const player = await signInGuest(service);
    const wrong = [
      undefined,
      'x',
      service.privateKey,
      player.accessToken,
      player.refreshToken,
      `${testOperatorKey} `.trimEnd().slice(0, -1),
      `${testOperatorKey}x`,
      `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`,
      `op_${noKey}_${'A'.repeat(43)}`,
      `op_${id}_${'A'.repeat(43)}`,
      'nobody has this key',
      'op_'.padEnd(10_000, 'x'),
    ];
    const answers = await Promise.all(wrong.map((token) => ask(token, request)));
    const plain = answers.map(({ status, body: { requestId: _, ...body } }) => ({ status, body }));
    expect(new Set(plain.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(plain[0]).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
  });

  it('is one where the service has no first key, whatever the key', async () => {
    service = createTestService();
    for (const token of ['', 'undefined', 'nobody has this key', testOperatorKey]) {
      expect((await ask(token === '' ? undefined : token)).status).toBe(401);
    }
  });

  it('is told to wait after many tries from one address', async () => {
    service = createOperatedService({
      limits: { rates: { operatorRequestsPerAddress: { tries: 3, windowMs: 1_000 } } },
    });
    const from = (address: string) => send(service, '/v2/admin/games', { token: 'x', address });
    for (let n = 0; n < 3; n += 1) expect((await from('203.0.113.7')).status).toBe(401);
    expect(await from('203.0.113.7')).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect((await from('203.0.113.8')).status).toBe(401);
  });

  it('gets nothing from a page: no answer has CORS headers', async () => {
    service = createOperatedService({ allowedOrigins: () => true });
    const headers = { origin: 'https://evil.example' };
    const answered = await send(service, '/v2/admin/games', { token: testOperatorKey, headers });
    expect(answered.headers.get('access-control-allow-origin')).toBeNull();
    const preflight = { ...headers, 'access-control-request-method': 'GET' };
    expect((await send(service, '/v2/admin/games', { method: 'OPTIONS', headers: preflight })).status).toBe(405);
  });
});

describe('a request with a wrong form', () => {
  it.each([
    [{}],
    [{ name: '', scope: 'read' }],
    [{ name: 'x'.repeat(65), scope: 'read' }],
    [{ name: 'a\u202eb', scope: 'read' }],
    [{ name: 'a\nb', scope: 'read' }],
    [{ name: 'ada', scope: 'root' }],
    [{ name: 'ada', scope: ['admin'] }],
    [null],
    [[]],
  ])('makes no key: %j', async (body) => {
    const answer = await send(service, '/v2/admin/keys', { method: 'POST', token: testOperatorKey, body });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    expect(await adminOf(service).listKeys()).toEqual([]);
  });

  it.each(['0', '-1', '201', '1e2', '1.5', 'x', '', ' 5', '99999999999'])('has no page of %j items', async (limit) => {
    const path = `/v2/admin/audit?limit=${encodeURIComponent(limit)}`;
    expect(await ask(testOperatorKey, { path })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it.each([
    '',
    'x',
    '💾',
    btoa('[]'),
    btoa('["audit",1]'),
    btoa('["audit",1e400,"00000000-0000-4000-8000-000000000000"]'),
    btoa(`["audit",1,"' OR 1=1"]`),
    btoa('["newest",1,"00000000-0000-4000-8000-000000000000"]'),
    btoa('{"__proto__":[]}'),
    'A'.repeat(10_000),
  ])('has no page after %j', async (cursor) => {
    const path = `/v2/admin/audit?cursor=${encodeURIComponent(cursor)}`;
    expect(await ask(testOperatorKey, { path })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });
});

describe('the audit log', () => {
  it('has every key that was made and revoked, by whom, and none of the keys', async () => {
    const admin = adminOf(service);
    const { id, key } = await admin.makeKey({ name: 'grace', scope: 'admin' });
    service.backend.control.advance(5);
    const made = await adminOf(service, key).makeKey({ name: 'ada', scope: 'read' });
    await adminOf(service, key).revokeKey(made.id);
    const { entries, cursor } = await admin.audit();
    expect(cursor).toBeUndefined();
    expect(entries.every((entry) => isUuid(entry.id))).toBe(true);
    expect(entries.map(({ id: _, ...entry }) => entry).sort((one, other) => one.at - other.at)[0]).toEqual({
      at: testStart,
      by: { id: null, name: 'the key of the environment' },
      action: 'makeOperatorKey',
      what: { key: id },
      after: { name: 'grace', scope: 'admin' },
    });
    expect(entries.map(({ action, by }) => `${action} ${by.name}`).sort()).toEqual([
      'makeOperatorKey grace',
      'makeOperatorKey the key of the environment',
      'revokeOperatorKey grace',
    ]);
    for (const secret of [key, made.key, testOperatorKey])
      expect(JSON.stringify(entries)).not.toContain(secret.slice(-43));
  });

  it('is read in pages', async () => {
    const admin = adminOf(service);
    for (let n = 0; n < 5; n += 1) {
      await admin.makeKey({ name: `k${n}`, scope: 'read' });
      service.backend.control.advance(1);
    }
    const first = await admin.audit({ limit: 2 });
    const second = await admin.audit({ limit: 2, cursor: first.cursor });
    const third = await admin.audit({ limit: 2, cursor: second.cursor });
    expect(third.cursor).toBeUndefined();
    const names = [first, second, third].map(({ entries }) => entries.map(({ after }) => after?.['name']));
    expect(names).toEqual([['k4', 'k3'], ['k2', 'k1'], ['k0']]);
  });
});

it('no key is in the service log, whatever becomes of a request', async () => {
  const logged: LogRecord[] = [];
  service = createOperatedService({ log: (record) => logged.push(record) });
  const { key } = await adminOf(service).makeKey({ name: 'grace', scope: 'read' });
  await ask(key);
  await ask(`${key}x`);
  await ask(key, { path: '/v2/admin/keys' });
  expect(logged).toHaveLength(4);
  expect(JSON.stringify(logged)).not.toContain(key.slice(40));
  expect(JSON.stringify(logged)).not.toContain(testOperatorKey);
});

it.each([['short'], ['x'.repeat(257)], [`with a space ${'x'.repeat(32)}`], [5]])(
  'refuses %j as a first key',
  (operatorKey) => {
    const games = [{ id: testGameId, privateKeys: ['k'] }];
    expect(() => createBackend({ games, operatorKey: operatorKey as string })).toThrow(
      /^operatorKey must be 32 to 256/,
    );
  },
);
