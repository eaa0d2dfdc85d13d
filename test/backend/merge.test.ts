import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { conflictSides } from '../../src/protocol/conflict.js';
import { operations } from '../../src/protocol/operations.js';
import { conflictSidesAnswer } from '../../src/protocol/player-messages.js';
import {
  createTestService,
  makeConflict,
  makeDivergedConflict,
  post,
  readEntries,
  readText,
  send,
  signInGuest,
  type TestService,
  type Texts,
  useName,
  writeText,
} from '../support/service.js';

const minute = 60_000;
const ada = { username: 'ada', password: 'correct horse' };

const at = (key: string, version = 0) => ({ collection: 'progress', key, version });
const restsOn = { local: [at('main'), at('fresh')], cloud: [at('main'), at('old')] };
const merged = { collection: 'progress', key: 'main', value: { coins: 10 } };

function choose(service: TestService, body: Record<string, unknown>, deviceId = 'device-two') {
  return post(
    service,
    operations.resolveConflict.path,
    { choice: 'merge', entries: [merged], rests_on: restsOn, ...body },
    { deviceId },
  );
}

function readSides(service: TestService, ticket: string, deviceId = 'device-two') {
  return post(service, operations.readConflictSides.path, { ticket }, { deviceId });
}

describe('a conflict as a value', () => {
  const compare = async (local: Texts, cloud: Texts) => {
    const { conflict } = await makeDivergedConflict(createTestService(), { local, cloud });
    const { kind, ahead, diff } = conflictSides.parse(conflict);
    return { kind, ahead, diff: diff.map(({ key, same }) => [key, same]) };
  };

  it('says what differs, by name, the differing entries first', async () => {
    const local = { both: '{"a":1,"b":[1,2]}', other: '{"n":1}', mine: '{}' };
    const cloud = { both: '{ "b":[1, 2.0],"a":1e0 }', other: '{"n":2}', theirs: '{"é":1}' };
    const { conflict } = await makeDivergedConflict(createTestService(), { local, cloud });
    expect(conflictSides.parse(conflict)).toMatchObject({ kind: 'diverged', ahead: null, mergeable: true });
    const row = (key: string, mine: number | null, theirs: number | null, same = false) => ({
      collection: 'progress',
      key,
      local: mine === null ? null : { version: 0, bytes: mine },
      cloud: theirs === null ? null : { version: 0, bytes: theirs },
      same,
    });
    expect(conflict.diff).toEqual([
      row('mine', 2, null),
      row('other', 7, 7),
      row('theirs', null, 8),
      row('both', 17, 24, true),
    ]);
  });

  it('can be fast-forwarded where one side has nothing that the other has not', async () => {
    const [one, two] = ['{"n":1}', '{"n":2}'];
    expect(await compare({}, { a: one })).toMatchObject({ kind: 'fast-forward', ahead: 'cloud' });
    expect(await compare({ a: one }, {})).toMatchObject({ kind: 'fast-forward', ahead: 'local' });
    expect(await compare({}, {})).toEqual({ kind: 'fast-forward', ahead: 'cloud', diff: [] });
    expect(await compare({ a: one }, { a: '{ "n": 1.0 }', b: two })).toMatchObject({ ahead: 'cloud' });
    expect(await compare({ a: one, b: two }, { b: two })).toMatchObject({ kind: 'fast-forward', ahead: 'local' });
    expect(await compare({ a: one }, { a: one })).toEqual({
      kind: 'fast-forward',
      ahead: 'cloud',
      diff: [['a', true]],
    });
    expect(await compare({ a: one }, { b: one })).toMatchObject({ kind: 'diverged', ahead: null });
    expect(await compare({ a: one, b: one }, { a: two, c: one })).toMatchObject({ kind: 'diverged', ahead: null });
  });

  it('shows two hundred rows at most, the differing ones among them', async () => {
    const texts = (count: number, value: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${String(index).padStart(3, '0')}`, value]));
    const { conflict } = await makeDivergedConflict(createTestService(), {
      local: { ...texts(220, '{}'), z: '{"l":1}' },
      cloud: { ...texts(220, '{}'), z: '{"c":1}' },
    });
    expect(conflict.diff).toHaveLength(200);
    expect(conflict.diff[0]).toMatchObject({ key: 'z', same: false });
    expect(conflict.ahead).toBeNull();
  });
});

describe('the sides of a conflict', () => {
  it('are both profiles, letter for letter', async () => {
    const service = createTestService();
    const { ticket } = await makeDivergedConflict(service);
    const { status, body } = await readSides(service, ticket);
    expect(status).toBe(200);
    expect(conflictSidesAnswer.parse(body)).toEqual({
      local: [
        { ...at('fresh'), value: { b: 100 } },
        { ...at('main'), value: { coins: 1 } },
      ],
      cloud: [
        { ...at('main'), value: { coins: 9, level: 2 } },
        { ...at('old'), value: { a: 1 } },
      ],
      merged: [],
    });
    const request = new Request(`${service.authUrl}${operations.readConflictSides.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game_id: service.gameId, env: 0, device_id: 'device-two', ticket }),
    });
    expect(await (await service.backend.fetch(request)).text()).toContain(
      '"value":{"coins": 9.0, "level":2},"version":0',
    );
  });

  it('are opened by nothing but the ticket, on its device, while it is open', async () => {
    const service = createTestService();
    const { ticket, local } = await makeDivergedConflict(service);
    const stale = { status: 409, body: { code: 'conflict_stale' } };
    expect(await readSides(service, `${ticket}x`)).toMatchObject(stale);
    expect(await readSides(service, ticket, 'device-one')).toMatchObject(stale);
    const elsewhere = post(
      service,
      operations.readConflictSides.path,
      { ticket },
      { deviceId: 'device-two', environment: 1 },
    );
    expect(await elsewhere).toMatchObject(stale);
    service.backend.control.advance(10 * minute);
    expect(await readSides(service, ticket)).toMatchObject(stale);
    const { ticket: second } = await makeConflict(createTestService());
    expect(await readSides(service, second)).toMatchObject(stale);
    expect((await readText(service, local)).length).toBeGreaterThan(2);
  });
});

describe('the choice merge', () => {
  it("writes what the client made of both into the owner's account", async () => {
    const service = createTestService();
    const { ticket, cloud, local } = await makeDivergedConflict(service);
    const value = '{ "coins" : 10.0, "__proto__":{"x":1},"b":1,"b":2}';
    const fresh = '{"b": 1e2}';
    const text =
      `{"rests_on":${JSON.stringify(restsOn)}, "entries": [{"value":{"old":"counts not"}}], "env":0, "choice":"merge", ` +
      `"game_id":"${service.gameId}","device_id":"device-two","ticket":"${ticket}",` +
      `"entries" : [ {"value": ${value} ,"collection":"progress","key":"main"},` +
      `{"key":"fresh","value":{"a":1},"value":${fresh},"collection":"progress"}]}`;
    const { status, body } = await send(service, operations.resolveConflict.path, { method: 'POST', text });
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId: cloud.userId, methods: ['device', 'name'] });
    const expected = `[{"key":"fresh","value":${fresh},"version":0},{"key":"main","value":${value},"version":1},{"key":"old","value":{"a":1},"version":0}]`;
    expect(await readText(service, body)).toBe(expected);
    expect((await readEntries(service, local)).status).toBe(401);
    expect((await signInGuest(service, 'device-two')).userId).toBe(cloud.userId);
  });

  it('may bring nothing, where the owner has it all', async () => {
    const service = createTestService();
    const { ticket, cloud } = await makeDivergedConflict(service);
    const before = await readText(service, cloud);
    const { status, body } = await choose(service, { ticket, entries: [] });
    expect(status).toBe(200);
    expect(await readText(service, body)).toBe(before);
  });

  it('is carried out once by two tabs at once, and by a request whose answer got lost', async () => {
    const service = createTestService();
    const { ticket, cloud } = await makeDivergedConflict(service);
    service.backend.control.fail({ route: 'resolveConflict', with: 'lost-answer' });
    await expect(choose(service, { ticket })).rejects.toThrow(TypeError);
    const other = { entries: [{ ...merged, value: { coins: 99 } }] };
    const answers = await Promise.all([choose(service, { ticket }), choose(service, { ticket, ...other })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(new Set(answers.map(({ body }) => body.refreshToken)).size).toBe(1);
    expect((await readEntries(service, cloud)).body[0]).toEqual({ key: 'main', value: { coins: 10 }, version: 1 });
    for (const choice of ['local', 'cloud']) {
      expect((await choose(service, { ticket, choice })).body.code).toBe('conflict_stale');
    }
  });

  it('is stale where a side was written meanwhile, on either wire, and changes nothing', async () => {
    for (const side of ['local', 'cloud'] as const) {
      const service = createTestService();
      const conflict = await makeDivergedConflict(service);
      await writeText(service, conflict[side], 'new', '{}');
      const before = await readText(service, conflict.cloud);
      expect(await choose(service, { ticket: conflict.ticket })).toMatchObject({
        status: 409,
        body: { code: 'conflict_stale' },
      });
      expect(await readText(service, conflict.cloud)).toBe(before);
      expect((await readEntries(service, conflict.local)).status).toBe(200);
      expect((await choose(service, { ticket: conflict.ticket, choice: 'cloud' })).status).toBe(200);
    }
  });

  it('of a merge and a write at once, either the merge is stale or the write lies on top of it', async () => {
    const service = createTestService();
    const { ticket, cloud } = await makeDivergedConflict(service);
    const path = `${pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key: 'main' })}?env=0`;
    const write = (version: number) =>
      send(service, path, {
        method: 'PATCH',
        token: cloud.accessToken,
        body: { value: { written: version }, version },
      });
    const [choice, ...writes] = await Promise.all([choose(service, { ticket }), write(0), write(1)]);
    const [main] = (await readEntries(service, cloud)).body;
    const done = writes.filter(({ status }) => status === 200).length + (choice.status === 200 ? 1 : 0);
    expect(main.version).toBe(done);
  });

  it('is over with the ticket, the session, and on another device', async () => {
    const late = createTestService();
    const first = await makeDivergedConflict(late);
    expect((await choose(late, { ticket: first.ticket }, 'device-one')).body.code).toBe('conflict_stale');
    late.backend.control.advance(10 * minute);
    expect((await choose(late, { ticket: first.ticket })).body.code).toBe('conflict_stale');
    const out = createTestService();
    const second = await makeDivergedConflict(out);
    await post(out, operations.signOut.path, { refresh_token: second.local.refreshToken });
    expect((await choose(out, { ticket: second.ticket })).body.code).toBe('conflict_stale');
  });

  it('can be forbidden by the game', async () => {
    const service = createTestService({ game: { accountMerge: false } });
    const { ticket, conflict, cloud } = await makeDivergedConflict(service);
    expect(conflict.mergeable).toBe(false);
    const before = await readText(service, cloud);
    expect(await choose(service, { ticket })).toMatchObject({ status: 403, body: { code: 'merge_not_allowed' } });
    expect(await readText(service, cloud)).toBe(before);
    expect((await choose(service, { ticket, choice: 'cloud' })).status).toBe(200);
  });

  it('takes no entry that a write would not take, and nothing of the others then', async () => {
    const service = createTestService({ limits: { quotas: { entries: 3 }, valueBytes: 200 } });
    const { ticket, cloud } = await makeDivergedConflict(service);
    const before = await readText(service, cloud);
    const entry = (more: Record<string, unknown>) => ({ ...merged, ...more });
    for (const [entries, status, code] of [
      [[merged, entry({ key: '..' })], 400, 'invalid_key'],
      [[merged, entry({ collection: '' })], 400, 'invalid_key'],
      [[merged, entry({ key: 'big', value: { a: 'x'.repeat(200) } })], 413, 'too_large'],
      [[merged, entry({ key: 'text', value: { a: '\ud800' } })], 400, 'value_not_storable'],
      [[merged, entry({ key: 'number', value: { a: 2 ** 53 } })], 400, 'value_not_storable'],
      [[merged, entry({ key: 'list', value: [] })], 400, 'invalid_request'],
      [[merged, entry({ value: null })], 400, 'invalid_request'],
      [[merged, merged], 400, 'invalid_request'],
      [['a', 'b', 'c', 'd', 'e'].map((key) => entry({ key })), 403, 'quota_exceeded'],
      ['all', 400, 'invalid_request'],
      [undefined, 400, 'invalid_request'],
    ] as const) {
      expect(await choose(service, { ticket, entries })).toMatchObject({ status, body: { code } });
    }
    for (const wrong of [undefined, {}, { local: [] }, { local: [], cloud: [{ ...at('main'), version: -1 }] }]) {
      expect((await choose(service, { ticket, rests_on: wrong })).body.code).toBe('invalid_request');
    }
    expect(await readText(service, cloud)).toBe(before);
    expect((await choose(service, { ticket })).status).toBe(200);
  });

  it('is not looked into before its ticket holds', async () => {
    const service = createTestService();
    const { ticket } = await makeDivergedConflict(service);
    const entries = [{ ...merged, key: '..' }];
    expect((await choose(service, { ticket: `${ticket}x`, entries })).body.code).toBe('conflict_stale');
    expect((await choose(service, { ticket, entries }, 'device-one')).body.code).toBe('conflict_stale');
    expect((await choose(service, { ticket, entries })).body.code).toBe('invalid_key');
  });

  it('may be of 4 MiB, which no other request may', async () => {
    const service = createTestService({ limits: { quotas: { entries: 40 } } });
    const { ticket } = await makeDivergedConflict(service);
    const big = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        collection: 'big',
        key: `k${index}`,
        value: { a: 'x'.repeat(150_000) },
      }));
    expect(await choose(service, { ticket, entries: big(28) })).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    });
    const sides = await post(service, operations.readConflictSides.path, { ticket, more: 'x'.repeat(256 * 1024) });
    expect(sides.status).toBe(413);
    const { status, body } = await choose(service, { ticket, entries: big(27) });
    expect(status).toBe(200);
    expect((await readEntries(service, body, { collection: 'big' })).body).toHaveLength(27);
  });

  it('reaches nobody but the two accounts of its ticket', async () => {
    const service = createTestService();
    const third = await signInGuest(service, 'device-three');
    await writeText(service, third, 'main', '{"third":true}');
    const { ticket } = await makeDivergedConflict(service);
    await choose(service, { ticket });
    expect(await readText(service, third)).toBe('[{"key":"main","value":{"third":true},"version":0}]');
    const own = await useName(service, ada, { deviceId: 'device-two' });
    expect((await readEntries(service, own)).body).toHaveLength(2);
  });
});
