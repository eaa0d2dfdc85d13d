import { createMemoryStore, type Delivery, type LogRecord } from 'savepoint/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { adminOf, createOperatedService, here, operatorOf } from '../support/operators.js';
import { post, send, signInGuest, type TestService, testGameId, useName } from '../support/service.js';

const minute = 60_000;
const home = 'Ada.L@Mail.Example';

let delivered: Delivery[];
let log: LogRecord[];
let service: TestService;
let token: string;
let userId: string;

function create(options: Parameters<typeof createOperatedService>[0] = {}): TestService {
  return createOperatedService({
    deliver: (delivery) => {
      delivered.push(delivery);
    },
    log: (record) => log.push(record),
    ...options,
  });
}

async function named(username: string, deviceId = 'device-one'): Promise<{ accessToken: string; userId: string }> {
  return useName(service, { username, password: 'correct horse' }, { deviceId });
}

async function begin(options: Parameters<typeof createOperatedService>[0] = {}): Promise<void> {
  service = create(options);
  ({ accessToken: token, userId } = await named('Ada'));
}

beforeEach(async () => {
  delivered = [];
  log = [];
  await begin();
});

async function settled(): Promise<void> {
  while (service.backend.load().deliveries > 0) await new Promise((done) => setImmediate(done));
}

async function set(address: unknown, request: Parameters<typeof post>[3] = {}, more: object = {}) {
  const answer = await post(service, operations.setAddress.path, { address, ...more }, { token, ...request });
  await settled();
  return answer;
}

async function verify(code: string | undefined, request: Parameters<typeof post>[3] = {}) {
  const answer = await post(service, operations.verifyAddress.path, { code }, { token, ...request });
  await settled();
  return answer;
}

async function askReset(): Promise<Delivery | undefined> {
  const before = delivered.length;
  await post(service, operations.requestReset.path, { username: 'ada' });
  await settled();
  return delivered[before];
}

async function verified(address: string): Promise<void> {
  await set(address);
  expect((await verify(delivered.at(-1)?.code)).status).toBe(204);
}

async function methods(): Promise<{ method: string; address?: string; addressSince?: number }[]> {
  return (await send(service, operations.readAccount.path, { token })).body.methods;
}

const codes = (kind: Delivery['kind']) => delivered.filter((one) => one.kind === kind);

function otherThan(code = ''): string {
  return code === '000000' ? '000001' : '000000';
}

describe('the e-mail address of a name', () => {
  it('gets codes for a forgotten password once it is verified, and not before', async () => {
    expect((await set(home, {}, { language: 'nl-BE' })).status).toBe(204);
    expect(delivered).toEqual([
      {
        kind: 'verify',
        name: 'Ada',
        address: home,
        code: expect.stringMatching(/^\d{6}$/),
        expiresAt: service.clock() + 10 * minute,
        language: 'nl-BE',
        gameId: testGameId,
        environment: 0,
        userId,
      },
    ]);
    expect(await methods()).toMatchObject([{ method: 'name' }]);
    expect((await methods())[0]).not.toHaveProperty('address');
    expect(await askReset()).not.toHaveProperty('address');
    expect((await verify(delivered[0]?.code)).status).toBe(204);
    expect(await askReset()).toMatchObject({ kind: 'reset', address: home });
    const since = service.clock();
    expect((await methods())[0]).toMatchObject({ method: 'name', address: home, addressSince: since });
  });

  it('of a thief is no way back in after a new password and a sign-out of all others', async () => {
    await verified(home);
    service.backend.control.advance(minute);
    const unlinkSince = service.clock();
    // The thief knows the password.
    const thief = await named('Ada', 'thief-device');
    await set('thief@evil.example', { token: thief.accessToken });
    await verify(codes('verify').at(-1)?.code, { token: thief.accessToken });
    const early = await askReset();
    expect(early).toMatchObject({ address: 'thief@evil.example' });
    await set('thief.too@evil.example', { token: thief.accessToken });
    const pending = codes('verify').at(-1)?.code;

    const passwords = { old_password: 'correct horse', new_password: 'battery staple' };
    expect((await post(service, operations.changePassword.path, passwords, { token })).status).toBe(204);
    // As she goes on with the password that the thief has not, only the address could let the thief in.
    const asked = await askReset();
    const out = await post(service, operations.signOutOthers.path, { unlink_since: unlinkSince }, { token });
    expect(out).toMatchObject({ status: 200, body: { userId } });
    token = out.body.accessToken;
    expect((await methods())[0]).not.toHaveProperty('address');
    expect(await askReset()).not.toHaveProperty('address');
    for (const code of [early?.code, asked?.code]) {
      const reset = { username: 'ada', code, new_password: 'password of a thief' };
      const told = await post(service, operations.resetPassword.path, reset, { deviceId: 'thief-device' });
      expect(told).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
    }
    expect((await verify(pending)).status).toBe(401);
    expect((await methods())[0]).not.toHaveProperty('address');
  });

  it('stays with a sign-out of all others where it was verified before', async () => {
    await verified(home);
    service.backend.control.advance(minute);
    const request = { unlink_since: service.clock() };
    ({ accessToken: token } = (await post(service, operations.signOutOthers.path, request, { token })).body);
    expect((await methods())[0]).toMatchObject({ address: home });
  });

  it('stays with the name alone where a deletion is taken back on another device', async () => {
    await verified(home);
    await send(service, operations.deleteAccount.path, { method: 'DELETE', token });
    const request = { username: 'Ada', password: 'correct horse', restore: true };
    const back = await post(service, operations.signInWithName.path, request, { deviceId: 'device-new' });
    ({ accessToken: token } = back.body);
    const withAddress = (await methods()).filter((method) => 'address' in method || 'addressSince' in method);
    expect(back.body.methods).toContain('device');
    expect(withAddress.map(({ method }) => method)).toEqual(['name']);
  });

  it('stays until another one is verified, and is told of that', async () => {
    await verified(home);
    await set('other@mail.example', { headers: { 'Accept-Language': 'de' } });
    expect(await askReset()).toMatchObject({ address: home });
    expect(codes('address_changed')).toEqual([]);
    const { code } = codes('verify')[1] ?? {};
    await verify(code);
    await verify(code);
    expect(codes('address_changed')).toEqual([
      { kind: 'address_changed', name: 'Ada', address: home, gameId: testGameId, environment: 0, userId },
    ]);
    expect(await askReset()).toMatchObject({ address: 'other@mail.example' });
    expect((await set(null)).status).toBe(204);
    expect((await set(null)).status).toBe(204);
    expect(codes('address_changed').map(({ address }) => address)).toEqual([home, 'other@mail.example']);
    expect(await askReset()).not.toHaveProperty('address');
  });

  it('takes the latest code alone, five tries of it, and for ten minutes', async () => {
    await set(home);
    await set('other@mail.example');
    const [first, second] = codes('verify').map(({ code }) => code);
    expect((await verify(first === second ? otherThan(second) : first)).body.code).toBe('invalid_credentials');
    for (let tries = 1; tries < 5; tries += 1) await verify(otherThan(second));
    expect((await verify(second)).status).toBe(401);
    await set(home);
    service.backend.control.advance(10 * minute);
    expect((await verify(delivered.at(-1)?.code)).status).toBe(401);
    expect((await methods())[0]).not.toHaveProperty('address');
  });

  it('is refused where it is none, and nothing is delivered', async () => {
    const wrong = [
      '',
      'ada',
      'ada@',
      '@mail.example',
      'a b@mail.example',
      `${'a'.repeat(250)}@b.example`,
      7,
      undefined,
    ];
    const forged = [
      'ada@mail.example\r\nBcc: all@mail.example',
      'ada@mail.example\n',
      'a\u0000@mail.example',
      '\tada@x.yz',
    ];
    for (const address of [...wrong, ...forged, 'ada@mail.example,bob@mail.example', 'Ada <ada@mail.example>']) {
      expect((await set(address)).body.code, String(address)).toBe('invalid_request');
    }
    expect((await set(home, {}, { language: 'en\r\nX: y' })).body.code).toBe('invalid_request');
    expect(delivered).toEqual([]);
  });

  it('is refused to an account without a name, to an old session, and where nobody delivers', async () => {
    const guest = await signInGuest(service, 'device-two');
    expect((await set(home, { token: guest.accessToken })).body.code).toBe('not_found');
    expect((await verify('123456', { token: guest.accessToken })).body.code).toBe('not_found');
    expect((await set(null, { token: guest.accessToken })).body.code).toBe('not_found');
    service.backend.control.advance(16 * minute);
    expect((await set(home)).body).toMatchObject({ code: 'reauthentication_required', methods: ['name'] });
    expect((await set(null)).body.code).toBe('reauthentication_required');
    service = createOperatedService();
    ({ accessToken: token } = await named('Ada'));
    expect((await set(home)).body.code).toBe('delivery_not_set_up');
    expect(delivered).toEqual([]);
  });

  it('is verified by nobody else, and no code of another account does it', async () => {
    const grace = await named('grace', 'device-two');
    await set(home);
    await set(home, { token: grace.accessToken });
    const [mine, hers] = codes('verify').map(({ code }) => code);
    if (mine !== hers) expect((await verify(mine, { token: grace.accessToken })).status).toBe(401);
    expect((await verify(hers, { token: grace.accessToken })).status).toBe(204);
    // One address may be that of many names: it leads to none of them.
    expect((await verify(mine)).status).toBe(204);
    expect((await methods())[0]).toHaveProperty('address', home);
  });

  it('is in no log and no audit, and in no list of players', async () => {
    await verified(home);
    await set('other@mail.example\n');
    const players = adminOf(service).players(here);
    await players.unlink(userId, 'device').catch(() => {});
    await players.makeResetCode(userId);
    const told = JSON.stringify([
      log,
      await players.audit(userId),
      await players.list(),
      await players.find({ id: userId }),
    ]);
    expect(told).not.toMatch(/mail\.example/i);
  });

  it('is shown to operators with the player, masked to those who may only read', async () => {
    await verified(home);
    const shown = async (scope: 'read' | 'support') =>
      (await (await operatorOf(service, scope)).players(here).get(userId)).methods.map(({ address }) => address);
    expect(await shown('read')).toEqual(['A***@Mail.Example']);
    expect(await shown('support')).toEqual([home]);
  });

  it('is in the export of the player, and in the store as it was typed', async () => {
    const store = createMemoryStore();
    await begin({ store });
    await verified(home);
    const exported = await send(service, operations.exportAccount.path, { token });
    expect(exported.body.methods).toMatchObject([{ method: 'name', address: home }]);
    const dump = store.dump();
    expect(dump.links.map(({ mailAddress }) => mailAddress)).toEqual([home]);
    expect(JSON.stringify([dump.attempts, dump.events])).not.toMatch(/mail\.example/i);
    store.load(JSON.parse(JSON.stringify(dump)));
    expect((await methods())[0]).toHaveProperty('address', home);
  });
});

describe('a flood of codes for e-mail addresses', () => {
  beforeEach(() => begin({ limits: { rates: true } }));

  it('sends five a day to one mailbox, however it is written and whoever asks', async () => {
    const others = ['bob', 'grace', 'linus', 'edsger', 'barbara', 'ken'];
    const spellings = ['ada@mail.example', 'ADA@mail.example', 'ada+1@mail.example', 'Ada+x+y@Mail.example'];
    const answers = [];
    for (const [at, name] of others.entries()) {
      const { accessToken } = await named(name, `device-${name}`);
      answers.push((await set(spellings[at % 4], { token: accessToken, address: `203.0.113.${at}` })).status);
    }
    expect(answers).toEqual([204, 204, 204, 204, 204, 429]);
    expect((await set('somebody@mail.example')).status).toBe(204);
    expect(codes('verify')).toHaveLength(6);
  });

  it('sends five a day for one account, and sixty an hour for one address of the network', async () => {
    const mine = [];
    for (let at = 0; at < 6; at += 1) mine.push((await set(`ada-${at}@mail.example`)).status);
    expect(mine).toEqual([204, 204, 204, 204, 204, 429]);
    service = create({ limits: { rates: { verificationsPerAddress: { tries: 2, windowMs: minute } } } });
    const network = [];
    for (const name of ['bob', 'grace', 'linus']) {
      const { accessToken } = await named(name, `device-${name}`);
      network.push((await set(`${name}@mail.example`, { token: accessToken, address: '203.0.113.9' })).status);
    }
    expect(network).toEqual([204, 204, 429]);
  });

  it('counts wrong codes by the address of the network, and takes right ones back', async () => {
    const from = { address: '203.0.113.9' };
    await set(home, from);
    const answers = [];
    for (let at = 0; at < 21; at += 1) answers.push((await verify('none', from)).status);
    expect([answers[19], answers[20]]).toEqual([401, 429]);
    await set(home, { address: '203.0.113.10' });
    const { code } = delivered.at(-1) ?? {};
    // The same request may come again, and a right code costs nothing.
    const right = [];
    for (let at = 0; at < 5; at += 1) right.push((await verify(code, { address: '203.0.113.10' })).status);
    for (let at = 0; at < 20; at += 1) right.push((await verify('none', { address: '203.0.113.10' })).status);
    expect(right).toEqual([...Array(5).fill(204), ...Array(20).fill(401)]);
  });
});
