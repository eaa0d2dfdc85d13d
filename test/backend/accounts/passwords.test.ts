import { scryptSync } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPasswords } from '../../../src/backend/accounts/passwords.js';
import { createMemoryStore } from '../../../src/backend/index.js';
import { operations } from '../../../src/protocol/operations.js';
import { createTestService, post, signInGuest, useName, writeEntry } from '../../support/service.js';
import { loginQuotas } from '../stores/contract-records.js';

type Done = (error: Error | null | undefined, hash: Uint8Array) => void;

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));

/** A runtime without Node's own modules, such as a page. */
function leaveNode(): void {
  vi.stubGlobal('process', {});
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a password', () => {
  it('holds against its own hash, and no other does', async () => {
    const passwords = createPasswords({ random });
    const hash = await passwords.hash('correct horse');
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('correct horsf', hash)).toBe(false);
    expect(await passwords.hash('correct horse')).not.toBe(hash);
    expect(passwords.isOutdated(hash)).toBe(false);
  });

  it("holds against a hash of Firebase's, which is then to be made again", async () => {
    // The example of github.com/firebase/scrypt.
    const url = (text: string): string => Buffer.from(text, 'base64').toString('base64url');
    const signerKey = 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==';
    const hash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';
    const parameters = ['16384', '8', '1', url('Bw=='), url(signerKey)].join(',');
    const stored = ['firebase-scrypt', parameters, url('42xEC+ixf3L2lw=='), url(hash)].join('$');
    const passwords = createPasswords({ random });
    expect(await passwords.verify('user1password', stored)).toBe(true);
    expect(await passwords.verify('user2password', stored)).toBe(false);
    expect(passwords.isOutdated(stored)).toBe(true);
  });

  it('is hashed with scrypt, N=2^14, r=8, p=5, as Node itself computes it', async () => {
    const hash = await createPasswords({ random }).hash('correct horse');
    const [scheme, parameters, salt = '', key = ''] = hash.split('$');
    expect([scheme, parameters]).toEqual(['scrypt', '16384,8,5']);
    const options = { cost: 2 ** 14, blockSize: 8, parallelization: 5, maxmem: 2 ** 26 };
    const expected = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, options);
    expect(key).toBe(expected.toString('base64url'));
  });

  it.each([null, undefined])('is hashed by a runtime that says %s where nothing went wrong', async (nothing) => {
    const scrypt = (...args: unknown[]) => (args[4] as Done)(nothing, new Uint8Array(32));
    vi.stubGlobal('process', { getBuiltinModule: () => ({ scrypt }) });
    expect(await createPasswords({ random }).hash('correct horse')).toMatch(/^scrypt\$/);
  });

  it('is not hashed where the runtime cannot', async () => {
    const scrypt = (...args: unknown[]) => (args[4] as Done)(new Error('no memory'), new Uint8Array(0));
    vi.stubGlobal('process', { getBuiltinModule: () => ({ scrypt }) });
    await expect(createPasswords({ random }).hash('correct horse')).rejects.toThrow('no memory');
  });

  it('is the same however its letters are composed', async () => {
    const passwords = createPasswords({ random, insecureFast: true });
    expect(await passwords.verify('cafe\u0301 noir', await passwords.hash('café noir'))).toBe(true);
  });

  it('is hashed with PBKDF2 where there is no scrypt, and Node can read that', async () => {
    leaveNode();
    const inPage = createPasswords({ random });
    const hash = await inPage.hash('correct horse');
    expect(hash).toMatch(/^pbkdf2-sha256\$600000\$/);
    expect(await inPage.verify('correct horse', hash)).toBe(true);
    vi.unstubAllGlobals();
    const inNode = createPasswords({ random });
    expect(await inNode.verify('correct horse', hash)).toBe(true);
    expect(inNode.isOutdated(hash)).toBe(true);
  });

  it('gets a better hash at the next sign-in', async () => {
    const store = createMemoryStore();
    const credential = () => store.dump().links[0]?.credential;
    const name = { username: 'ada', password: 'correct horse' };
    const before = createTestService({ store });
    const { userId } = await useName(before, name);
    expect(credential()).toMatch(/^pbkdf2-sha256\$1\$/);
    const after = createTestService({ store, insecureFastPasswordsForTests: false });
    expect((await useName(after, name)).userId).toBe(userId);
    expect(credential()).toMatch(/^scrypt\$/);
    expect((await useName(after, name)).userId).toBe(userId);
  });

  it('never holds where there is none, and that takes a hash as well', async () => {
    const passwords = createPasswords({ random: counted(), insecureFast: true });
    let salts = 0;
    function counted() {
      return (size: number) => {
        salts += 1;
        return random(size);
      };
    }
    expect(await passwords.verify('correct horse', null)).toBe(false);
    expect(salts).toBe(1);
  });

  it('waits for its turn, up to a hundred at once; more are sent away', async () => {
    const passwords = createPasswords({ random, insecureFast: true });
    const all = await Promise.allSettled(Array.from({ length: 200 }, () => passwords.hash('correct horse')));
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(all.slice(0, 102).every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(refused).toHaveLength(98);
    expect(refused[0]).toMatchObject({
      reason: { code: 'unavailable', details: { retryAfterMs: 1_000, limitName: 'hashesWaiting' } },
    });
    expect(await passwords.hash('correct horse')).toMatch(/^pbkdf2/);
  });

  it('that many players send at once keeps nobody else waiting', async () => {
    const service = createTestService({ insecureFastPasswordsForTests: false });
    let hashed = 0;
    const players = Array.from({ length: 10 }, async (_, index) => {
      await useName(service, { username: `name-${index}`, password: 'correct horse' }, { deviceId: `device-${index}` });
      hashed += 1;
    });
    const guest = await signInGuest(service, 'device-guest');
    for (let version = 0; version < 5; version += 1) await writeEntry(service, guest);
    expect(hashed).toBeLessThan(5);
    await Promise.all(players);
    expect(hashed).toBe(10);
  });
});

describe('a wrong password', () => {
  it.each([
    ['for a name that somebody has', 'ada', {}],
    ['for a name that nobody has, where no account is to be made', 'nobody', { intent: 'switch' }],
    ['for a name that somebody has, where no account is to be made', 'ada', { intent: 'switch' }],
    ['for a name without a password', 'bare', {}],
  ])('is answered alike %s, after one hash', async (_, username, more) => {
    const store = createMemoryStore();
    const service = createTestService({ store });
    const { userId: accountId } = await useName(service, { username: 'ada', password: 'correct horse' });
    const other = await signInGuest(service, 'device-two');
    const scope = { gameId: service.gameId, environment: 0 as const };
    const link = { ...scope, method: 'name' as const, subject: 'bare', label: 'bare', credential: null };
    await store.linkMethod({
      quotas: loginQuotas,
      owner: { ...scope, accountId: other.userId },
      session: null,
      link,
      now: service.clock(),
    });
    const before = JSON.stringify(store.dump());
    const derive = vi.spyOn(crypto.subtle, 'deriveBits');
    const { status, body } = await post(service, operations.signInWithName.path, {
      username,
      password: 'wrong horse',
      ...more,
    });
    expect(status).toBe(401);
    expect({ ...body, requestId: '' }).toEqual({
      type: 'about:blank',
      title: 'The credentials are wrong.',
      status: 401,
      code: 'invalid_credentials',
      requestId: '',
    });
    expect(derive).toHaveBeenCalledTimes(1);
    expect(JSON.stringify(store.dump())).toBe(before);
    expect(accountId).not.toBe(other.userId);
    derive.mockRestore();
  });
});
