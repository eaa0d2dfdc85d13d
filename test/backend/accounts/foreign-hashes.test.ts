import { afterEach, describe, expect, it, vi } from 'vitest';
import { createPasswords } from '../../../src/backend/accounts/passwords.js';
import { hashProblem } from '../../../src/backend/accounts/stored-hash.js';

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));
const passwords = createPasswords({ random });
const long = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

afterEach(() => vi.unstubAllGlobals());

describe('a hash from elsewhere', () => {
  it.each([
    // crypt_blowfish's own (wrapper.c), as PHP has them, too (ext/standard/tests/crypt/crypt_blowfish.phpt).
    ['U*U', '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
    ['U*U*U', '$2b$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
    ['U*U*', '$2y$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK'],
    [`${long}chars after 72 are ignored`, '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui'],
    // The reference implementation's own (phc-winner-argon2, src/test.c).
    ['password', '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4'],
    ['password', '$argon2id$v=19$m=256,t=2,p=2$c29tZXNhbHQ$bQk8UB/VmZZF4Oo79iDXuL5/0ttZwg2f/5U52iv1cDc'],
    ['password', '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$iekCn0Y3spW+sCcFanM2xBT63UP2sghkUoHLIUpWRS8'],
    // argon2-jvm's, which binds the same library.
    ['password', '$argon2d$v=19$m=1024,t=2,p=1$dGhpc2lzdGhlc2FsdA$rkBsbLVYkXDowmxcwZ9qjpLuAbNjIPBXxmD27YvzHzw'],
  ])('holds for %s, for nothing else, and is to be made again: %s', async (password, hash) => {
    expect(hashProblem(hash)).toBeNull();
    expect(await passwords.verify(password, hash)).toBe(true);
    expect(await passwords.verify(`!${password}`, hash)).toBe(false);
    expect(passwords.isOutdated(hash)).toBe(true);
  });

  it('waits for its turn, as every password does', async () => {
    const hash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    const turns: string[] = [];
    const all = [1, 2, 3, 4].map(() =>
      passwords.verify('U*U', hash, { address: undefined, begin: async () => void turns.push('began') }),
    );
    expect(passwords.load()).toEqual({ running: 2, waiting: 2 });
    expect(await Promise.all(all)).toEqual([true, true, true, true]);
    expect(turns).toHaveLength(4);
  });

  it('is refused where a runtime has no threads for it', async () => {
    vi.stubGlobal('process', {});
    const hash = '$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
    await expect(createPasswords({ random }).verify('U*U', hash)).rejects.toThrow(/cannot check/);
  });

  const bcryptRest = 'CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW';
  const argon2Rest = 'c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc';
  const scryptRest = 'AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAA';

  it.each([
    `$2b$16$${bcryptRest}`,
    `$2b$31$${bcryptRest}`,
    `$argon2id$v=19$m=262145,t=1,p=1$${argon2Rest}`,
    `$argon2id$v=19$m=262144,t=5,p=1$${argon2Rest}`,
    `$argon2id$v=19$m=8,t=131073,p=1$${argon2Rest}`,
    `$argon2d$v=19$m=65536,t=1,p=17$${argon2Rest}`,
    `scrypt$65536,16,1$${scryptRest}`,
    `scrypt$16384,8,17$${scryptRest}`,
    `firebase-scrypt$65536,16,1,Bw,AAAA$${scryptRest}`,
  ])('that would take too much is not taken over: %s', (hash) => {
    expect(hashProblem(hash)).toBe('takes more memory or time than a sign-in may');
  });

  it.each([
    `$2x$05$${bcryptRest}`,
    `$2b$03$${bcryptRest}`,
    `$2b$05$${bcryptRest}x`,
    `$2b$05$${bcryptRest}\n`,
    `$argon2id$v=16$m=65536,t=2,p=1$${argon2Rest}`,
    `$argon2id$m=65536,t=2,p=1$${argon2Rest}`,
    `$argon2id$v=19$m=4,t=2,p=1$${argon2Rest}`,
    `$argon2x$v=19$m=65536,t=2,p=1$${argon2Rest}`,
    `scrypt$16383,8,1$${scryptRest}`,
    'pbkdf2-sha256$0$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAA',
    '$1$deadbeef$0Huu6KHrKLVWfqa4WljDE0',
    '5f4dcc3b5aa765d61d8327deb882cf99',
    '',
  ])('that is none is not taken over: %j', (hash) => {
    expect(hashProblem(hash)).toMatch(/^must be a hash/);
  });
});
