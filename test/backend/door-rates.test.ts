import { describe, expect, it } from 'vitest';
import type { LogRecord, RateLimits, SocialVerifier } from '../../src/backend/index.js';
import { createMemoryStore } from '../../src/backend/stores/memory/store.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  post,
  readEntries,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  writeEntry,
} from '../support/service.js';

const minute = 60_000;
const once = { tries: 1, windowMs: minute };
const rated = (rates: RateLimits, more: Parameters<typeof createTestService>[0] = {}) =>
  createTestService({ limits: { rates }, ...more });

describe('the rates of the doors', () => {
  it('count the reads, writes and refreshes of an account, each by itself, and say when to come again', async () => {
    const service = rated({ readsPerAccount: once, writesPerAccount: once, refreshesPerAccount: once });
    const ada = await signInGuest(service, 'device-one');
    const bob = await signInGuest(service, 'device-two');
    const doors = [
      (player: typeof ada) => readEntries(service, player),
      (player: typeof ada) => writeEntry(service, player),
      (player: typeof ada) => post(service, operations.refreshSession.path, { refresh_token: player.refreshToken }),
    ];
    for (const door of doors) {
      expect((await door(ada)).status).toBe(200);
      const refused = await door(ada);
      expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfterMs: minute } });
      expect(refused.headers.get('retry-after')).toBe('60');
      expect((await door(bob)).status).toBe(200);
    }
    service.backend.control.advance(minute);
    for (const door of doors) expect((await door(ada)).status).toBe(200);
  });

  it("count what the game's back end asks for one player, by signed requests and by the private API", async () => {
    const service = rated({ gameRequestsPerAccount: { tries: 2, windowMs: minute } });
    const sign = async (custom: string, env = 0) => {
      const request = await signedRequest(service, { body: { custom_user_id: custom, device_id: custom, env } });
      const answer = await service.backend.fetch(request);
      return { status: answer.status, body: await answer.json() };
    };
    const [ada, bob] = [(await sign('ada')).body.userId, (await sign('bob')).body.userId];
    expect((await sign('ada')).status).toBe(200);
    expect(await sign('ada')).toMatchObject({ status: 429, body: { code: 'rate_limited', retryAfterMs: minute / 2 } });
    expect([(await sign('ada', 1)).status, (await sign('bob')).status]).toEqual([200, 200]);
    const ask = (game: string, user: string, token = service.privateKey) =>
      send(service, `${pathOf(operations.readUserCollection, { game, user, collection: 'progress' })}?env=0`, {
        token,
      });
    const wrong = [1, 2, 3].map(() => ask(service.gameId, ada, 'no key'));
    expect((await Promise.all(wrong)).map(({ status }) => status)).toEqual([401, 401, 401]);
    expect([(await ask(service.gameId, ada)).status, (await ask(service.gameId, ada.toUpperCase())).status]).toEqual([
      200, 200,
    ]);
    expect(await ask(service.gameId, ada)).toMatchObject({ status: 429, body: { retryAfterMs: minute / 2 } });
    expect((await ask(service.gameId, bob)).status).toBe(200);
    service.backend.control.advance(minute);
    expect([(await sign('ada')).status, (await ask(service.gameId, ada)).status]).toEqual([200, 200]);
  });

  it('count what an account reads and brings by its size: another one for each 64 KiB', async () => {
    const few = { tries: 12, windowMs: minute };
    const service = rated({ readsPerAccount: few, writesPerAccount: few });
    const ada = await signInGuest(service, 'device-one');
    const bob = await signInGuest(service, 'device-two');
    const large = { text: 'x'.repeat(140_000) };
    // Each counts as three, and is let in where there is room for one.
    for (let n = 0; n < 4; n += 1) {
      expect((await writeEntry(service, ada, { key: `save-${n}`, value: large })).status).toBe(200);
    }
    expect(await writeEntry(service, ada)).toMatchObject({ status: 429, body: { retryAfterMs: minute / 12 } });
    // Nine: half a megabyte, and itself.
    expect((await readEntries(service, ada)).status).toBe(200);
    expect((await readEntries(service, ada)).status).toBe(200);
    expect(await readEntries(service, ada)).toMatchObject({ status: 429, body: { retryAfterMs: (7 * minute) / 12 } });
    expect((await readEntries(service, bob)).status).toBe(200);
    expect((await send(service, `${operations.exportAccount.path}`, { token: ada.accessToken })).status).toBe(429);
    service.backend.control.advance(2 * minute);
    expect((await send(service, `${operations.exportAccount.path}`, { token: ada.accessToken })).status).toBe(200);
    // Pieces of an export count as well.
    for (let n = 0; n < 3; n += 1) expect((await readEntries(service, ada)).status).toBe(n === 0 ? 200 : 429);
  });

  it('count a snapshot that is restored by its size', async () => {
    const service = rated({ writesPerAccount: { tries: 12, windowMs: minute } });
    const ada = await signInGuest(service, 'device-one');
    const token = ada.accessToken;
    for (const text of ['x'.repeat(140_000), 'short']) await writeEntry(service, ada, { value: { text } });
    const [{ id }] = (await send(service, operations.listSnapshots.path, { token })).body.snapshots;
    service.backend.control.advance(minute);
    const restore = () =>
      send(service, pathOf(operations.restoreSnapshot, { snapshot: id }), { method: 'POST', token });
    // Each counts as three, and is let in where there is room for one.
    const statuses: number[] = [];
    for (let n = 0; n < 5; n += 1) statuses.push((await restore()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 429]);
  });

  it.each([
    ['values', 1, { value: { text: 'x'.repeat(140_000) } }],
    ['what devices keep beside the values', 40, { times: { ['x'.repeat(3_500)]: 1 } }],
  ])('count both accounts of a conflict that is opened, and one that is looked at: %s', async (_, entries, content) => {
    const service = rated({ readsPerAccount: { tries: 12, windowMs: minute } });
    const ada = await signInGuest(service, 'device-one');
    const bob = await signInGuest(service, 'device-two');
    for (const { accessToken: token } of [ada, bob]) {
      for (let n = 0; n < entries; n += 1) {
        const key = `save-${n}`;
        const path = `${pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key })}?env=0`;
        const body = { value: {}, version: -1, ...content };
        expect((await send(service, path, { method: 'PATCH', token, body })).status).toBe(200);
      }
    }
    const name = { username: 'ada', password: 'correct horse' };
    const ask = (player: typeof ada, path: string = operations.signInWithName.path) =>
      post(service, path, name, {
        token: player.accessToken,
        deviceId: player === ada ? 'device-one' : 'device-two',
      });
    expect((await ask(ada)).status).toBe(200);
    const codes: number[] = [];
    for (let n = 0; n < 4; n += 1) codes.push((await ask(bob)).status);
    // Each counts as five, and is let in where there is room for one.
    expect(codes).toEqual([409, 409, 409, 429]);
    service.backend.control.advance(2 * minute);
    const peek = pathOf(operations.peek, { method: 'name' });
    // Of the other account alone: three.
    for (let n = 0; n < 5; n += 1) codes.push((await ask(bob, peek)).status);
    expect(codes.slice(4)).toEqual([200, 200, 200, 200, 429]);
  });

  it('count what comes from an address, or from a /64 of IPv6, before it is read', async () => {
    const service = rated({
      signInsPerAddress: once,
      readsPerAddress: once,
      writesPerAddress: once,
      refreshesPerAddress: once,
      gameRequestsPerAddress: once,
    });
    const ask: ((address: string) => Promise<{ status: number }>)[] = [
      (address) => post(service, operations.signInAsGuest.path, {}, { address, deviceId: `device of ${address}` }),
      (address) => send(service, operations.readPublicKeys.path, { address }),
      (address) => send(service, operations.readAccount.path, { method: 'DELETE', address }),
      (address) => post(service, operations.refreshSession.path, { refresh_token: 'none' }, { address }),
      async (address) => service.backend.fetch(await signedRequest(service), { address }),
    ];
    for (const door of ask) {
      expect((await door('2001:db8:0:1::1')).status).not.toBe(429);
      expect((await door('2001:db8:0:1:ffff::2')).status).toBe(429);
      expect((await door('2001:db8:0:2::1')).status).not.toBe(429);
      expect((await door('192.0.2.1')).status).not.toBe(429);
      expect((await door('192.0.2.1')).status).toBe(429);
    }
  });

  it('count what an address brings by its size, as long as nobody knows for which account it is', async () => {
    const service = rated({ signInsPerAddress: { tries: 12, windowMs: minute }, refreshesPerAddress: once });
    const large = { more: 'x'.repeat(400_000) };
    const choose = (body: object, address: string) =>
      post(service, operations.resolveConflict.path, { ticket: 'none', choice: 'cloud', ...body }, { address });
    // Each counts as seven.
    expect((await choose(large, '192.0.2.1')).body.code).toBe('conflict_stale');
    expect((await choose(large, '192.0.2.1')).body.code).toBe('conflict_stale');
    expect(await choose({}, '192.0.2.1')).toMatchObject({ status: 429, body: { retryAfterMs: (3 * minute) / 12 } });
    expect((await signInGuest(service, 'device-two', { address: '192.0.2.2' })).userId).toBeDefined();
    expect((await choose({}, '192.0.2.2')).status).not.toBe(429);
  });

  it('are off unless they are asked for, and count no address that is not known', async () => {
    const off = createTestService();
    const unknown = rated({ signInsPerAddress: once });
    for (let n = 0; n < 5; n += 1) {
      await signInGuest(off, 'device-one', { address: '192.0.2.1' });
      await signInGuest(unknown, 'device-one');
    }
  });

  it('are met by no game that plays as games do', async () => {
    const service = createTestService({ limits: { rates: true } });
    const player = await signInGuest(service, 'device-one', { address: '192.0.2.1' });
    for (let n = 0; n < 300; n += 1) expect((await writeEntry(service, player)).status).toBe(200);
  });
});

describe('the reads of whole collections', () => {
  it('take turns: two of an account at once, the others in its line, and those of another account beside them', async () => {
    const store = createMemoryStore();
    const reading: { accountId: string; go: () => void }[] = [];
    const service = createTestService({
      store: {
        ...store,
        async readCollection(request) {
          await new Promise<void>((go) => reading.push({ accountId: request.owner.accountId, go }));
          return store.readCollection(request);
        },
      },
    });
    const ada = await signInGuest(service, 'device-one');
    const bob = await signInGuest(service, 'device-two');
    const answers = [ada, ada, ada, ada, bob].map((player) => readEntries(service, player));
    await expect.poll(() => reading.map(({ accountId }) => accountId)).toEqual([ada.userId, ada.userId, bob.userId]);
    reading[0]?.go();
    await expect.poll(() => reading.length).toBe(4);
    for (let next = 1; next < 5; next += 1) {
      await expect.poll(() => reading.length).toBeGreaterThan(next);
      reading[next]?.go();
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  });
});

describe('the checks of tokens', () => {
  /** A platform that answers when the test says so. */
  function slowPlatform() {
    const waiting: (() => void)[] = [];
    const verifier: SocialVerifier = async () => {
      await new Promise<void>((resolve) => waiting.push(resolve));
      return null;
    };
    const answer = (): void => {
      for (const next of waiting.splice(0)) next();
    };
    return { verifier, asked: () => waiting.length, answer };
  }
  const show = (service: TestService, platform: string, address: string) =>
    post(service, operations.signInWithSocialToken.path, { token: 'junk', platform }, { address });
  /** Lets all go on that can. */
  const settle = async () => {
    for (let turns = 0; turns < 200; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  it('ask a platform only so much at once, and for one address less; a platform that hangs holds up no other', async () => {
    const chirp = slowPlatform();
    const face = slowPlatform();
    const service = createTestService({
      game: { socialPlatforms: { chirp: chirp.verifier, face: face.verifier } },
      limits: {
        rates: { wrongTokensPerAddress: { tries: 5, windowMs: minute } },
        tokenChecksAtOnce: 6,
        tokenChecksAtOncePerAddress: 4,
      },
    });
    const answers = Array.from({ length: 40 }, () => show(service, 'chirp', '192.0.2.1'));
    await expect.poll(chirp.asked).toBe(4);
    await settle();
    expect(chirp.asked()).toBe(4);
    answers.push(...Array.from({ length: 3 }, () => show(service, 'chirp', '192.0.2.2')));
    await expect.poll(chirp.asked).toBe(6);
    answers.push(show(service, 'face', '192.0.2.3'));
    await expect.poll(face.asked).toBe(1);
    face.answer();
    const done = Promise.all(answers);
    let settled = false;
    void done.finally(() => {
      settled = true;
    });
    while (!settled) {
      chirp.answer();
      await settle();
    }
    const codes = (await done).map(({ status }) => status);
    // Four were under way before the fifth wrong one was known.
    expect(codes.slice(0, 40).filter((status) => status === 401).length).toBeLessThanOrEqual(8);
    expect(codes.slice(0, 40).filter((status) => status === 429).length).toBeGreaterThanOrEqual(32);
    expect(codes.slice(40)).toEqual([401, 401, 401, 401]);
  });

  it('count what does not hold for its address, of any kind, and what holds for nobody', async () => {
    const network: SocialVerifier = async (token) => (token === 'good' ? { id: 'ada' } : null);
    const service = createTestService({
      game: { socialPlatforms: { chirp: network } },
      limits: { rates: { wrongTokensPerAddress: { tries: 2, windowMs: minute } } },
    });
    const social = (token: string, address = '192.0.2.1') =>
      post(service, operations.signInWithSocialToken.path, { token }, { address });
    const identity = () =>
      post(service, operations.signInWithIdentityToken.path, { token: 'junk' }, { address: '192.0.2.1' });
    for (let n = 0; n < 5; n += 1) expect((await social('good')).status).toBe(200);
    expect([(await social('junk')).status, (await identity()).status]).toEqual([401, 401]);
    for (const answer of [await social('good'), await identity()])
      expect(answer).toMatchObject({ status: 429, body: { retryAfterMs: minute / 2 } });
    expect((await social('good', '192.0.2.2')).status).toBe(200);
  });
});

describe('tokens of providers and platforms', () => {
  const network: SocialVerifier = async (token) => (token === 'junk' ? null : { id: token });

  it('are counted by address, right and wrong ones, and before the platform is asked', async () => {
    let asked = 0;
    const counting: SocialVerifier = async (token, context) => {
      asked += 1;
      return network(token, context);
    };
    const rates = { tokensPerAddress: { tries: 3, windowMs: minute } };
    const service = rated(rates, { game: { socialPlatforms: { chirp: counting } } });
    const show = (token: string, address: string, path: string = operations.signInWithSocialToken.path) =>
      post(service, path, { token }, { address });
    const peek = pathOf(operations.peek, { method: 'social' });
    expect((await show('ada', '192.0.2.1')).status).toBe(200);
    expect((await show('junk', '192.0.2.1')).status).toBe(401);
    expect((await show('bob', '192.0.2.1', peek)).status).toBe(200);
    for (const path of [operations.signInWithSocialToken.path, operations.signInWithIdentityToken.path, peek]) {
      expect(await show('eve', '192.0.2.1', path)).toMatchObject({ status: 429, body: { retryAfterMs: minute / 3 } });
    }
    expect(asked).toBe(3);
    expect((await show('eve', '192.0.2.2')).status).toBe(200);
    service.backend.control.advance(minute);
    expect((await show('eve', '192.0.2.1')).status).toBe(200);
  });

  it('are counted by the player whose they are, where they hold', async () => {
    const socialPlatforms = { chirp: network, face: network };
    const service = rated({ tokensPerPlayer: { tries: 2, windowMs: minute } }, { game: { socialPlatforms } });
    let addresses = 0;
    const show = (token: string, platform = 'chirp') => {
      addresses += 1;
      const request = { address: `192.0.2.${addresses}` };
      return post(service, operations.signInWithSocialToken.path, { token, platform }, request);
    };
    for (let n = 0; n < 5; n += 1) expect((await show('junk')).status).toBe(401);
    expect([(await show('ada')).status, (await show('ada')).status]).toEqual([200, 200]);
    expect(await show('ada')).toMatchObject({ status: 429, body: { retryAfterMs: minute / 2 } });
    expect([(await show('bob')).status, (await show('ada', 'face')).status]).toEqual([200, 200]);
  });
});

describe('a header X-Forwarded-For of a peer that is not trusted', () => {
  const ask = (service: TestService, address: string, headers: Record<string, string>) =>
    send(service, operations.readPublicKeys.path, { address, headers });
  const forwarded = { 'x-forwarded-for': '192.0.2.1' };

  it('is warned of once, and one of a trusted proxy or of a signed request is not', async () => {
    const warnings: LogRecord[] = [];
    const log = (record: LogRecord) => void (record.kind === 'warning' && warnings.push(record));
    const service = createTestService({ log, trustedProxies: ['10.0.0.1'] });
    await ask(service, '10.0.0.1', forwarded);
    await ask(service, '10.0.0.2', {});
    await service.backend.fetch(await signedRequest(service, { headers: forwarded }), { address: '10.0.0.2' });
    expect(warnings).toEqual([]);
    for (let n = 0; n < 3; n += 1) await ask(service, '10.0.0.2', forwarded);
    expect(warnings).toEqual([
      {
        kind: 'warning',
        time: service.clock(),
        code: 'untrusted_proxy',
        message: expect.stringContaining('trustedProxies'),
        address: '10.0.0.2',
      },
    ]);
  });
});
