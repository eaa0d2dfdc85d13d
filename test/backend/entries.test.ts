import { describe, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, readEntries, send, signInGuest, type TestService, writeEntry } from '../support/service.js';

/** The two wires that lead to the same entries. */
const wires = [
  {
    name: 'the private API',
    collection: (service: TestService, userId: string, collection: string) =>
      pathOf(operations.readUserCollection, { game: service.gameId, user: userId, collection }),
    token: (service: TestService, _: { accessToken: string }) => service.privateKey,
  },
  {
    name: "the player's wire",
    collection: (service: TestService, _: string, collection: string) =>
      pathOf(operations.readCollection, { game: service.gameId, collection }),
    token: (_: TestService, player: { accessToken: string }) => player.accessToken,
  },
];

for (const wire of wires) {
  describe(`an entry over ${wire.name}`, () => {
    async function setUp(options: Parameters<typeof createTestService>[0] = {}) {
      const service = createTestService(options);
      const player = await signInGuest(service);
      const token = wire.token(service, player);
      const base = wire.collection(service, player.userId, 'progress');
      return {
        service,
        player,
        read: (query = '?env=0', path = base) => send(service, `${path}${query}`, { token }),
        patch: (
          body: unknown,
          { path = `${base}/main`, query = '?env=0', headers = {} as Record<string, string> } = {},
        ) => send(service, `${path}${query}`, { method: 'PATCH', token, body, headers }),
        patchText: (text: string) => send(service, `${base}/main?env=0`, { method: 'PATCH', token, text }),
        base,
      };
    }

    it('is made by -1, written at its version, and rises by one', async () => {
      const { patch, read } = await setUp();
      expect((await read()).body).toEqual([]);
      expect(await patch({ value: { coins: 1 }, version: -1 })).toMatchObject({ status: 200, body: { version: 0 } });
      expect((await patch({ value: { coins: 2 }, version: 0 })).body).toEqual({ version: 1 });
      expect((await patch({ value: { coins: 3 }, version: -1 })).body).toEqual({ version: 2 });
      expect((await read()).body).toEqual([{ key: 'main', value: { coins: 3 }, version: 2 }]);
    });

    it('stays as it is on a mismatch, which says what is there', async () => {
      const { patch, read } = await setUp();
      const absent = await patch({ value: {}, version: 0 });
      expect(absent).toMatchObject({ status: 409, body: { code: 'version_mismatch', currentVersion: -1 } });
      expect(absent.body).not.toHaveProperty('currentValue');
      await patch({ value: { coins: 1 }, version: -1 });
      for (const version of [1, 7]) {
        expect(await patch({ value: { coins: 2 }, version })).toMatchObject({
          status: 409,
          body: { code: 'version_mismatch', currentVersion: 0, currentValue: { coins: 1 } },
        });
      }
      expect((await read()).body).toEqual([{ key: 'main', value: { coins: 1 }, version: 0 }]);
    });

    it('is only created under If-None-Match, one of fifty at once', async () => {
      const { patch, read } = await setUp();
      const create = (n: number) => patch({ value: { n }, version: -1 }, { headers: { 'if-none-match': '*' } });
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => create(n)));
      const won = answers.findIndex(({ status }) => status === 200);
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      for (const { status, body } of answers.filter((_, index) => index !== won)) {
        expect(status).toBe(409);
        expect(body).toMatchObject({ code: 'version_mismatch', currentVersion: 0, currentValue: { n: won } });
      }
      expect((await read()).body).toEqual([{ key: 'main', value: { n: won }, version: 0 }]);
    });

    it('is refused under a condition that nobody knows', async () => {
      const { patch, read } = await setUp();
      for (const [condition, version] of [
        ['"1"', -1],
        ['*', 0],
        ['*, "1"', -1],
        ['', -1],
      ] as const) {
        const answer = await patch({ value: {}, version }, { headers: { 'if-none-match': condition } });
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      }
      expect((await read()).body).toEqual([]);
    });

    it('takes one of fifty updates of one version at once', async () => {
      const { patch } = await setUp();
      await patch({ value: {}, version: -1 });
      const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => patch({ value: { n }, version: 0 })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
      expect(answers.filter(({ status }) => status === 409)).toHaveLength(49);
    });

    it('comes back as it was written, letter for letter', async () => {
      const { service, player, patchText, patch, base } = await setUp();
      const value =
        '{ "b" : 1.0, "a":[1e2,-0,0.1 ,9007199254740991], "__proto__":{"x":1},\n"\\u0000":"\\ud83d\\ude00😀", "b":2}';
      expect((await patchText(`{"version":-1, "value": ${value} , "more":true}`)).status).toBe(200);
      const read = (path: string) =>
        service.backend
          .fetch(
            new Request(`${service.baseUrl}${path}?env=0`, {
              headers: { authorization: `Bearer ${wire.token(service, player)}` },
            }),
          )
          .then((response) => response.text());
      expect(await read(base)).toBe(`[{"key":"main","value":${value},"version":0}]`);
      const mismatch = await patch({ value: {}, version: 5 });
      expect(mismatch.body.currentValue).toEqual(JSON.parse(value));
    });

    it('is refused where a store could not give it back', async () => {
      const { patchText, read } = await setUp();
      const deep = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`;
      const refused = ['{"a":"\\ud800"}', '{"\\udc00":1}', '{"a":1e400}', '{"a":9007199254740992}', deep(33)];
      for (const value of refused) {
        const answer = await patchText(`{"value":${value},"version":-1}`);
        expect(answer).toMatchObject({ status: 400, body: { code: 'value_not_storable' } });
      }
      expect((await read()).body).toEqual([]);
      expect((await patchText(`{"value":${deep(32)},"version":-1}`)).status).toBe(200);
    });

    it('is refused where it is no object, or has no version', async () => {
      const { patch, patchText, read } = await setUp();
      for (const value of [[], 'text', 1, true, null, undefined]) {
        expect(await patch({ value, version: -1 })).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
      }
      for (const version of [-2, 0.5, '0', null, undefined, 2 ** 53 - 1, 1e300]) {
        expect(await patch({ value: {}, version })).toMatchObject({ status: 400, body: { code: 'invalid_version' } });
      }
      for (const body of [[], 'text', null]) expect((await patch(body)).status).toBe(400);
      expect((await patchText('{"__proto__":{"value":{},"version":-1}}')).status).toBe(400);
      expect((await patch({ value: {}, version: 2 ** 53 - 2 })).status).toBe(409);
      expect((await read()).body).toEqual([]);
    });

    it('may have 150 KiB of UTF-8, and not one byte more', async () => {
      const { patch, patchText } = await setUp();
      const text = (bytes: number) => `{"a":"${'é'.repeat((bytes - 8) / 2)}"}`;
      expect((await patchText(`{"value":${text(150 * 1024)},"version":-1}`)).status).toBe(200);
      const larger = await patchText(`{"value":${text(150 * 1024)} ,"version":-1}`);
      expect(larger.status).toBe(200);
      const tooLarge = await patchText(`{"value":{"b":1,${text(150 * 1024).slice(1)},"version":-1}`);
      expect(tooLarge).toMatchObject({ status: 413, body: { code: 'too_large' } });
      expect((await patch({ value: { a: '\\'.repeat(70_000) }, version: -1 })).status).toBe(200);
    });

    it('has any name that a URL can carry', async () => {
      const { patch, read, base } = await setUp();
      const names = ['a b', 'a/b', 'a%2Fb', 'ключ', '😀', '...', 'a?b#c', '\'"', 'x'.repeat(128), 'é'.repeat(64)];
      for (const name of names) {
        const path = `${base}/${encodeURIComponent(name)}`;
        expect((await patch({ value: {}, version: -1 }, { path })).body).toEqual({ version: 0 });
        expect((await patch({ value: {}, version: 0 }, { path: `${path}/` })).body).toEqual({ version: 1 });
      }
      const keys = (await read()).body.map(({ key }: { key: string }) => key);
      expect([...keys].sort()).toEqual([...names].sort());
    });

    it('has no name that it could not be found by again', async () => {
      const { patch, read, base } = await setUp();
      const segments = [
        '%',
        '%zz',
        '%c3',
        '%ed%a0%80',
        '%00',
        '%0a',
        '%7f',
        'x'.repeat(129),
        encodeURIComponent('é'.repeat(65)),
      ];
      for (const segment of segments) {
        const answer = await patch({ value: {}, version: -1 }, { path: `${base}/${segment}` });
        expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
        const collection = base.replace('progress', segment);
        expect(await read('?env=0', collection)).toMatchObject({ status: 400, body: { code: 'invalid_key' } });
      }
    });

    it('needs an environment: 0, 1 or 2, once', async () => {
      const { read, patch } = await setUp();
      for (const query of ['', '?env=', '?env=3', '?env=00', '?env=-0', '?env=0&env=0', '?env=zero', '?ENV=0']) {
        expect(await read(query)).toMatchObject({ status: 400, body: { code: 'invalid_env' } });
        const written = await patch({ value: {}, version: -1 }, { query });
        expect(written).toMatchObject({ status: 400, body: { code: 'invalid_env' } });
      }
    });

    it('is one of a limited number in its collection', async () => {
      const { patch, base } = await setUp({ limits: { quotas: { entries: 3 } } });
      const write = (key: string) => patch({ value: {}, version: -1 }, { path: `${base}/${key}` });
      for (const key of ['a', 'b', 'c']) expect((await write(key)).status).toBe(200);
      expect(await write('d')).toMatchObject({
        status: 403,
        body: { code: 'quota_exceeded', quota: 'entries', limit: 3, used: 3 },
      });
      expect((await write('a')).status).toBe(200);
    });

    it('takes its game and user in any case', async () => {
      const { service, player, patch } = await setUp();
      const upper = { ...service, gameId: service.gameId.toUpperCase() };
      const path = `${wire.collection(upper, player.userId.toUpperCase(), 'progress')}/main`;
      expect((await patch({ value: {}, version: -1 }, { path })).status).toBe(200);
      expect((await readEntries(service, player)).body).toHaveLength(1);
    });
  });
}

describe('the private API', () => {
  it('sees what the player wrote, and the other way round', async () => {
    const service = createTestService();
    const player = await signInGuest(service);
    await writeEntry(service, player, { value: { coins: 1 } });
    const path = `${pathOf(operations.updateUserEntry, { game: service.gameId, user: player.userId, collection: 'progress', key: 'main' })}?env=0`;
    const body = { value: { coins: 2 }, version: 0 };
    await send(service, path, { method: 'PATCH', token: service.privateKey, body });
    expect((await readEntries(service, player)).body).toEqual([{ key: 'main', value: { coins: 2 }, version: 1 }]);
  });

  it('tells nothing without the private key, not even whether a user is there', async () => {
    const service = createTestService();
    const { userId, accessToken } = await signInGuest(service);
    const known = pathOf(operations.readUserCollection, { game: service.gameId, user: userId, collection: 'progress' });
    const unknown = pathOf(operations.readUserCollection, {
      game: service.gameId,
      user: '00000000-0000-4000-8000-000000000000',
      collection: 'progress',
    });
    const otherGame = pathOf(operations.readUserCollection, {
      game: '00000000-0000-4000-8000-000000000000',
      user: userId,
      collection: 'progress',
    });
    const key = service.privateKey;
    const authorizations = [
      '',
      'Bearer',
      'Bearer ',
      `Basic ${key}`,
      key,
      `Bearer ${key}x`,
      `Bearer ${accessToken}`,
      `Bearer ${key}, Bearer ${key}`,
    ];
    for (const path of [known, unknown, otherGame, known.replace(userId, 'nobody')]) {
      for (const authorization of authorizations) {
        const headers: Record<string, string> = authorization === '' ? {} : { authorization };
        const answer = await send(service, `${path}?env=0`, { headers });
        expect(answer).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
      }
    }
    const stranger = await send(service, `${otherGame}?env=0`, { token: key });
    expect(stranger).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    const decoy = await send(service, `${otherGame}?env=0`, { token: 'nobody has this key' });
    expect(decoy.status).toBe(401);
  });

  it('knows no user of another environment or with another form of id', async () => {
    const service = createTestService();
    const { userId } = await signInGuest(service);
    for (const [user, environment] of [
      [userId, 1],
      ['nobody', 0],
      ['00000000-0000-4000-8000-000000000000', 0],
    ] as const) {
      const path = `${pathOf(operations.readUserCollection, { game: service.gameId, user, collection: 'progress' })}?env=${environment}`;
      const read = await send(service, path, { token: service.privateKey });
      expect(read).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
      const body = { value: {}, version: -1 };
      const entry = `${pathOf(operations.updateUserEntry, { game: service.gameId, user, collection: 'progress', key: 'main' })}?env=${environment}`;
      const written = await send(service, entry, { method: 'PATCH', token: service.privateKey, body });
      expect(written).toMatchObject({ status: 404, body: { code: 'user_not_found' } });
    }
  });
});

describe("the player's wire", () => {
  it('leads to nobody else', async () => {
    const service = createTestService();
    const first = await signInGuest(service, 'device-one');
    const second = await signInGuest(service, 'device-two');
    await writeEntry(service, first, { value: { coins: 1 } });
    expect((await readEntries(service, second)).body).toEqual([]);
    const path = `${pathOf(operations.readCollection, { game: service.gameId, collection: 'progress' })}?env=0`;
    expect(await send(service, path)).toMatchObject({ status: 401, body: { code: 'unauthorized' } });
    expect((await send(service, path, { token: service.privateKey })).status).toBe(401);
  });
});
