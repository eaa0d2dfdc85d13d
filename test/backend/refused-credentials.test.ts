import { describe, expect, it } from 'vitest';
import { usernameSubject } from '../../src/backend/accounts/usernames.js';
import type { RateLimits } from '../../src/backend/index.js';
import { createMemoryStore } from '../../src/backend/stores/memory/store.js';
import type { Store } from '../../src/backend/stores/store.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { chosenStore } from '../support/chosen-store.js';
import { createTestService, type PlayerRequest, post, signInGuest, useName } from '../support/service.js';
import { loginQuotas } from './stores/contract-records.js';

const password = 'correct horse';
const invisible = 'a\u200bda';
const peekPath = pathOf(operations.peek, { method: 'name' });

function createNamed(rates?: RateLimits) {
  const store: Store = chosenStore().store ?? createMemoryStore();
  const service = createTestService({ store, ...(rates === undefined ? {} : { limits: { rates } }) });
  const ask = (
    body: Record<string, unknown>,
    request: PlayerRequest = {},
    path: string = operations.signInWithName.path,
  ) => post(service, path, body, request);
  return {
    service,
    ask,
    peek: (body: Record<string, unknown>, request?: PlayerRequest) => ask(body, request, peekPath),
    /** An account whose name was made before such names were refused; its password is `password`. */
    async earlierName(username: string): Promise<string> {
      const named = await useName(service, { username: 'grace', password }, { deviceId: 'device-grace' });
      const grace = { gameId: service.gameId, environment: 0, method: 'name', subject: 'grace' } as const;
      const link = await store.findLink(grace);
      const userId = await linkName(username, link?.credential ?? null);
      expect(named.userId).not.toBe(userId);
      return userId;
    },
    linkName,
  };

  /** An account whose name has a hash that was made elsewhere. */
  async function linkName(username: string, credential: string | null): Promise<string> {
    const { userId } = await signInGuest(service, 'device-of-earlier');
    const scope = { gameId: service.gameId, environment: 0 } as const;
    const link = { ...scope, method: 'name', subject: usernameSubject(username), label: username, credential } as const;
    const owner = { ...scope, accountId: userId };
    await store.linkMethod({ quotas: loginQuotas, owner, session: null, link, now: 1 });
    return userId;
  }
}

/** What one answers like another: all but the request's own id. */
function answered({ status, body: { requestId: _, ...rest } }: { status: number; body: Record<string, unknown> }) {
  return { status, ...rest };
}

describe('a password that is too short', () => {
  it('is refused as that, with the length that it needs, and changes nothing', async () => {
    const { service, ask, peek } = createNamed();
    const player = await signInGuest(service);
    const tooShort = { status: 400, body: { code: 'password_too_short', minLength: 8 } };
    for (const short of ['', 'seven77']) {
      const body = { username: 'ada', password: short };
      expect(await ask(body, { deviceId: 'device-two' })).toMatchObject(tooShort);
      expect(await ask(body, { token: player.accessToken })).toMatchObject(tooShort);
      expect(await peek(body)).toMatchObject(tooShort);
    }
    expect((await peek({ username: 'ada', password })).body.outcome).toBe('free');
  });

  it('signs in where it was set elsewhere and imported', async () => {
    const { service, ask, peek, linkName } = createNamed();
    // crypt_blowfish's own example.
    const short = { username: 'ada', password: 'U*U' };
    const userId = await linkName('ada', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW');
    expect((await peek(short)).body.outcome).toBe('other');
    const signedIn = await ask(short, { deviceId: 'device-two' });
    expect(signedIn.body.userId).toBe(userId);
    const { accessToken: token } = signedIn.body;
    // The first time has hashed it anew.
    for (const intent of ['switch', 'reauthenticate', 'link']) {
      expect((await ask({ ...short, intent }, { token, deviceId: 'device-two' })).body.userId).toBe(userId);
    }
    const guest = await signInGuest(service, 'device-three');
    const met = await ask(short, { token: guest.accessToken, deviceId: 'device-three' });
    expect(met.body.code).toBe('profile_conflict');
    const change = { old_password: short.password, new_password: password };
    expect((await ask(change, { token }, operations.changePassword.path)).status).toBe(204);
    expect((await ask({ ...short, password })).body.userId).toBe(userId);
  });

  it.each(['', 'U*', 'seven77'])('is wrong as any other where somebody has the name: %j', async (short) => {
    const { service, ask, peek, linkName } = createNamed();
    await linkName('ada', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW');
    const { accessToken: token } = await signInGuest(service);
    const wrong = await ask({ username: 'ada', password: 'wrong password' });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    const body = { username: 'ada', password: short };
    for (const request of [{}, { token }]) {
      expect(answered(await ask(body, request))).toEqual(answered(wrong));
      expect(answered(await peek(body, request))).toEqual(answered(wrong));
    }
    for (const intent of ['switch', 'reauthenticate']) {
      for (const username of ['ada', 'nobody']) {
        expect(answered(await ask({ username, password: short, intent }, { token }))).toEqual(answered(wrong));
      }
    }
  });

  it('counts as a wrong one whether somebody has the name or not, so that it asks for no names in masses', async () => {
    const { service, ask, peek } = createNamed({ wrongPasswordsPerAddress: { tries: 2, windowMs: 60_000 } });
    await useName(service, { username: 'ada', password });
    const codes = async (show: typeof ask, address: string) => {
      const all = [];
      for (const username of ['one', 'ada', 'ada', 'three']) {
        all.push((await show({ username, password: 'short' }, { address, deviceId: 'device-two' })).body.code);
      }
      return all;
    };
    const expected = ['password_too_short', 'invalid_credentials', 'rate_limited', 'rate_limited'];
    expect(await codes(ask, '192.0.2.1')).toEqual(expected);
    expect(await codes(peek, '192.0.2.2')).toEqual(expected);
  });

  it('is refused by the number of new accounts whether somebody has the name or not', async () => {
    const { service, ask } = createNamed({ newGuestsPerAddressPerHour: 1 });
    await useName(service, { username: 'ada', password }, { address: '192.0.2.1' });
    for (const username of ['ada', 'nobody']) {
      const request = { address: '192.0.2.1', deviceId: 'device-two' };
      expect((await ask({ username, password: 'short' }, request)).body.code).toBe('rate_limited');
    }
  });

  it('is refused where it is longer than any may be', async () => {
    const { service, ask } = createNamed();
    await useName(service, { username: 'ada', password });
    for (const username of ['ada', 'nobody']) {
      const { status, body } = await ask({ username, password: 'x'.repeat(257) });
      expect([status, body.code]).toEqual([400, 'invalid_request']);
    }
  });

  it('is refused as a new one; one that cannot be the old one is just wrong', async () => {
    const { service, ask } = createNamed();
    const { accessToken: token } = await useName(service, { username: 'ada', password });
    const change = (body: Record<string, unknown>) => ask(body, { token }, operations.changePassword.path);
    expect(await change({ old_password: password, new_password: 'short' })).toMatchObject({
      status: 400,
      body: { code: 'password_too_short', minLength: 8 },
    });
    expect(await change({ old_password: 'short', new_password: 'battery staple' })).toMatchObject({
      status: 401,
      body: { code: 'invalid_credentials' },
    });
    expect((await change({ old_password: password, new_password: 'battery staple' })).status).toBe(204);
  });
});

describe('a name that cannot be used', () => {
  it.each([
    ['', 'empty'],
    ['x'.repeat(129), 'too_long'],
    ['a\u200bda', 'invisible_characters'],
    ['ada\u00ad', 'invisible_characters'],
    ['\u202eada', 'invisible_characters'],
    ['a\u{e0061}da', 'invisible_characters'],
    ['ada\ufe0f', 'invisible_characters'],
    ['\u3164', 'invisible_characters'],
    ['a\u0000da', 'invisible_characters'],
    ['ada ', 'invisible_characters'],
    [' ada', 'invisible_characters'],
    ['ada\u3000', 'invisible_characters'],
    ['  ', 'invisible_characters'],
    ['a\ud800da', 'unknown_characters'],
    ['a\u0378da', 'unknown_characters'],
  ])('is refused with why: %j is %s', async (username, reason) => {
    const { service, ask, peek } = createNamed();
    const player = await signInGuest(service);
    const refused = { status: 400, body: { code: 'name_not_allowed', reason } };
    const body = { username, password };
    for (const request of [{}, { token: player.accessToken }]) {
      expect(await ask(body, request)).toMatchObject(refused);
      expect(await peek(body, request)).toMatchObject(refused);
    }
    expect((await signInGuest(service)).methods).toEqual(['device']);
  });

  it('is answered alike to whoever only signs in, had before it was refused or by nobody', async () => {
    const { service, ask, earlierName } = createNamed();
    await earlierName(invisible);
    const { accessToken: token } = await signInGuest(service);
    const answers: Record<string, unknown>[] = [];
    for (const intent of ['switch', 'reauthenticate']) {
      for (const username of [invisible, 'gra\u200bce', 'grace ', 'nobody']) {
        answers.push(answered(await ask({ username, password: 'wrong password', intent }, { token })));
      }
    }
    expect(answers[0]).toMatchObject({ status: 401, code: 'invalid_credentials' });
    expect(answers).toEqual(answers.map(() => answers[0]));
  });

  it('is refused alike once there were too many tries', async () => {
    const { ask, earlierName } = createNamed({ wrongPasswordsPerAddress: { tries: 2, windowMs: 60_000 } });
    await earlierName(invisible);
    const answers = [];
    const wrong = { password: 'wrong password' };
    for (const username of ['one', 'two']) {
      answers.push((await ask({ username, ...wrong, intent: 'switch' }, { address: '192.0.2.1' })).body.code);
    }
    for (const username of [invisible, 'gra\u200bce']) {
      answers.push((await ask({ username, ...wrong }, { address: '192.0.2.1' })).body.code);
    }
    expect(answers).toEqual(['invalid_credentials', 'invalid_credentials', 'rate_limited', 'rate_limited']);
  });

  it.each(['ada', 'Ądą', 'игрок', '玩家', 'עדה', '🎮', 'a.d-a_1', 'ada lovelace'])('is not %s', async (username) => {
    const { service } = createNamed();
    expect((await useName(service, { username, password })).methods).toEqual(['name']);
  });

  it("stays its owner's where it was made before", async () => {
    const { service, ask, peek, earlierName } = createNamed();
    const userId = await earlierName(invisible);
    const there = { username: invisible, password };
    expect((await ask(there, { deviceId: 'device-two' })).body.userId).toBe(userId);
    expect((await ask({ ...there, intent: 'switch' }, { deviceId: 'device-two' })).body.userId).toBe(userId);
    expect((await peek(there)).body.outcome).toBe('other');
    const guest = await signInGuest(service, 'device-three');
    const met = await ask(there, { token: guest.accessToken, deviceId: 'device-three' });
    expect(met.body.code).toBe('profile_conflict');
    const wrong = await ask({ ...there, password: 'wrong password' });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    // It is another name than the one that it looks like.
    expect((await useName(service, { username: 'ada', password }, { deviceId: 'device-four' })).userId).not.toBe(
      userId,
    );
  });
});
