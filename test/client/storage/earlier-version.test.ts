import { describe, expect, it } from 'vitest';
import type { Lock } from '../../../src/client/platform/locks.js';
import { chooseSession } from '../../../src/client/session/session-store.js';
import { type ReadEarlierCopy, takeOverCopies } from '../../../src/client/storage/earlier-version.js';
import type { RawHome } from '../../../src/client/storage/home.js';
import { homeKeys } from '../../../src/client/storage/home-keys.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { uniteHomes } from '../../../src/client/storage/unite-homes.js';
import { createWebStorage } from './web-storage.js';

/** One page, which waits for nobody. */
const lock: Lock = (_, task) => task();
const keys = homeKeys('11111111-1111-4111-8111-111111111111', 1);
const ours = keys.entries('ada');
const copyKey = `${keys.prefix}profile:ada`;

/** A stored session record, as earlier versions wrote it. */
function recordOf(userId: string | null, generation: number, methods = ['device'], expiresAt = 1_000): string {
  const session =
    userId === null ? null : { userId, accessToken: 'a', refreshToken: 'r', expiresAt, methods, country: null };
  return JSON.stringify({ generation, session, deviceUserId: userId, clockOffset: 0, conflict: null });
}

/** A home that fails at one of its writes. */
function failingAt(home: RawHome, failsAt: number): RawHome {
  let writes = 0;
  return {
    readAll: home.readAll,
    update: (...wanted) => {
      writes += 1;
      return writes === failsAt ? Promise.reject(new Error('failed')) : home.update(...wanted);
    },
  };
}

interface Found {
  session?: string;
  device?: string;
}

async function takeOverIdentity(home: RawHome, local: Storage, isFirst: boolean): Promise<void> {
  const record = isFirst ? null : 'indexedDB';
  await uniteHomes(home, local, { keys, record, lock, chooseSession, uniteEntry: async () => null }, () => false);
}

/** Takes over what localStorage has, and gives what the home has then. */
async function takeOver(stored: Found, earlier: Found, isFirst = true) {
  const texts = new Map(Object.entries(stored).map(([name, text]) => [`${keys.prefix}${name}`, text]));
  const local = createWebStorage(
    new Map(Object.entries(earlier).map(([name, text]) => [`${keys.prefix}${name}`, text])),
  );
  await takeOverIdentity(createMemoryHome(texts), local, isFirst);
  const session = JSON.parse(texts.get(keys.session) ?? 'null');
  return { session, userId: session?.session?.userId, device: texts.get(keys.device), left: local.length };
}

describe('what earlier versions kept of an identity', () => {
  const linked = ['device', 'name'];

  it('is moved to the home', async () => {
    expect(await takeOver({}, { session: recordOf('ada', 3), device: 'own' })).toMatchObject({
      userId: 'ada',
      device: 'own',
      left: 0,
    });
  });

  it('takes the place of what a worker has made meanwhile, with its device id', async () => {
    const worker = { session: recordOf('worker', 1, ['device'], 9_000), device: 'worker-id' };
    const page = { session: recordOf('ada', 1), device: 'own' };
    expect(await takeOver(worker, page)).toMatchObject({ userId: 'ada', device: 'own', left: 0 });
  });

  it('takes no place of a device id or a session that the home has already taken over', async () => {
    const home = { session: recordOf('ada', 2), device: 'own' };
    const tab = { session: recordOf('guest', 2, ['device'], 9_000), device: 'another' };
    expect(await takeOver(home, tab, false)).toMatchObject({ userId: 'ada', device: 'own', left: 0 });
  });

  it.each([true, false])('never puts a guest in the place of a linked account (first: %s)', async (isFirst) => {
    const home = { session: recordOf('ada', 2, linked), device: 'own' };
    const guest = { session: recordOf('guest', 9), device: 'another' };
    expect(await takeOver(home, guest, isFirst)).toMatchObject({ userId: 'ada', device: 'own', left: 0 });
    const signedOut = { session: recordOf(null, 9), device: 'another' };
    expect(await takeOver(home, signedOut, isFirst)).toMatchObject({ userId: 'ada', device: 'own', left: 0 });
  });

  it.each([true, false])('puts a linked account in the place of a guest (first: %s)', async (isFirst) => {
    const guest = { session: recordOf('guest', 9) };
    expect(await takeOver(guest, { session: recordOf('ada', 2, linked) }, isFirst)).toMatchObject({ userId: 'ada' });
  });

  it('counts by generation, and then by the newer tokens', async () => {
    const at = async (stored: string, earlier: string) =>
      (await takeOver({ session: stored }, { session: earlier }, false)).session;
    expect(await at(recordOf('ada', 2), recordOf('bea', 3, ['custom']))).toMatchObject({ generation: 3 });
    expect(await at(recordOf('ada', 3), recordOf('bea', 2, ['custom']))).toMatchObject({ generation: 3 });
    const older = recordOf('ada', 2, linked, 1_000);
    const newer = recordOf('ada', 2, linked, 2_000);
    expect(await at(older, newer)).toEqual(JSON.parse(newer));
    expect(await at(newer, older)).toEqual(JSON.parse(newer));
  });

  it('is not harmed by what cannot be read', async () => {
    const session = recordOf('ada', 2);
    expect(await takeOver({ session }, { session: 'damaged' })).toMatchObject({ userId: 'ada' });
    expect(await takeOver({ session: 'damaged' }, { session })).toMatchObject({ userId: 'ada' });
  });

  it('is whole after a failure at any write, and another start', async () => {
    for (let failsAt = 1; failsAt <= 4; failsAt += 1) {
      const texts = new Map([
        [keys.session, recordOf('worker', 1)],
        [keys.device, 'worker-id'],
      ]);
      const local = createWebStorage(
        new Map([
          [keys.session, recordOf('ada', 5, linked)],
          [keys.device, 'own'],
        ]),
      );
      const home = createMemoryHome(texts);
      await takeOverIdentity(failingAt(home, failsAt), local, true).catch(() => {});
      await takeOverIdentity(home, local, true);
      expect(JSON.parse(texts.get(keys.session) as string).session.userId).toBe('ada');
      expect(texts.get(keys.device)).toBe('own');
      expect(local.length).toBe(0);
    }
  });
});

describe('what earlier versions kept of an account', () => {
  /** The text is `name=value;…`; what the home has already is united with it. */
  const read: ReadEarlierCopy = (text) =>
    text
      .split(';')
      .filter((part) => part.includes('='))
      .map((part) => {
        const [name, value] = part.split('=') as [string, string];
        return [name, (stored) => (stored?.includes(value) ? stored : `${stored ?? ''}${value}`)];
      });

  it('becomes entries before they are first read, each united with what is there', async () => {
    const texts = new Map([
      [copyKey, 'a\nb=1;c\nd=2'],
      [`${ours}a\nb`, '0'],
      [`${keys.prefix}profile:bea`, 'a\nb=9'],
    ]);
    const home = takeOverCopies(createMemoryHome(texts), undefined, read);
    expect(await home.readAll(ours)).toEqual(
      new Map([
        [`${ours}a\nb`, '01'],
        [`${ours}c\nd`, '2'],
      ]),
    );
    expect([...texts.keys()]).toEqual([`${ours}a\nb`, `${keys.prefix}profile:bea`, `${ours}c\nd`]);
  });

  it('is found in localStorage too, and removed there', async () => {
    const texts = new Map([[copyKey, 'a\nb=1']]);
    const local = createWebStorage(new Map([[copyKey, 'a\nb=2']]));
    const home = takeOverCopies(createMemoryHome(texts), local, read);
    expect(await home.readAll(ours)).toEqual(new Map([[`${ours}a\nb`, '12']]));
    expect(local.length).toBe(0);
  });

  it('of before an account goes to what is kept before an account', async () => {
    const texts = new Map([[`${keys.prefix}profile:`, 'a\nb=1']]);
    const home = takeOverCopies(createMemoryHome(texts), undefined, read);
    expect(await home.readAll(keys.entries(null))).toEqual(new Map([[`${keys.entries(null)}a\nb`, '1']]));
  });

  it('is looked for once, and not for anything else that is read', async () => {
    const texts = new Map([[copyKey, 'a\nb=1']]);
    const inner = createMemoryHome(texts);
    const home = takeOverCopies(inner, undefined, read);
    await home.readAll(keys.session);
    expect(texts.has(copyKey)).toBe(true);
    await home.readAll(ours);
    texts.set(copyKey, 'a\nb=2');
    expect((await home.readAll(ours)).get(`${ours}a\nb`)).toBe('1');
  });

  it('costs a start no write where there is nothing of it', async () => {
    const home = takeOverCopies(failingAt(createMemoryHome(new Map([[`${ours}a\nb`, '1']])), 1), undefined, read);
    expect(await home.readAll(ours)).toEqual(new Map([[`${ours}a\nb`, '1']]));
  });

  it('is whole after a failure at any write, and another try', async () => {
    for (let failsAt = 1; failsAt <= 3; failsAt += 1) {
      const texts = new Map([[copyKey, 'a\nb=1;c\nd=2']]);
      const home = takeOverCopies(failingAt(createMemoryHome(texts), failsAt), undefined, read);
      await expect(home.readAll(ours)).rejects.toThrow('failed');
      await home.readAll(ours);
      expect([...texts].sort()).toEqual([
        [`${ours}a\nb`, '1'],
        [`${ours}c\nd`, '2'],
      ]);
    }
  });
});
