import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, makeConflict, post, send, signInGuest, type TestService } from '../support/service.js';

/** The two wires that lead to the same entries. */
const wires = [
  {
    name: 'the private API',
    entry: (service: TestService, userId: string, collection: string) =>
      pathOf(operations.updateUserEntry, { game: service.gameId, user: userId, collection, key: 'main' }),
    token: (service: TestService, _: { accessToken: string }) => service.privateKey,
  },
  {
    name: "the player's wire",
    entry: (service: TestService, _: string, collection: string) =>
      pathOf(operations.updateEntry, { game: service.gameId, collection, key: 'main' }),
    token: (_: TestService, player: { accessToken: string }) => player.accessToken,
  },
];

for (const wire of wires) {
  describe(`a write with an Idempotency-Key over ${wire.name}`, () => {
    async function setUp() {
      const service = createTestService();
      const player = await signInGuest(service);
      const token = wire.token(service, player);
      const path = wire.entry(service, player.userId, 'progress');
      const patch = (key: string | null, body: unknown, headers: Record<string, string> = {}) =>
        send(service, `${path}?env=0`, {
          method: 'PATCH',
          token,
          body,
          headers: { ...(key === null ? {} : { 'idempotency-key': key }), ...headers },
        });
      const read = async () => (await send(service, `${path.replace('/main', '')}?env=0`, { token })).body;
      return { service, player, patch, read };
    }

    it('is answered as the first time, whatever was written since', async () => {
      const { patch, read } = await setUp();
      expect((await patch('d:1', { value: { n: 1 }, version: -1 }, { 'if-none-match': '*' })).body).toEqual({
        version: 0,
      });
      expect((await patch('d:2', { value: { n: 2 }, version: 0 })).body).toEqual({ version: 1 });
      expect((await patch('e:1', { value: { n: 3 }, version: 1 })).body).toEqual({ version: 2 });
      expect((await patch(null, { value: { n: 4 }, version: -1 })).body).toEqual({ version: 3 });
      for (const version of [-1, 0, 3, 9]) {
        expect(await patch('d:2', { value: { n: 2 }, version })).toMatchObject({ status: 200, body: { version: 1 } });
      }
      expect(await read()).toEqual([{ key: 'main', value: { n: 4 }, version: 3 }]);
    });

    it.each(['lost-answer', 'offline'] as const)(
      'counts once after %s, and says which version it made',
      async (fault) => {
        const { service, patch, read } = await setUp();
        await patch(null, { value: { n: 1 }, version: -1 });
        for (const [index, version] of [0, -1].entries()) {
          const name = `d:${index}`;
          service.backend.control.fail({ with: fault });
          await expect(patch(name, { value: { n: 2 + index }, version })).rejects.toThrow(TypeError);
          expect((await patch(name, { value: { n: 2 + index }, version })).body).toEqual({ version: index + 1 });
          expect((await patch(name, { value: { n: 2 + index }, version })).body).toEqual({ version: index + 1 });
        }
        expect(await read()).toEqual([{ key: 'main', value: { n: 3 }, version: 2 }]);
      },
    );

    it('that was never carried out is told so; a write without a key is not', async () => {
      const { patch } = await setUp();
      await patch('d:1', { value: { n: 1 }, version: -1 });
      for (const version of [4, 9]) {
        const { status, body } = await patch('e:1', { value: { n: 1 }, version });
        expect([status, body]).toEqual([
          409,
          expect.objectContaining({ code: 'version_mismatch', carriedOut: false, currentVersion: 0 }),
        ]);
      }
      expect((await patch(null, { value: { n: 1 }, version: 4 })).body).not.toHaveProperty('carriedOut');
      const created = await patch('e:2', { value: {}, version: -1 }, { 'if-none-match': '*' });
      expect(created).toMatchObject({ status: 409, body: { carriedOut: false } });
    });

    it('of two devices with equal values is one of two writes', async () => {
      const { patch, read } = await setUp();
      await patch(null, { value: { n: 0 }, version: -1 });
      const answers = await Promise.all(
        ['d:1', 'e:1', 'd:1', 'e:1'].map((key) => patch(key, { value: { n: 1 }, version: 0 })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409]);
      expect(answers[0]?.status).toBe(answers[2]?.status);
      expect(await read()).toEqual([{ key: 'main', value: { n: 1 }, version: 1 }]);
    });

    it.each([
      '',
      ':',
      'd',
      'd:',
      ':1',
      'd:1:2',
      'd 1',
      ' d: 1',
      '"d:1"',
      'd:1, d:1',
      'd:ä',
      'd:1;q=1',
      `${'x'.repeat(65)}:1`,
      `d:${'x'.repeat(65)}`,
      `d:${'x'.repeat(12_000)}`,
      'd/e:1',
      'd%3A1',
    ])('is refused where the header is %j', async (key) => {
      const { patch, read } = await setUp();
      const answer = await patch(key, { value: {}, version: -1 });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      expect(await read()).toEqual([]);
    });

    it('takes 64 characters for each part', async () => {
      const { patch } = await setUp();
      const key = `${'x'.repeat(64)}:${'-_aZ09'.padEnd(64, 'y')}`;
      for (let time = 0; time < 2; time += 1) {
        expect((await patch(key, { value: {}, version: -1 })).body).toEqual({ version: 0 });
      }
    });

    it('is refused like any other without authorization, and leaves nothing', async () => {
      const { service, player, patch } = await setUp();
      const path = wire.entry(service, player.userId, 'progress');
      const body = { value: { n: 1 }, version: -1 };
      const wrong = await send(service, `${path}?env=0`, {
        method: 'PATCH',
        token: 'nobody',
        body,
        headers: { 'idempotency-key': 'd:1' },
      });
      expect(wrong.status).toBe(401);
      expect((await patch('d:1', { value: { n: 1 }, version: 'x' })).status).toBe(400);
      expect((await patch('d:1', body)).body).toEqual({ version: 0 });
    });

    it('is known after what it wrote was restored over, or merged over', async () => {
      const { service, player, patch, read } = await setUp();
      await patch('d:1', { value: { n: 1 }, version: -1 });
      await patch('e:1', { value: { n: 2 }, version: -1 });
      const { accessToken: token } = player;
      const { body } = await send(service, operations.listSnapshots.path, { token });
      const path = pathOf(operations.restoreSnapshot, { snapshot: body.snapshots[0].id });
      expect((await send(service, path, { method: 'POST', token, body: {} })).status).toBe(200);
      expect((await patch('e:1', { value: { n: 2 }, version: 0 })).body).toEqual({ version: 1 });
      expect((await patch('d:1', { value: { n: 1 }, version: -1 })).body).toEqual({ version: 0 });
      expect(await read()).toEqual([{ key: 'main', value: { n: 1 }, version: 2 }]);
    });
  });
}

describe('an older client', () => {
  it('writes as before: without a header, with a member of its own in the values', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const path = pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key: 'main' });
    const value = (coins: number, device: string) => ({
      coins,
      $savepoint: { sums: { coins: { [device]: [coins, 1] } } },
    });
    const patch = (body: object, headers = {}) =>
      send(service, `${path}?env=0`, { method: 'PATCH', token: player.accessToken, body, headers });
    expect((await patch({ value: value(1, 'a'), version: -1 }, { 'if-none-match': '*' })).body).toEqual({ version: 0 });
    service.backend.control.fail({ with: 'lost-answer' });
    await expect(patch({ value: value(2, 'a'), version: 0 })).rejects.toThrow(TypeError);
    // Its guess after a lost answer rests on exactly this refusal.
    const { status, body } = await patch({ value: value(2, 'a'), version: 0 });
    expect([status, body]).toEqual([
      409,
      {
        type: 'about:blank',
        title: expect.any(String),
        status: 409,
        code: 'version_mismatch',
        requestId: expect.any(String),
        currentVersion: 1,
        currentValue: value(2, 'a'),
      },
    ]);
    // A newer device beside it leaves its member alone, and what it keeps beside the value stays as well.
    const newer = { value: { ...value(3, 'a'), level: 1 }, version: 1, times: { level: 7 } };
    expect((await patch(newer, { 'idempotency-key': 'd:1' })).body).toEqual({ version: 2 });
    expect((await patch({ value: value(4, 'a'), version: 2 })).body).toEqual({ version: 3 });
    const read = await send(service, `${path.replace('/main', '')}?env=0`, { token: player.accessToken });
    expect(read.body).toEqual([{ key: 'main', value: value(4, 'a'), version: 3, times: { level: 7 } }]);
  });
});

describe('times', () => {
  async function setUp() {
    const service = createTestService();
    const player = await signInGuest(service);
    const path = pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key: 'main' });
    const game = { game: service.gameId, user: player.userId, collection: 'progress', key: 'main' };
    const patch = (body: unknown) =>
      send(service, `${path}?env=0`, { method: 'PATCH', token: player.accessToken, body });
    const patchText = (text: string) =>
      send(service, `${path}?env=0`, { method: 'PATCH', token: player.accessToken, text });
    const patchAsGame = (body: unknown) =>
      send(service, `${pathOf(operations.updateUserEntry, game)}?env=0`, {
        method: 'PATCH',
        token: service.privateKey,
        body,
      });
    const read = async () =>
      (await send(service, `${path.replace('/main', '')}?env=0`, { token: player.accessToken })).body[0];
    const readAsGame = async () =>
      (await send(service, `${pathOf(operations.readUserCollection, game)}?env=0`, { token: service.privateKey }))
        .body[0];
    return { service, player, patch, patchText, patchAsGame, read, readAsGame };
  }

  it('stand beside a value on the player’s wire, and nowhere else', async () => {
    const { service, player, patch, patchAsGame, read, readAsGame } = await setUp();
    expect((await patch({ value: { a: 1 }, version: -1, times: { a: 5, 'b.c': 6.5 } })).status).toBe(200);
    expect(await read()).toEqual({ key: 'main', value: { a: 1 }, version: 0, times: { a: 5, 'b.c': 6.5 } });
    expect(await readAsGame()).toEqual({ key: 'main', value: { a: 1 }, version: 0 });
    expect((await patch({ value: {}, version: 7 })).body).toMatchObject({ currentTimes: { a: 5, 'b.c': 6.5 } });
    expect((await patchAsGame({ value: {}, version: 7 })).body).not.toHaveProperty('currentTimes');
    // The private API neither changes them nor loses them, whatever its body holds.
    expect((await patchAsGame({ value: { a: 2 }, version: 0, times: { a: 9 } })).status).toBe(200);
    expect((await patchAsGame({ value: { a: 3 }, version: -1, times: 'nothing' })).status).toBe(200);
    expect(await read()).toMatchObject({ value: { a: 3 }, version: 2, times: { a: 5, 'b.c': 6.5 } });
    const exported = await send(service, operations.exportAccount.path, { token: player.accessToken });
    expect(JSON.stringify(exported.body)).not.toContain('times');
  });

  it('stay where a body has none, and go with an empty object', async () => {
    const { patch, read } = await setUp();
    await patch({ value: {}, version: -1, times: { a: 5 } });
    await patch({ value: {}, version: 0 });
    expect(await read()).toMatchObject({ version: 1, times: { a: 5 } });
    await patch({ value: {}, version: 1, times: {} });
    expect(await read()).not.toHaveProperty('times');
  });

  it('have a form, and at most 4 KiB of JSON', async () => {
    const { patch, patchText, read } = await setUp();
    for (const times of [null, [], 'text', 1, { a: '1' }, { a: null }, { a: { b: 1 } }, { a: [1] }]) {
      const answer = await patch({ value: {}, version: -1, times });
      expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
    expect((await patchText('{"value":{},"version":-1,"times":{"a":1e999}}')).status).toBe(400);
    const of = (bytes: number) => ({ ['é'.repeat((bytes - 6) / 2)]: 1 });
    expect(Buffer.byteLength(JSON.stringify(of(4096)))).toBe(4096);
    expect(await patch({ value: {}, version: -1, times: of(4098) })).toMatchObject({
      status: 413,
      body: { code: 'too_large' },
    });
    expect(await read()).toBeUndefined();
    expect((await patch({ value: {}, version: -1, times: of(4096) })).status).toBe(200);
    expect(await read()).toMatchObject({ times: of(4096) });
    const odd = '{"__proto__":1,"\\u0000":2,"\\ud800":3,"constructor":4}';
    expect((await patchText(`{"value":{},"version":0,"times":${odd}}`)).status).toBe(200);
    expect(JSON.stringify((await read()).times)).toBe(odd);
  });
});

describe('the conflict of two accounts', () => {
  it('shows what stands beside the values, takes it with a merge, and knows what was merged', async () => {
    const service = createTestService();
    const { ticket, local, cloud } = await withConflict(service);
    const sides = (await readSides(service, ticket)).body;
    expect(sides).toMatchObject({
      local: [{ key: 'main', value: { n: 1 }, times: { n: 1 } }],
      cloud: [{ key: 'main', value: { n: 2 } }],
      merged: [],
    });
    expect(sides.cloud[0]).not.toHaveProperty('times');
    const at = { collection: 'progress', key: 'main' };
    const merge = (times: unknown) =>
      post(service, operations.resolveConflict.path, {
        device_id: 'device-two',
        ticket,
        choice: 'merge',
        entries: [{ ...at, value: { n: 3 }, times }],
        rests_on: { local: [{ ...at, version: 0 }], cloud: [{ ...at, version: 0 }] },
      });
    for (const times of [{ n: 'x' }, 7]) expect(await merge(times)).toMatchObject({ status: 400 });
    const { status, body } = await merge({ n: 1 });
    expect([status, body.userId]).toEqual([200, cloud.userId]);
    const path = pathOf(operations.readCollection, { game: service.gameId, collection: 'progress' });
    const read = await send(service, `${path}?env=0`, { token: body.accessToken });
    expect(read.body).toEqual([{ key: 'main', value: { n: 3 }, version: 1, times: { n: 1 } }]);

    // The local account is entered once more, and meets the same cloud account.
    const again = await send(service, operations.readAccount.path, { token: local.accessToken });
    expect(again.status).toBe(401);
    expect(await snapshotsOf(service, body.accessToken)).toContainEqual(['merge', local.userId]);
  });
});

/** A guest on device-two with an entry, in conflict with an account that has a name and an entry. */
async function withConflict(service: TestService) {
  const conflict = await makeConflict(service);
  const path = pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key: 'main' });
  const write = (token: string, body: object) => send(service, `${path}?env=0`, { method: 'PATCH', token, body });
  const { local, cloud } = conflict;
  await write(local.accessToken, { value: { n: 1 }, version: -1, times: { n: 1 } });
  await write(cloud.accessToken, { value: { n: 2 }, version: -1 });
  return conflict;
}

function readSides(service: TestService, ticket: string) {
  return post(service, operations.readConflictSides.path, { device_id: 'device-two', ticket });
}

async function snapshotsOf(service: TestService, token: string) {
  const { body } = await send(service, operations.listSnapshots.path, { token });
  return body.snapshots.map(({ reason, fromUserId }: { reason: string; fromUserId: string }) => [reason, fromUserId]);
}

describe('a snapshot with an Idempotency-Key', () => {
  it('is kept once, under one id, for this account alone', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    const add = (token: string, key: string | null, value: object) =>
      post(
        service,
        operations.addSnapshot.path,
        { collection: 'progress', key: 'main', value },
        { token, headers: key === null ? {} : { 'idempotency-key': key } },
      );
    service.backend.control.fail({ with: 'lost-answer', route: 'addSnapshot' });
    await expect(add(player.accessToken, 'd:1', { n: 1 })).rejects.toThrow(TypeError);
    const answers = await Promise.all([1, 2, 3].map((n) => add(player.accessToken, 'd:1', { n })));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    const other = await add(player.accessToken, 'd:2', { n: 1 });
    const without = await add(player.accessToken, null, { n: 1 });
    const { body } = await send(service, operations.listSnapshots.path, { token: player.accessToken });
    expect(body.snapshots.map(({ id }: { id: string }) => id)).toEqual([
      without.body.id,
      other.body.id,
      answers[0]?.body.id,
    ]);
    const path = pathOf(operations.readSnapshot, { snapshot: answers[0]?.body.id });
    expect((await send(service, path, { token: player.accessToken })).body.content[0].value).toEqual({ n: 1 });
    const stranger = await signInGuest(service, 'device-two');
    expect((await add(stranger.accessToken, 'd:1', { n: 1 })).body.id).not.toBe(answers[0]?.body.id);
    expect(await add(player.accessToken, 'd', { n: 1 })).toMatchObject({ status: 400 });
  });
});

describe('an access token', () => {
  it('says that the service keeps a ledger; a refresh token says what it always said', async () => {
    const player = await signInGuest(createTestService());
    expect(decodeJwt(player.accessToken)).toMatchObject({ wire: 2, sid: expect.any(String) });
    expect(decodeJwt(player.refreshToken)).not.toHaveProperty('wire');
  });
});
