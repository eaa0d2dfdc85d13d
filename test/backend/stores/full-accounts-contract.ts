import { beforeEach, describe, expect, it } from 'vitest';
import type { UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { newLink, owner, quotas, snapshot } from './contract-records.js';
import { createRandom, type Random } from './writers.js';

/** A value of so many bytes, some of which are more than a character. */
function textOf(bytes: number): string {
  return bytes < 8 ? '1'.repeat(bytes) : `"é${'x'.repeat(bytes - 4)}"`;
}

/** That the quota of bytes holds to the byte, however an account has come to where it is. */
export function describeFullAccounts(create: () => Store | Promise<Store>): void {
  let store: Store;
  let ids = 0;

  beforeEach(async () => {
    store = await create();
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
  });

  const newSnapshot = () => snapshot(`full-${++ids}`, { max: 5, maxBytes: 1_000_000 });
  const write = (key: string, bytes: number, limit: number, more: Partial<UpdateRequest> = {}) =>
    store.updateEntry({
      owner: owner('a'),
      sessionId: null,
      collection: 'c',
      key,
      text: textOf(bytes),
      version: -1,
      snapshot: newSnapshot(),
      quotas: quotas(100, { values: limit }),
      now: 5,
      ...more,
    });
  const used = async () => (await store.readUsage({ owner: owner('a'), now: 6 }))?.values;
  const refused = (limit: number, now: number) => ({
    outcome: 'quota_exceeded',
    quota: 'values',
    limit,
    used: now,
  });

  describe('an account that is filled', () => {
    it('takes the last byte after many small growths of many entries, and none more', async () => {
      const limit = 4_000;
      for (let n = 0; n < 20; n += 1) await write(`k${n}`, 100, limit);
      for (let bytes = 110; bytes <= 200; bytes += 10) {
        for (let n = 0; n < 20; n += 1) {
          expect(await write(`k${n}`, bytes, limit, { version: (bytes - 110) / 10 })).toMatchObject({
            outcome: 'written',
          });
        }
      }
      expect(await used()).toBe(limit);
      for (const version of [10, -1]) {
        expect(await write('k7', 201, limit, { version })).toEqual(refused(limit, limit));
      }
      expect(await write('new', 1, limit, { version: 'absent' })).toEqual(refused(limit, limit));
      expect(await write('k7', 200, limit, { version: 10 })).toEqual({ outcome: 'written', version: 11 });
    });

    it('has exactly as much room again as one of its values has become less', async () => {
      const limit = 1_000;
      for (let n = 0; n < 10; n += 1) await write(`k${n}`, 100, limit);
      expect(await write('k1', 101, limit)).toEqual(refused(limit, limit));
      await write('k0', 63, limit, { version: 0 });
      expect(await write('k1', 138, limit, { version: 0 })).toEqual(refused(limit, 963));
      expect(await write('k1', 137, limit, { version: 0 })).toMatchObject({ outcome: 'written' });
      expect(await write('k0', 64, limit, { version: 1 })).toEqual(refused(limit, limit));
      for (let n = 0; n < 10; n += 1) await write(`k${n}`, 10, limit);
      expect(await used()).toBe(100);
      expect(await write('k3', 911, limit)).toEqual(refused(limit, 100));
      expect(await write('k3', 910, limit)).toMatchObject({ outcome: 'written' });
      expect(await used()).toBe(limit);
    });

    it('does not grow where less is allowed than before, be it by a byte that there was room for', async () => {
      for (let n = 0; n < 10; n += 1) await write(`k${n}`, 100, 100_000);
      for (const limit of [999, 1_000]) {
        expect(await write('k4', 101, limit, { version: 0 })).toEqual(refused(limit, 1_000));
        expect(await write('k5', 101, limit)).toEqual(refused(limit, 1_000));
      }
      expect(await write('k4', 99, 500, { version: 0 })).toEqual({ outcome: 'written', version: 1 });
      expect(await write('k4', 100, 999, { version: 1 })).toEqual(refused(999, 999));
      expect(await write('k4', 100, 1_000, { version: 1 })).toEqual({ outcome: 'written', version: 2 });
    });

    it.each([1, 2, 3])('is never passed by many at once, and full in the end (seed %i)', async (seed) => {
      const limit = 6_000;
      const random = createRandom(seed);
      for (let n = 0; n < 30; n += 1) await write(`k${n}`, 100, limit);
      for (let round = 0; round < 6; round += 1) {
        await Promise.all(
          Array.from({ length: 40 }, () =>
            write(`k${random(34)}`, 1 + random(400), limit, {
              version: [-1, round, 'absent' as const][random(3)] ?? -1,
            }),
          ),
        );
        expect(await used()).toBeLessThanOrEqual(limit);
      }
      const left = limit - ((await used()) ?? 0);
      expect(await write('rest', left + 1, limit, { version: 'absent' })).toEqual(refused(limit, limit - left));
      if (left > 0) expect(await write('rest', left, limit, { version: 'absent' })).toMatchObject({ version: 0 });
      expect(await used()).toBe(limit);
    });

    it.each([1, 2, 3, 4])(
      'answers each of hundreds of writes as a count of all bytes would (seed %i)',
      async (seed) => {
        const random = createRandom(seed);
        const held = new Map<string, { bytes: number; version: number }>();
        const kept = new Map<string, { key: string; bytes: number }>();
        const total = () => [...held.values()].reduce((sum, { bytes }) => sum + bytes, 0);
        for (let step = 0; step < 400; step += 1) {
          const limit = random(12) === 0 ? 500 + random(4_000) : 2_500;
          const now = total();
          if (random(15) === 0) {
            await restore(pick(random, [...kept.keys()]) ?? 'none', limit);
            continue;
          }
          const key = `k${random(12)}`;
          const former = held.get(key);
          const before = former?.bytes ?? 0;
          // To the byte, just past it, a little more or less, and anything.
          const bytes = Math.max(
            1,
            [limit - now + before, limit - now + before + 1, before + random(20) - 8, random(500)][random(4)] ?? 1,
          );
          const version = former === undefined ? 'absent' : former.version;
          const snapshot = newSnapshot();
          const answer = await write(key, bytes, limit, {
            snapshot,
            version: random(3) === 0 ? -1 : version,
            name: random(3) === 0 ? { device: `d${random(2)}`, write: `w${step}` } : undefined,
          });
          if (bytes > before && now - before + bytes > limit) expect(answer).toEqual(refused(limit, now));
          else {
            const next = former === undefined ? 0 : former.version + 1;
            expect(answer).toEqual({ outcome: 'written', version: next });
            held.set(key, { bytes, version: next });
            if (former !== undefined) kept.set(snapshot.snapshotId, { key, bytes: before });
          }
          if (step % 20 === 0) expect(await used()).toBe(total());
        }
        expect(await used()).toBe(total());

        async function restore(snapshotId: string, limit: number): Promise<void> {
          const now = total();
          const { key, bytes } = kept.get(snapshotId) ?? { key: '', bytes: 0 };
          const former = held.get(key) ?? { bytes: 0, version: -1 };
          const answer = await store.restoreSnapshot({
            key: { ...owner('a'), snapshotId },
            sessionId: null,
            quotas: quotas(100, { values: limit }),
            snapshot: newSnapshot(),
            now: 5,
          });
          if (answer.outcome === 'no_snapshot') return;
          if (bytes > former.bytes && now - former.bytes + bytes > limit) expect(answer).toEqual(refused(limit, now));
          else if (bytes !== former.bytes) held.set(key, { bytes, version: former.version + 1 });
        }
      },
    );
  });
}

function pick<Item>(random: Random, from: readonly Item[]): Item | undefined {
  return from[random(Math.max(1, from.length))];
}
