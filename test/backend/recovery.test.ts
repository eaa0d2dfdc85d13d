import { describe, expect, it } from 'vitest';
import { newRecoveryCode, recoverySubject } from '../../src/backend/accounts/recovery-code.js';
import { createMemoryStore } from '../../src/backend/index.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  makeConflict,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  writeEntry,
} from '../support/service.js';

const minute = 60_000;

interface Player {
  accessToken: string;
}

async function makeCode(service: TestService, { accessToken: token }: Player): Promise<string> {
  const { status, body } = await send(service, operations.makeRecoveryCode.path, { method: 'POST', token });
  expect(status).toBe(200);
  return body.code;
}

const recover = (service: TestService, code: string, request: Parameters<typeof post>[3] = {}) =>
  post(service, operations.signInWithRecoveryCode.path, { code }, { deviceId: 'device-two', ...request });

describe('a recovery code', () => {
  it('is 128 bits in letters that cannot be mistaken', () => {
    const bytes = (byte: number) => newRecoveryCode((size) => new Uint8Array(size).fill(byte));
    expect(bytes(0)).toBe('00000-00000-00000-00000-000000');
    expect(bytes(255)).toBe('7ZZZZ-ZZZZZ-ZZZZZ-ZZZZZ-ZZZZZZ');
    expect(newRecoveryCode((size) => Uint8Array.from({ length: size }, (_, at) => (at === size - 1 ? 33 : 0)))).toBe(
      '00000-00000-00000-00000-000011',
    );
  });

  it('is read in any case, with any dashes, and with the letters that hands mistake', async () => {
    const subject = await recoverySubject('1ACXK-EVAXN-9NSZZ-5MA4C-S0Q5ZF');
    for (const written of [
      '1acxkevaxn9nszz5ma4cs0q5zf',
      ' iACXK evaxn-9nszz 5ma4c SoQ5ZF',
      'LACXK-EVAXN-9NSZZ-5MA4C-S0Q5ZF',
    ]) {
      expect(await recoverySubject(written)).toBe(subject);
    }
    expect(await recoverySubject('1ACXK-EVAXN-9NSZZ-5MA4C-S0Q5ZG')).not.toBe(subject);
  });

  it('lets a guest return on a device that knows nothing', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await writeEntry(service, guest, { value: { coins: 7 } });
    const code = await makeCode(service, guest);
    const { status, body } = await recover(service, code.toLowerCase().replaceAll('-', ''));
    expect(status).toBe(200);
    expect(body).toMatchObject({ userId: guest.userId, methods: ['device', 'recovery'] });
    expect((await readEntries(service, body)).body).toMatchObject([{ value: { coins: 7 } }]);
    expect((await readEntries(service, guest)).status).toBe(200);
  });

  it('that nobody has leads nowhere, and makes no account', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    for (const token of [undefined, guest.accessToken]) {
      for (const code of ['00000-00000-00000-00000-000000', '-', 'nonsense']) {
        const answer = await recover(service, code, { token });
        expect(answer).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
      }
    }
    expect((await recover(service, '')).body.code).toBe('invalid_request');
  });

  it('with a session of another account is a conflict, with one of its own a success', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    await writeEntry(service, guest, { value: { coins: 7 } });
    const code = await makeCode(service, guest);
    const own = await recover(service, code, { token: guest.accessToken, deviceId: 'device-one' });
    expect(own).toMatchObject({ status: 200, body: { userId: guest.userId } });
    const fresh = await signInGuest(service, 'device-two');
    const { status, body } = await recover(service, code, { token: fresh.accessToken });
    expect(status).toBe(409);
    expect(body.conflict).toMatchObject({ method: 'recovery', kind: 'fast-forward', ahead: 'cloud' });
    const choice = { ticket: body.conflict.ticket, choice: 'cloud' };
    const resolved = await post(service, operations.resolveConflict.path, choice, { deviceId: 'device-two' });
    expect(resolved.body.userId).toBe(guest.userId);
    expect((await signInGuest(service, 'device-two')).userId).toBe(guest.userId);
  });

  it('ends with the next one, and so do the sessions that came from it', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    const first = await makeCode(service, guest);
    const stranger = (await recover(service, first)).body;
    const second = await makeCode(service, guest);
    expect(second).not.toBe(first);
    expect((await recover(service, first)).status).toBe(401);
    expect((await readEntries(service, stranger)).status).toBe(401);
    expect((await readEntries(service, guest)).status).toBe(200);
    const back = (await recover(service, second)).body;
    await makeCode(service, back);
    expect((await readEntries(service, back)).status).toBe(200);
    expect((await recover(service, second)).status).toBe(401);
  });

  it('can be given up like any other method', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    const code = await makeCode(service, guest);
    const path = pathOf(operations.unlinkMethod, { method: 'recovery' });
    const { body } = await send(service, path, { method: 'DELETE', token: guest.accessToken });
    expect(body.methods).toMatchObject([{ method: 'device' }]);
    expect((await recover(service, code)).status).toBe(401);
  });

  it('of one of many made at once works, and one only', async () => {
    const service = createTestService();
    const guest = await signInGuest(service);
    const codes = await Promise.all(Array.from({ length: 5 }, () => makeCode(service, guest)));
    const answers = await Promise.all(codes.map((code) => recover(service, code)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  });

  it('leads nowhere in another environment', async () => {
    const service = createTestService();
    const code = await makeCode(service, await signInGuest(service));
    expect((await recover(service, code, { environment: 1 })).status).toBe(401);
  });

  it('is tried ten times an address in ten minutes where it is wrong, and as often as one likes where it is right', async () => {
    const service = createTestService({ limits: { rates: true } });
    const guest = await signInGuest(service);
    const code = await makeCode(service, guest);
    const at = { address: '192.0.2.1' };
    for (let n = 0; n < 10; n += 1) expect((await recover(service, `no-${n}`, at)).status).toBe(401);
    expect((await recover(service, 'no-10', at)).status).toBe(429);
    for (let n = 0; n < 20; n += 1) expect((await recover(service, code, at)).status).toBe(200);
    expect((await recover(service, 'no-10', { address: '192.0.2.2' })).status).toBe(401);
    service.backend.control.advance(10 * minute);
    expect((await recover(service, 'no-10', at)).status).toBe(401);
  });

  it('is in no store, and in nothing that is remembered of the requests', async () => {
    const store = createMemoryStore();
    const lines: unknown[] = [];
    const service = createTestService({ store, log: (line) => lines.push(line) });
    const { cloud: guest, local, ticket } = await makeConflict(service);
    const code = await makeCode(service, guest);
    await recover(service, code);
    const passwords = { old_password: 'correct horse', new_password: 'battery staple' };
    await post(service, operations.changePassword.path, passwords, { token: guest.accessToken });
    const { body } = await send(service, operations.readAccount.path, { method: 'DELETE', token: guest.accessToken });
    const seen = JSON.stringify([store.dump(), service.backend.control.requests, lines]);
    const secrets = [code, code.replaceAll('-', ''), body.recoveryCode, 'correct horse', 'battery staple', ticket];
    secrets.push('device-one', 'device-two', guest.refreshToken, local.refreshToken, local.accessToken);
    for (const secret of secrets) expect(seen).not.toContain(secret);
  });
});
