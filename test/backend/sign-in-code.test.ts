import { createMemoryStore, type LogRecord } from 'savepoint/backend';
import { beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import type { AdminPlayers } from '../../src/server/index.js';
import { adminOf, createOperatedService, here, operatorOf } from '../support/operators.js';
import {
  post,
  readEntries,
  signInGuest,
  type TestService,
  testGameId,
  useName,
  writeEntry,
} from '../support/service.js';

const day = 86_400_000;

let service: TestService;
let players: AdminPlayers;
let store: ReturnType<typeof createMemoryStore>;
let log: LogRecord[];
beforeEach(() => {
  log = [];
  store = createMemoryStore();
  service = createOperatedService({ store, log: (record) => log.push(record) });
  players = adminOf(service).players(here);
});

const recover = (code: string, request: Parameters<typeof post>[3] = {}) =>
  post(service, operations.signInWithRecoveryCode.path, { code }, { deviceId: 'device-new', ...request });

const refused = { status: 401, body: { code: 'invalid_credentials' } };

/** A guest with a save, whose device is gone. */
async function lost() {
  const guest = await signInGuest(service, 'device-gone');
  await writeEntry(service, guest, { value: { coins: 7 } });
  return guest;
}

describe('a sign-in code that an operator makes', () => {
  it('lets a guest return whose device is gone, to link a method there', async () => {
    const { userId } = await lost();
    const made = await players.makeSignInCode(userId);
    expect(made).toEqual({ code: expect.stringMatching(/^[\w-]{18,19}$/), expiresAt: service.clock() + day });
    const { status, body } = await recover(made.code.toLowerCase().replaceAll('-', ' '));
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId, methods: ['device'] });
    expect((await readEntries(service, body)).body).toMatchObject([{ value: { coins: 7 } }]);
    const credential = { username: 'Ada', password: 'correct horse' };
    await useName(service, credential, { token: body.accessToken });
    expect((await useName(service, credential, { deviceId: 'device-third' })).userId).toBe(userId);
  });

  it('leads a device that was free to the account, and no other device', async () => {
    const { userId } = await lost();
    const own = await signInGuest(service, 'device-new');
    const { code } = await players.makeSignInCode(userId);
    expect((await recover(code, { token: own.accessToken })).status).toBe(401);
    const switched = await post(
      service,
      operations.signInWithRecoveryCode.path,
      { code, intent: 'switch' },
      { deviceId: 'device-new', token: own.accessToken },
    );
    expect(switched.body.userId).toBe(userId);
    expect((await signInGuest(service, 'device-new')).userId).toBe(own.userId);
    const { code: second } = await players.makeSignInCode(userId);
    await recover(second, { deviceId: 'device-free' });
    expect((await signInGuest(service, 'device-free')).userId).toBe(userId);
  });

  it('counts once, for a day, in its game and environment, and the latest alone', async () => {
    const { userId } = await lost();
    const { code: first } = await players.makeSignInCode(userId);
    const { code } = await players.makeSignInCode(userId);
    expect(await recover(first)).toMatchObject(refused);
    expect(await recover(code, { environment: 1 })).toMatchObject(refused);
    service.backend.control.advance(day - 1);
    expect((await recover(code)).status).toBe(200);
    expect(await recover(code, { deviceId: 'device-other' })).toMatchObject(refused);
    expect((await recover(code)).body.userId).toBe(userId);
    service.backend.control.advance(1);
    expect(await recover(code)).toMatchObject(refused);
  });

  it('counts as recent, so that it takes no other method to make a recovery code', async () => {
    const { userId } = await lost();
    const { code } = await players.makeSignInCode(userId);
    const { body } = await recover(code);
    const made = await post(service, operations.makeRecoveryCode.path, {}, { token: body.accessToken });
    expect(made.status).toBe(200);
    expect((await recover(made.body.code, { deviceId: 'device-third' })).body.userId).toBe(userId);
  });

  it('ends with all sessions of the account, and so does the session that it gave', async () => {
    const { userId } = await lost();
    const { code } = await players.makeSignInCode(userId);
    const { body } = await recover(code);
    await players.signOut(userId);
    expect((await readEntries(service, body)).status).toBe(401);
    expect(await recover(code)).toMatchObject(refused);
  });

  it('tells a banned player so, and is none for an account that is being deleted', async () => {
    const { userId } = await lost();
    await players.ban(userId, { reason: 'cheating' });
    const { code } = await players.makeSignInCode(userId);
    expect(await recover(code)).toMatchObject({ status: 403, body: { code: 'account_banned', reason: 'cheating' } });
    await players.unban(userId);
    await players.delete(userId);
    expect(await recover(code)).toMatchObject(refused);
    await expect(players.makeSignInCode(userId)).rejects.toMatchObject({ code: 'account_deleted' });
    await expect(players.makeSignInCode(testGameId)).rejects.toMatchObject({ code: 'user_not_found' });
  });

  it('takes the scope support, and is noted without the code, which is nowhere', async () => {
    const { userId } = await lost();
    const reader = (await operatorOf(service, 'read')).players(here);
    await expect(reader.makeSignInCode(userId)).rejects.toMatchObject({ code: 'insufficient_scope' });
    const { code, expiresAt } = await (await operatorOf(service, 'support', 'grace'))
      .players(here)
      .makeSignInCode(userId);
    await recover(code);
    const { entries } = await players.audit(userId);
    expect(entries).toMatchObject([
      { by: { name: 'grace' }, action: 'makeSignInCode', what: { kind: 'sign_in' }, after: { expiresAt } },
    ]);
    for (const text of [code, code.replaceAll('-', '')]) {
      expect(JSON.stringify([entries, log, store.dump()])).not.toContain(text);
    }
  });

  it('is counted as a wrong recovery code where it is wrong', async () => {
    service = createOperatedService({ limits: { rates: true } });
    const { userId } = await lost();
    const { code } = await adminOf(service).players(here).makeSignInCode(userId);
    const at = { address: '192.0.2.1' };
    for (let tries = 0; tries < 10; tries += 1) expect(await recover(`0000${tries}`, at)).toMatchObject(refused);
    expect((await recover('00000', at)).body.code).toBe('rate_limited');
    for (let times = 0; times < 12; times += 1) expect((await recover(code, at)).status).toBe(200);
    expect((await recover('00000', at)).body.code).toBe('rate_limited');
  });

  it('makes no session for a credential that is linked, or shown once more', async () => {
    const { userId, accessToken: token } = await lost();
    const { code } = await players.makeSignInCode(userId);
    for (const intent of ['link', 'reauthenticate']) {
      const answer = await post(
        service,
        operations.signInWithRecoveryCode.path,
        { code, intent },
        { deviceId: 'device-gone', token },
      );
      expect(answer).toMatchObject(refused);
    }
    expect((await recover(code)).status).toBe(200);
  });
});
