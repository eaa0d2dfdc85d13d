import { scryptSync } from 'node:crypto';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createPasswords } from '../../../src/backend/domain/passwords.js';
import { createMemoryStore } from '../../../src/backend/index.js';
import { createTestService, useName } from '../../support/service.js';

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));

/** A runtime without Node's own modules, such as a page. */
function leaveNode(): void {
  vi.stubGlobal('process', {});
}

afterEach(() => {
  vi.unstubAllGlobals();
});

describe('a password', () => {
  test('holds against its own hash, and no other does', async () => {
    const passwords = createPasswords({ random });
    const hash = await passwords.hash('correct horse');
    expect(await passwords.verify('correct horse', hash)).toBe(true);
    expect(await passwords.verify('correct horsf', hash)).toBe(false);
    expect(await passwords.hash('correct horse')).not.toBe(hash);
    expect(passwords.outdated(hash)).toBe(false);
  });

  test('is hashed with scrypt, N=2^14, r=8, p=5, as Node itself computes it', async () => {
    const hash = await createPasswords({ random }).hash('correct horse');
    const [scheme, parameters, salt = '', key = ''] = hash.split('$');
    expect([scheme, parameters]).toEqual(['scrypt', '16384,8,5']);
    const options = { cost: 2 ** 14, blockSize: 8, parallelization: 5, maxmem: 2 ** 26 };
    const expected = scryptSync('correct horse', Buffer.from(salt, 'base64url'), 32, options);
    expect(key).toBe(expected.toString('base64url'));
  });

  test('is the same however its letters are composed', async () => {
    const passwords = createPasswords({ random, insecureFast: true });
    expect(await passwords.verify('cafe\u0301 noir', await passwords.hash('café noir'))).toBe(true);
  });

  test('is hashed with PBKDF2 where there is no scrypt, and Node can read that', async () => {
    leaveNode();
    const inPage = createPasswords({ random });
    const hash = await inPage.hash('correct horse');
    expect(hash).toMatch(/^pbkdf2-sha256\$600000\$/);
    expect(await inPage.verify('correct horse', hash)).toBe(true);
    vi.unstubAllGlobals();
    const inNode = createPasswords({ random });
    expect(await inNode.verify('correct horse', hash)).toBe(true);
    expect(inNode.outdated(hash)).toBe(true);
  });

  test('gets a better hash at the next sign-in', async () => {
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
});
