import { describe, expect, it } from 'vitest';
import { createMemoryStore, type MemoryDump } from '../../src/backend/index.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  restoreAnswer,
  snapshotAddedAnswer,
  snapshotAnswer,
  snapshotsAnswer,
} from '../../src/protocol/player-messages.js';
import {
  createTestService,
  makeDivergedConflict,
  post,
  readEntries,
  readText,
  send,
  signInGuest,
  type TestService,
  writeEntry,
  writeText,
} from '../support/service.js';

const day = 86_400_000;

interface Player {
  accessToken: string;
}

async function list(service: TestService, { accessToken: token }: Player) {
  const { status, body } = await send(service, operations.listSnapshots.path, { token });
  expect(status).toBe(200);
  return snapshotsAnswer.parse(body).snapshots;
}

const get = (service: TestService, { accessToken: token }: Player, id: string) =>
  send(service, pathOf(operations.readSnapshot, { snapshot: id }), { token });

const restore = (service: TestService, { accessToken: token }: Player, id: string) =>
  send(service, pathOf(operations.restoreSnapshot, { snapshot: id }), { method: 'POST', token });

function choose(service: TestService, ticket: string, choice: string) {
  const at = (key: string) => ({ collection: 'progress', key, version: 0 });
  const rests_on = { local: [at('main'), at('fresh')], cloud: [at('main'), at('old')] };
  const entries = [
    { collection: 'progress', key: 'main', value: { coins: 10 } },
    { collection: 'progress', key: 'fresh', value: { b: 100 } },
  ];
  return post(
    service,
    operations.resolveConflict.path,
    { ticket, choice, entries, rests_on },
    { deviceId: 'device-two' },
  );
}

/** Key and value of each entry, as the answer's text has them. */
function valuesIn(text: string): string[] {
  return text.split(/,"version":\d+\}[,\]]/).map((part) => part.replace(/^\[/, ''));
}

describe('what loses', () => {
  it.each([
    ['local', 'cloud'],
    ['cloud', 'local'],
  ] as const)('to the choice %s is the whole profile of %s, restored byte by byte', async (choice, loser) => {
    const service = createTestService();
    const conflict = await makeDivergedConflict(service);
    const lost = valuesIn(await readText(service, conflict[loser]));
    const { body } = await choose(service, conflict.ticket, choice);
    const won = valuesIn(await readText(service, body));
    const [snapshot, ...others] = await list(service, body);
    expect(others).toEqual([]);
    expect(snapshot).toMatchObject({
      reason: choice,
      fromUserId: conflict[loser].userId,
      entries: 2,
      createdAt: service.clock(),
      expiresAt: service.clock() + 30 * day,
    });

    expect((await restore(service, body, snapshot?.id ?? '')).status).toBe(200);
    expect(valuesIn(await readText(service, body))).toEqual(expect.arrayContaining(lost.filter(Boolean)));
    const [undone] = await list(service, body);
    expect(undone?.reason).toBe('restore');
    expect((await restore(service, body, undone?.id ?? '')).status).toBe(200);
    expect(valuesIn(await readText(service, body))).toEqual(expect.arrayContaining(won.filter(Boolean)));
  });

  it('to the choice merge are both sides as they were, each restored byte by byte', async () => {
    for (const side of ['local', 'cloud'] as const) {
      const service = createTestService();
      const conflict = await makeDivergedConflict(service);
      const lost = valuesIn(await readText(service, conflict[side]));
      const { body } = await choose(service, conflict.ticket, 'merge');
      const kept = await list(service, body);
      expect(kept.map(({ reason, fromUserId }) => [reason, fromUserId])).toEqual([
        ['merge', conflict.local.userId],
        ['merge', conflict.cloud.userId],
      ]);
      const { id = '' } = kept.find(({ fromUserId }) => fromUserId === conflict[side].userId) ?? {};
      const { body: restored } = await restore(service, body, id);
      expect(restoreAnswer.parse(restored).entries).toHaveLength(2);
      expect(valuesIn(await readText(service, body))).toEqual(expect.arrayContaining(lost.filter(Boolean)));
    }
  });

  it.each(['the private API', "the player's wire"])('to a forced write over %s is the entry', async (wire) => {
    const service = createTestService();
    const player = await signInGuest(service);
    const isPrivate = wire === 'the private API';
    const path = isPrivate
      ? pathOf(operations.updateUserEntry, {
          game: service.gameId,
          user: player.userId,
          collection: 'progress',
          key: 'main',
        })
      : pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key: 'main' });
    const token = isPrivate ? service.privateKey : player.accessToken;
    const write = (text: string, version = -1) =>
      send(service, `${path}?env=0`, { method: 'PATCH', token, text: `{"value":${text},"version":${version}}` });
    await write('{"n": 1.0}');
    await write('{"n": 1.0}');
    expect((await write('{"n":2}', 1)).body).toEqual({ version: 2 });
    expect(await list(service, player)).toEqual([]);
    await write('{"n":3}');
    const [snapshot] = await list(service, player);
    expect(snapshot).toMatchObject({ reason: 'overwrite', fromUserId: player.userId, entries: 1, bytes: 7 });
    const { body } = await get(service, player, snapshot?.id ?? '');
    expect(snapshotAnswer.parse(body).content).toEqual([
      { collection: 'progress', key: 'main', value: { n: 2 }, version: 2 },
    ]);
  });

  it('to a mismatch is what the client says, letter for letter', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const add = (value: string, more = '') =>
      send(service, operations.listSnapshots.path, {
        method: 'POST',
        token: player.accessToken,
        text: `{"game_id":"${service.gameId}","env":0,"collection":"progress","key":"main"${more},"value":${value}}`,
      });
    const { status, body } = await add('{ "a":1.50, "__proto__":{} }');
    expect(status).toBe(200);
    const { id } = snapshotAddedAnswer.parse(body);
    const [snapshot] = await list(service, player);
    expect(snapshot).toMatchObject({ id, reason: 'mismatch', fromUserId: player.userId });
    expect((await restore(service, player, body.id)).body).toEqual({
      entries: [{ collection: 'progress', key: 'main', version: 0 }],
    });
    expect(await readText(service, player)).toBe('[{"key":"main","value":{ "a":1.50, "__proto__":{} },"version":0}]');
    for (const [value, more, code] of [
      ['[]', '', 'invalid_request'],
      ['{"a":1e999}', '', 'value_not_storable'],
      [`{"a":"${'x'.repeat(150 * 1024)}"}`, '', 'too_large'],
      ['{}', ',"key":".."', 'invalid_key'],
      ['{}', ',"env":1', 'wrong_env'],
    ] as const) {
      expect((await add(value, more)).body.code).toBe(code);
    }
    expect(await list(service, player)).toHaveLength(1);
  });
});

describe('a snapshot', () => {
  async function withSnapshot(service: TestService) {
    const player = await signInGuest(service);
    await writeText(service, player, 'main', '{"n":1}');
    await writeText(service, player, 'main', '{"n":2}');
    const [snapshot] = await list(service, player);
    return { player, id: snapshot?.id ?? '' };
  }

  it('is not there under what is no id', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    for (const id of ['\0', '💾', 'x'.repeat(300), '11111111-1111-4111-8111-111111111111']) {
      expect(await get(service, player, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await restore(service, player, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  it('is nobody else’s', async () => {
    const service = createTestService();
    const { id, player } = await withSnapshot(service);
    const other = await signInGuest(service, 'device-two');
    const stage = await signInGuest(service, 'device-one', { environment: 1 });
    for (const stranger of [other, stage]) {
      expect(await get(service, stranger, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await restore(service, stranger, id)).toMatchObject({ status: 404, body: { code: 'not_found' } });
      expect(await list(service, stranger)).toEqual([]);
    }
    expect(await get(service, player, 'nothing')).toMatchObject({ status: 404 });
    for (const path of [operations.listSnapshots.path, pathOf(operations.readSnapshot, { snapshot: id })]) {
      expect(await send(service, path)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      expect((await send(service, path, { token: service.privateKey })).status).toBe(401);
    }
    expect((await readEntries(service, player)).body).toMatchObject([{ value: { n: 2 } }]);
  });

  it('is kept for 30 days', async () => {
    const service = createTestService();
    const { id } = await withSnapshot(service);
    service.backend.control.advance(30 * day - 1);
    const later = await signInGuest(service);
    expect((await get(service, later, id)).status).toBe(200);
    service.backend.control.advance(1);
    expect((await get(service, later, id)).status).toBe(404);
    expect((await restore(service, later, id)).status).toBe(404);
    expect(await list(service, later)).toEqual([]);
    expect(await service.backend.sweep()).toBeGreaterThan(0);
  });

  it('is one of 200, of which forced writes push out no whole profile', async () => {
    const service = createTestService();
    const conflict = await makeDivergedConflict(service);
    const { body } = await choose(service, conflict.ticket, 'cloud');
    for (let n = 0; n < 210; n += 1) await writeText(service, body, 'main', `{"n":${n}}`);
    const kept = await list(service, body);
    expect(kept).toHaveLength(200);
    expect(kept.at(-1)).toMatchObject({ reason: 'cloud', entries: 2 });
    const newest = await get(service, body, kept[0]?.id ?? '');
    expect(newest.body.content[0].value).toEqual({ n: 208 });
  });

  it('restored twice, also at once, changes nothing the second time', async () => {
    const service = createTestService();
    const { player, id } = await withSnapshot(service);
    service.backend.control.fail({ route: 'restoreSnapshot', with: 'lost-answer' });
    await expect(restore(service, player, id)).rejects.toThrow(TypeError);
    const answers = await Promise.all(Array.from({ length: 5 }, () => restore(service, player, id)));
    for (const { body } of answers) expect(body.entries).toEqual([{ collection: 'progress', key: 'main', version: 2 }]);
    expect((await readEntries(service, player)).body).toEqual([{ key: 'main', value: { n: 1 }, version: 2 }]);
    expect((await list(service, player)).map(({ reason }) => reason)).toEqual(['restore', 'overwrite']);
  });

  it('restored while the entry is written loses neither', async () => {
    const service = createTestService();
    const { player, id } = await withSnapshot(service);
    await Promise.all([
      restore(service, player, id),
      writeText(service, player, 'main', '{"n":3}'),
      restore(service, player, id),
      writeText(service, player, 'main', '{"n":4}'),
    ]);
    const seen = new Set<string>(
      (await readEntries(service, player)).body.map(({ value }: never) => JSON.stringify(value)),
    );
    for (const snapshot of await list(service, player)) {
      const { body } = await get(service, player, snapshot.id);
      for (const { value } of body.content) seen.add(JSON.stringify(value));
    }
    expect([...seen].sort()).toEqual([1, 2, 3, 4].map((n) => `{"n":${n}}`));
  });

  it('is restored though the account then holds more than it may, and nothing more is written', async () => {
    const service = createTestService({ limits: { quotas: { entries: 3 } } });
    const conflict = await makeDivergedConflict(service);
    const { body } = await choose(service, conflict.ticket, 'cloud');
    await writeText(service, body, 'third', '{}');
    const [snapshot] = await list(service, body);
    expect((await restore(service, body, snapshot?.id ?? '')).status).toBe(200);
    expect((await readEntries(service, body)).body).toHaveLength(4);
    const added = await writeEntry(service, body, { key: 'fifth', value: {}, version: -1 });
    expect(added).toMatchObject({ status: 403, body: { code: 'quota_exceeded', quota: 'entries', limit: 3, used: 4 } });
    expect((await writeEntry(service, body, { key: 'third', value: { n: 1 }, version: -1 })).status).toBe(200);
  });

  it('outlives a dump and a load, and so does an account that is being deleted', async () => {
    const store = createMemoryStore();
    const signingKey = {
      kty: 'EC',
      crv: 'P-256',
      ...(await crypto.subtle
        .generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
        .then(({ privateKey }) => crypto.subtle.exportKey('jwk', privateKey))),
    };
    const service = createTestService({ store, signingKey: signingKey as never });
    const conflict = await makeDivergedConflict(service);
    const { body } = await choose(service, conflict.ticket, 'merge');
    const doomed = await signInGuest(service, 'device-doomed');
    const { body: deletion } = await send(service, operations.readAccount.path, {
      method: 'DELETE',
      token: doomed.accessToken,
    });
    const dump = JSON.parse(JSON.stringify(store.dump())) as MemoryDump;

    const copy = createMemoryStore();
    copy.load(dump);
    expect(copy.dump()).toEqual(dump);
    const again = createTestService({ store: copy, signingKey: signingKey as never });
    expect(await list(again, body)).toEqual(await list(service, body));
    const restored = await post(again, operations.signInWithRecoveryCode.path, {
      code: deletion.recoveryCode,
      restore: true,
    });
    expect(restored.body.userId).toBe(doomed.userId);
  });
});
