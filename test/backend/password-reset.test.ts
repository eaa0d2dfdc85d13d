import { createMemoryStore, type Delivery, type LogRecord } from 'savepoint/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { adminOf, createOperatedService } from '../support/operators.js';
import { post, send, signInGuest, type TestService, testGameId, useName } from '../support/service.js';

const minute = 60_000;
const credential = { username: 'Ada', password: 'correct horse' };

let delivered: Delivery[];
let log: LogRecord[];
let service: TestService;
let deliver: (delivery: Delivery) => Promise<void> | void;

function create(options: Parameters<typeof createOperatedService>[0] = {}): TestService {
  return createOperatedService({
    deliver: (delivery) => deliver(delivery),
    log: (record) => log.push(record),
    ...options,
  });
}

beforeEach(() => {
  delivered = [];
  log = [];
  deliver = (delivery) => {
    delivered.push(delivery);
  };
  service = create();
});

/** What is delivered is delivered after the answer. */
async function settled(): Promise<void> {
  while (service.backend.load().deliveries > 0) await new Promise((done) => setImmediate(done));
}

async function ask(username: string, request: Parameters<typeof post>[3] = {}) {
  const answer = await post(
    service,
    operations.requestReset.path,
    { username },
    { deviceId: 'device-away', ...request },
  );
  await settled();
  return answer;
}

const reset = (username: string, code: string, password = 'battery staple', request: Parameters<typeof post>[3] = {}) =>
  post(
    service,
    operations.resetPassword.path,
    { username, code, new_password: password },
    { deviceId: 'device-away', ...request },
  );

const signIn = (password: string, request: Parameters<typeof post>[3] = {}) =>
  post(service, operations.signInWithName.path, { username: 'ada', password, intent: 'switch' }, request);

async function ada() {
  const guest = await signInGuest(service);
  return useName(service, credential, { token: guest.accessToken });
}

function otherThan(code: string): string {
  return code === '000000' ? '000001' : '000000';
}

describe('a forgotten password', () => {
  it('is set by the code that the game delivers, and all sessions end', async () => {
    const player = await ada();
    const answer = await ask('aDA', { headers: { 'Accept-Language': 'nl-BE,nl;q=0.9' } });
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    const [delivery] = delivered;
    expect(delivery).toEqual({
      kind: 'reset',
      name: 'Ada',
      code: expect.stringMatching(/^\d{6}$/),
      expiresAt: service.clock() + 10 * minute,
      language: 'nl-BE',
      gameId: testGameId,
      environment: 0,
      userId: player.userId,
    });
    const { code = '' } = delivery ?? {};
    const spaced = `${code.slice(0, 3)} ${code.slice(3)}`;
    expect(await reset('ada', spaced)).toMatchObject({ status: 204, body: undefined });
    expect((await send(service, operations.readAccount.path, { token: player.accessToken })).status).toBe(401);
    expect((await signIn('correct horse')).body.code).toBe('invalid_credentials');
    expect((await signIn('battery staple')).body.userId).toBe(player.userId);
  });

  it('has one answer for every name, and nothing is delivered for one that nobody has', async () => {
    await ada();
    const answers = [await ask('ada'), await ask('nobody')];
    expect(delivered).toHaveLength(1);
    const [known, unknown] = answers.map(({ status, body, headers }) => ({
      status,
      body,
      headers: [...headers].filter(([name]) => name !== 'x-request-id'),
    }));
    expect(known).toEqual(unknown);
    const wrong = otherThan(delivered[0]?.code ?? '');
    const refused = [await reset('ada', wrong), await reset('nobody', wrong)];
    expect(refused.map(({ status, body }) => [status, body.code, body.detail])).toEqual(
      Array(2).fill([401, 'invalid_credentials', undefined]),
    );
  });

  it('is answered before the game has delivered, whatever becomes of that', async () => {
    await ada();
    let code = '';
    deliver = async (delivery) => {
      code = delivery.code ?? '';
      throw new RangeError(`no mail for ${delivery.code}`);
    };
    expect((await ask('ada')).status).toBe(204);
    const failed = log.find(({ kind }) => kind === 'error');
    expect(failed).toMatchObject({ name: 'RangeError', message: 'A code could not be delivered.', stack: null });
    expect(JSON.stringify(log)).not.toContain(code);
    deliver = () => new Promise(() => {});
    expect((await post(service, operations.requestReset.path, { username: 'ada' })).status).toBe(204);
  });

  it('is answered as always where nobody delivers, and no code is made', async () => {
    const store = createMemoryStore();
    service = createOperatedService({ store });
    await ada();
    expect((await ask('ada')).status).toBe(204);
    expect(store.dump().codes).toEqual([]);
  });

  it('leaves no code in the store, and no password', async () => {
    const store = createMemoryStore();
    service = create({ store });
    await ada();
    await ask('ada');
    const [code] = store.dump().codes ?? [];
    expect(code).toMatchObject({ kind: 'reset', triesLeft: 5, subject: 'ada' });
    expect(JSON.stringify(store.dump().codes)).not.toContain(delivered[0]?.code);
    expect(code?.hash).toMatch(/^[\w-]{43}$/);
  });

  it('takes the latest code alone, five tries of it, and for ten minutes', async () => {
    await ada();
    await ask('ada');
    await ask('ada');
    const [first, second] = delivered.map(({ code }) => code) as [string, string];
    expect((await reset('ada', first)).status).toBe(401);
    for (let tries = 1; tries < 5; tries += 1) await reset('ada', otherThan(second));
    expect((await reset('ada', second)).status).toBe(401);
    await ask('ada');
    service.backend.control.advance(10 * minute);
    expect((await reset('ada', delivered[2]?.code ?? '')).status).toBe(401);
    await ask('ada');
    service.backend.control.advance(10 * minute - 1);
    expect((await reset('ada', delivered[3]?.code ?? '')).status).toBe(204);
  });

  it('is set once by a code, but the same request may come again', async () => {
    await ada();
    await ask('ada');
    const { code = '' } = delivered[0] ?? {};
    expect((await reset('ada', code)).status).toBe(204);
    expect((await reset('ada', code, 'another one of mine')).status).toBe(401);
    expect((await reset('ada', code)).status).toBe(204);
    expect((await signIn('battery staple')).status).toBe(200);
  });

  it('keeps its place where the new one is too short', async () => {
    await ada();
    await ask('ada');
    const { code = '' } = delivered[0] ?? {};
    expect((await reset('ada', code, 'short')).body).toMatchObject({ code: 'password_too_short', minLength: 8 });
    expect((await reset('ada', code)).status).toBe(204);
  });

  it('gets no code where the account is being deleted', async () => {
    const { accessToken: token } = await ada();
    await ask('ada');
    await send(service, operations.deleteAccount.path, { method: 'DELETE', token });
    await ask('ada');
    expect(delivered).toHaveLength(1);
    expect((await reset('ada', delivered[0]?.code ?? '')).status).toBe(401);
  });

  it('of another game or environment takes no code of this one', async () => {
    await ada();
    await ask('ada');
    const { code = '' } = delivered[0] ?? {};
    await useName(service, credential, { environment: 2, deviceId: 'device-two' });
    expect((await reset('ada', code, undefined, { environment: 2 })).status).toBe(401);
    expect((await reset('ada', code)).status).toBe(204);
  });
});

describe('a flood of requests for codes', () => {
  const stranger = (last: number) => ({ address: `203.0.113.${last}`, deviceId: `stranger-${last}` });

  beforeEach(() => {
    service = create({ limits: { rates: true } });
  });

  it('delivers five a day, is refused alike for every name, and locks nobody out', async () => {
    await ada();
    const answers = async (name: string) => {
      const statuses: number[] = [];
      for (let at = 0; at < 8; at += 1) statuses.push((await ask(name, stranger(at))).status);
      return statuses;
    };
    expect(await answers('ada')).toEqual(await answers('nobody'));
    expect(delivered).toHaveLength(5);
    const { code = '' } = delivered[4] ?? {};
    for (let at = 0; at < 20; at += 1) await reset('ada', otherThan(code), undefined, stranger(at));
    expect((await signIn('correct horse', { deviceId: 'device-new', address: '198.51.100.1' })).status).toBe(200);
    // The owner's own device has a count of its own.
    expect((await ask('ada', { deviceId: 'device-one', address: '198.51.100.1' })).status).toBe(204);
    expect((await reset('ada', delivered[5]?.code ?? '', undefined, { address: '198.51.100.1' })).status).toBe(204);
  });

  it('is refused by its address, for many names and for many codes', async () => {
    const asked = [];
    for (let at = 0; at < 61; at += 1) asked.push((await ask(`name-${at}`, stranger(1))).status);
    expect([asked[59], asked[60]]).toEqual([204, 429]);
    const tried = [];
    for (let at = 0; at < 21; at += 1) tried.push((await reset(`name-${at}`, '123456', undefined, stranger(1))).status);
    expect([tried[19], tried[20]]).toEqual([401, 429]);
  });

  it('counts no right code, and forgives the passwords that were tried before', async () => {
    await ada();
    const home = { address: '198.51.100.1', deviceId: 'device-away' };
    for (let tries = 0; tries < 6; tries += 1) await signIn(`forgotten ${tries}`, home);
    expect((await signIn('correct horse', home)).body.code).toBe('rate_limited');
    await ask('ada', home);
    expect((await reset('ada', delivered[0]?.code ?? '', undefined, home)).status).toBe(204);
    expect((await signIn('battery staple', home)).status).toBe(200);
  });
});

describe('a code that an operator makes', () => {
  it('sets a new password once, for a day, and no try of a stranger uses it up', async () => {
    const { userId } = await ada();
    const players = adminOf(service).players({ gameId: testGameId, environment: 0 });
    const made = await players.makeResetCode(userId);
    expect(made).toEqual({
      name: 'Ada',
      code: expect.stringMatching(/^[\w-]{18,19}$/),
      expiresAt: service.clock() + 24 * 60 * minute,
    });
    for (let tries = 0; tries < 20; tries += 1) await reset('ada', `0000-${tries}`);
    await ask('ada');
    expect((await reset('ada', made.code.toLowerCase().replaceAll('-', ' '))).status).toBe(204);
    expect((await signIn('battery staple')).status).toBe(200);
    const { entries } = await players.audit(userId);
    expect(entries).toMatchObject([{ action: 'makeResetCode', what: { method: 'name', kind: 'support' } }]);
    for (const text of [made.code, made.code.replaceAll('-', '')]) {
      expect(JSON.stringify([entries, log])).not.toContain(text);
    }
  });

  it('is refused where there is no name, no player, or a deletion', async () => {
    const players = adminOf(service).players({ gameId: testGameId, environment: 0 });
    const { userId } = await signInGuest(service, 'device-two');
    await expect(players.makeResetCode(userId)).rejects.toMatchObject({ code: 'not_found' });
    await expect(players.makeResetCode(testGameId)).rejects.toMatchObject({ code: 'user_not_found' });
    const { userId: deleted } = await ada();
    await players.delete(deleted);
    await expect(players.makeResetCode(deleted)).rejects.toMatchObject({ code: 'account_deleted' });
  });
});
