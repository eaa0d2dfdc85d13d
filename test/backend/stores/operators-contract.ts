import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorKeyRecord, OperatorMark } from '../../../src/backend/stores/operator-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

export const operatorKey = (keyId: string, more: Partial<OperatorKeyRecord> = {}): OperatorKeyRecord => ({
  keyId,
  name: 'ada',
  scope: 'support',
  hash: 'hash',
  createdAt: 1,
  createdBy: 'first',
  ...more,
});

let marks = 0;

export const mark = (more: Partial<OperatorMark> = {}): OperatorMark => ({
  auditId: uuid(++marks),
  keyId: null,
  keyName: 'first',
  action: 'makeOperatorKey',
  at: 100,
  expiresAt: 1_000,
  ...more,
});

/** Operators' keys, and the log of what they change. */
export function describeOperators(create: () => Store | Promise<Store>): void {
  let store: Store;
  const add = (key: OperatorKeyRecord, by: Partial<OperatorMark> = {}) =>
    store.changeAsOperator({ change: 'addOperatorKey', request: key, mark: mark(by) });
  const remove = (keyId: string, by: Partial<OperatorMark> = {}) =>
    store.changeAsOperator({ change: 'removeOperatorKey', request: keyId, mark: mark(by) });
  const audit = (more: Partial<Parameters<Store['readAudit']>[0]> = {}) =>
    store.readAudit({ owner: null, after: null, max: 100, ...more });

  beforeEach(async () => {
    store = await create();
  });

  describe('a key', () => {
    it('is found by its id, and listed with the others, oldest first', async () => {
      const [younger, older] = [operatorKey('b', { createdAt: 2 }), operatorKey('c', { createdAt: 1, scope: 'admin' })];
      expect(await add(younger)).toBe('added');
      expect(await add(older)).toBe('added');
      expect(await store.findOperatorKey('b')).toEqual(younger);
      expect(await store.findOperatorKey('none')).toBeNull();
      expect(await store.listOperatorKeys()).toEqual([older, younger]);
    });

    it('that was taken away is gone, and to take it away once more changes nothing', async () => {
      await add(operatorKey('b'));
      expect(await remove('b')).toEqual(operatorKey('b'));
      expect(await remove('b')).toBeNull();
      expect(await store.findOperatorKey('b')).toBeNull();
      expect(await audit()).toHaveLength(2);
    });

    it('that was taken away changes nothing any more, also where it was checked before', async () => {
      await add(operatorKey('b'));
      await remove('b');
      expect(await add(operatorKey('c'), { keyId: 'b', keyName: 'ada' })).toBe('no_key');
      expect(await store.findOperatorKey('c')).toBeNull();
      expect(await audit()).toHaveLength(2);
    });

    it('takes another away, of two that take each other away at once', async () => {
      await add(operatorKey('a'));
      await add(operatorKey('b'));
      const outcomes = await Promise.all([remove('b', { keyId: 'a' }), remove('a', { keyId: 'b' })]);
      expect(outcomes.filter((outcome) => outcome === 'no_key')).toHaveLength(1);
      expect(await store.listOperatorKeys()).toHaveLength(1);
    });
  });

  describe('the audit log', () => {
    it('has who changed what, with what it was before and is since, and no hash', async () => {
      await add(operatorKey('b', { name: "it's ☃" }), { at: 5 });
      await remove('b', { at: 6, keyName: 'grace' });
      const [removed, added] = await audit();
      const key = { name: "it's ☃", scope: 'support' };
      expect(added).toMatchObject({
        at: 5,
        keyId: null,
        keyName: 'first',
        owner: null,
        what: { key: 'b' },
        after: key,
      });
      expect(added).not.toHaveProperty('before');
      expect(removed).toMatchObject({ at: 6, keyName: 'grace', what: { key: 'b' }, before: key });
      expect(JSON.stringify([removed, added])).not.toContain('hash');
    });

    it('is read newest first, in pages that miss nothing and repeat nothing, also where moments are the same', async () => {
      for (let n = 0; n < 7; n += 1) await add(operatorKey(`k${n}`), { auditId: uuid(900 + n), at: n < 4 ? 10 : 20 });
      const seen: string[] = [];
      let after: { at: number; id: string } | null = null;
      for (let page = 0; page < 4; page += 1) {
        const found = await audit({ after, max: 2 });
        seen.push(...found.map(({ auditId }) => auditId));
        const last = found.at(-1);
        after = last === undefined ? after : { at: last.at, id: last.auditId };
        // What is done meanwhile comes before all that is being read.
        await add(operatorKey(`later-${page}`), { at: 30 });
      }
      expect(seen).toEqual([906, 905, 904, 903, 902, 901, 900].map(uuid));
    });

    it('forgets what has expired', async () => {
      await add(operatorKey('a'), { expiresAt: 50 });
      await add(operatorKey('b'), { expiresAt: 51 });
      expect(await store.removeExpired({ now: 50, orphanedBefore: 0, deletedBefore: 0, batch: 10 })).toBe(1);
      expect((await audit()).map(({ what }) => what)).toEqual([{ key: 'b' }]);
      expect(await store.listOperatorKeys()).toHaveLength(2);
    });
  });
}
