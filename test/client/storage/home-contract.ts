import { describe, expect, it } from 'vitest';
import type { RawHome } from '../../../src/client/storage/home.js';
import { homeKeys } from '../../../src/client/storage/home-keys.js';

const keys = homeKeys('11111111-1111-4111-8111-111111111111', 0);
const entry = (name: string, userId: string | null = 'ada'): string => `${keys.entries(userId)}${name}`;
const add = (text: string | null): string => String(Number(text ?? 0) + 1);

/**
 * What every home does, whatever it is made of.
 *
 * @param device gives a storage of its own; each call of what it gives opens another home on it, as another tab does
 */
export function describeHome(name: string, device: () => () => RawHome): void {
  describe(name, () => {
    it('gives null for what was never stored, and stores nothing by asking', async () => {
      const open = device();
      expect(await open().update(keys.session, (text) => text)).toBeNull();
      expect(await open().readAll(keys.session)).toEqual(new Map());
    });

    it('gives each change the stored text, and gives back what is stored now', async () => {
      const open = device();
      const home = open();
      expect(await home.update(entry('a\nb'), (text) => `${text}+1`)).toBe('null+1');
      expect(await home.update(entry('a\nb'), (text) => `${text}+2`)).toBe('null+1+2');
      expect(await open().update(entry('a\nb'), (text) => text)).toBe('null+1+2');
    });

    it('removes a text, and takes another in its place later', async () => {
      const open = device();
      const home = open();
      await home.update(entry('a\nb'), () => 'text');
      expect(await home.update(entry('a\nb'), () => null)).toBeNull();
      expect(await open().readAll(keys.entries('ada'))).toEqual(new Map());
      await home.update(entry('a\nb'), (text) => text ?? 'again');
      expect(await open().readAll(keys.entries('ada'))).toEqual(new Map([[entry('a\nb'), 'again']]));
    });

    it('reads the entries of one account, whatever their names are', async () => {
      const open = device();
      const home = open();
      const names = ['progress\nmain', 'a:b\nc:d', 'entry:ada:\nx', '\uffee\n\u{1f600}', ' \n__proto__'];
      const others = [keys.session, keys.device, entry('progress\nmain', null), entry('progress\nmain', 'adam')];
      await Promise.all([...names.map((one) => entry(one)), ...others].map((key) => home.update(key, () => key)));
      const found = await open().readAll(keys.entries('ada'));
      expect([...found.keys()].sort()).toEqual(names.map((one) => entry(one)).sort());
      for (const [key, text] of found) expect(text).toBe(key);
      expect(await open().readAll(keys.device)).toEqual(new Map([[keys.device, keys.device]]));
      expect(await open().readAll(keys.entries(null))).toEqual(new Map([[others[2], others[2]]]));
    });

    it('counts every update of one key, from one tab and from several', async () => {
      const open = device();
      const tabs = [open(), open(), open()];
      const updates = tabs.flatMap((tab) => Array.from({ length: 20 }, () => tab.update(entry('a\nb'), add)));
      await Promise.all(updates);
      expect(await open().update(entry('a\nb'), (text) => text)).toBe('60');
    });

    it('counts updates of different keys that are new in several tabs at once', async () => {
      const open = device();
      const tabs = [open(), open(), open()];
      await Promise.all(tabs.flatMap((tab, n) => [1, 2, 3].map((m) => tab.update(entry(`c${n}\n${m}`), add))));
      expect((await open().readAll(keys.entries('ada'))).size).toBe(9);
    });

    it('fails the update alone whose change throws, and leaves its text', async () => {
      const open = device();
      const home = open();
      await home.update(entry('a\nb'), () => 'kept');
      const defect = new Error('defect');
      const outcomes = await Promise.allSettled([
        home.update(entry('a\n1'), add),
        home.update(entry('a\nb'), () => {
          throw defect;
        }),
        home.update(entry('a\n2'), add),
      ]);
      expect(outcomes).toEqual([
        { status: 'fulfilled', value: '1' },
        { status: 'rejected', reason: defect },
        { status: 'fulfilled', value: '1' },
      ]);
      expect(await open().update(entry('a\nb'), (text) => text)).toBe('kept');
    });

    it('stores on the disk where that is asked for, beside what need not be there at once', async () => {
      const open = device();
      const home = open();
      const storing = [home.update(keys.device, () => 'id', { strict: true }), home.update(entry('a\nb'), add)];
      expect(await Promise.all(storing)).toEqual(['id', '1']);
      expect(await open().readAll(keys.device)).toEqual(new Map([[keys.device, 'id']]));
    });

    it('carries out what was asked for before it is closed, and opens again at the next use', async () => {
      const open = device();
      const home = open();
      const storing = home.update(entry('a\nb'), add);
      home.close?.();
      expect(await storing).toBe('1');
      expect(await home.update(entry('a\nb'), add)).toBe('2');
    });
  });
}
