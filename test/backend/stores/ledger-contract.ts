import { beforeEach, describe, expect, it } from 'vitest';
import type { UpdateRequest } from '../../../src/backend/stores/entry-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { newLink, owner, quotas, snapshot, stepsOn } from './contract-records.js';

const devices = 64;

/** Numbers from 0 up to 1 that look random, and are the same for each run (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The ledger of an entry: named writes, and what stands beside the value. */
export function describeLedger(create: () => Store | Promise<Store>): void {
  let store: Store;
  let made = 0;
  const { account } = stepsOn(() => store);

  const begin = async () => {
    store = await create();
    await account('a', newLink('device', 'one'));
  };

  const write = (name: string | null, more: Partial<UpdateRequest> = {}) => {
    const [device = '', id = ''] = name?.split(':') ?? [];
    made += 1;
    return store.updateEntry({
      owner: owner('a'),
      sessionId: null,
      collection: 'c',
      key: 'k',
      text: '{"n":1}',
      version: -1,
      snapshot: snapshot(`lost-${made}`),
      quotas: quotas(10),
      now: 5,
      ...(name === null ? {} : { name: { device, write: id } }),
      ...more,
    });
  };
  const read = async () => (await store.readCollection({ owner: owner('a'), sessionId: null, collection: 'c' })) ?? [];
  const stored = async () => (await read()).map(({ text, version }) => [text, version]);
  const snapshots = () => store.listSnapshots({ owner: owner('a'), now: 6 });
  const written = (version: number) => ({ outcome: 'written', version });

  describe('a write with a name', () => {
    beforeEach(begin);

    it.each([
      ['that creates', 'absent', 0],
      ['that is forced', -1, 2],
      ['that rests on a version', 1, 2],
    ] as const)('%s is carried out once, however often it comes', async (_, version, makes) => {
      if (version !== 'absent') for (const text of ['{"n":8}', '{"n":9}']) await write(null, { text });
      const before = await snapshots();
      const outcomes = [await write('d:1', { version, text: '{"n":2}' })];
      const kept = await snapshots();
      for (const text of ['{"n":2}', '{"n":3}']) outcomes.push(await write('d:1', { version, text }));
      expect(outcomes).toEqual([written(makes), written(makes), written(makes)]);
      expect(await stored()).toEqual([['{"n":2}', makes]]);
      expect(await snapshots()).toEqual(kept);
      expect(kept).toHaveLength(before.length + (version === -1 ? 1 : 0));
    });

    it('is known whatever version it says it rests on', async () => {
      await write('d:1', { version: 'absent' });
      for (const version of ['absent', -1, 0, 1, 7] as const) {
        expect(await write('d:1', { version, text: '{"n":9}' })).toEqual(written(0));
      }
      expect(await stored()).toEqual([['{"n":1}', 0]]);
    });

    it('is known after others have written', async () => {
      await write('d:1', { version: 'absent' });
      await write('e:1', { version: 0, text: '{"n":2}' });
      await write(null, { version: 1, text: '{"n":3}' });
      await write(null, { text: '{"n":4}' });
      expect(await write('d:1', { version: 'absent' })).toEqual(written(0));
      expect(await write('e:1', { version: 0 })).toEqual(written(1));
      expect(await stored()).toEqual([['{"n":4}', 3]]);
    });

    it.each(['absent', -1, 0] as const)('is carried out once of fifty at once (%s)', async (version) => {
      if (version !== 'absent') await write(null);
      const outcomes = await Promise.all(Array.from({ length: 50 }, () => write('d:1', { version, text: '{"n":2}' })));
      const makes = version === 'absent' ? 0 : 1;
      expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome)))).toEqual(
        new Set([JSON.stringify(written(makes))]),
      );
      expect(await stored()).toEqual([['{"n":2}', makes]]);
    });

    it('counts once where ten devices write at once, and repeat everything', async () => {
      await write(null, { text: '{"n":0}' });
      const add = async (device: string, id: number): Promise<void> => {
        let known = { version: 0, n: 0 };
        for (let tries = 0; ; tries += 1) {
          const name = `${device}:${id}-${tries}`;
          const more = { version: known.version, text: JSON.stringify({ n: known.n + 1 }) };
          const outcomes = await Promise.all([write(name, more), write(name, more), write(name, more)] as const);
          expect(new Set(outcomes.map(({ outcome }) => outcome)).size).toBe(1);
          const [outcome] = outcomes;
          if (outcome.outcome === 'written') return;
          if (outcome.outcome !== 'mismatch' || outcome.current === null) throw new Error(outcome.outcome);
          expect(outcome.carriedOut).toBe(false);
          known = { version: outcome.current.version, n: JSON.parse(outcome.current.text).n };
        }
      };
      const writer = async (_: unknown, index: number) => {
        for (let id = 0; id < 4; id += 1) await add(`device-${index}`, id);
      };
      await Promise.all(Array.from({ length: 10 }, writer));
      expect(await stored()).toEqual([['{"n":40}', 40]]);
    });

    it('is refused with the word that it never was carried out, also where the same value is stored', async () => {
      await write('d:1', { version: 'absent' });
      await write('e:1', { version: 0, text: '{"n":2}' });
      const current = { key: 'k', text: '{"n":2}', version: 1, changedAt: 5 };
      for (const version of ['absent', 0, 2, 7] as const) {
        const refused = { outcome: 'mismatch', current, carriedOut: false };
        expect(await write('d:2', { version, text: '{"n":2}' })).toStrictEqual(refused);
        expect(await write('f:1', { version, text: '{"n":2}' })).toStrictEqual(refused);
      }
      const absent = { outcome: 'mismatch', current: null, carriedOut: false };
      expect(await write('d:1', { key: 'other', version: 0 })).toStrictEqual(absent);
      expect(await write(null, { version: 0 })).toStrictEqual({ outcome: 'mismatch', current });
    });

    it('is another write in another entry, by another device, and by another name', async () => {
      await write('d:1', { version: 'absent' });
      expect(await write('d:1', { version: 'absent', key: 'other' })).toEqual(written(0));
      expect(await write('d:1', { version: 'absent', collection: 'other' })).toEqual(written(0));
      expect(await write('e:1')).toEqual(written(1));
      expect(await write('d:2')).toEqual(written(2));
      await account('b', newLink('device', 'two'));
      expect(await write('d:2', { owner: owner('b') })).toEqual(written(0));
      expect(await write('d:2', { owner: owner('nobody') })).toEqual({ outcome: 'no_account' });
    });

    it('may be carried out later where there was no room for it', async () => {
      const more = { version: 'absent', quotas: quotas(0) } as const;
      expect(await write('d:1', more)).toEqual({ outcome: 'quota_exceeded', quota: 'entries', limit: 0, used: 0 });
      expect(await write('d:1', { ...more, quotas: quotas(1) })).toEqual(written(0));
      expect(await write('d:1', more)).toEqual(written(0));
    });

    it('takes any name that the header can carry', async () => {
      const odd = ['__proto__', 'constructor', 'toString', '0', '1', '-', '_', 'a-b_c', 'x'.repeat(64)];
      for (const [index, device] of odd.entries()) expect(await write(`${device}:__proto__`)).toEqual(written(index));
      for (const [index, device] of odd.entries()) {
        expect(await write(`${device}:__proto__`)).toEqual(written(index));
        expect(await write(`${device}:valueOf`, { version: 0 })).toMatchObject({ carriedOut: false });
      }
    });
  });

  describe('a ledger', () => {
    beforeEach(begin);

    const fill = async (count: number, from = 0) => {
      for (let index = from; index < from + count; index += 1) {
        const version = index === 0 ? 'absent' : index - 1;
        expect(await write(`device-${index}:w`, { version })).toEqual(written(index));
      }
    };
    const knows = async (index: number) => {
      const outcome = await write(`device-${index}:w`, { version: index === 0 ? 'absent' : index - 1 });
      return outcome.outcome === 'written' && outcome.version === index;
    };

    it('holds 64 devices; the one that has not written for longest leaves', async () => {
      await fill(devices);
      expect(await write('device-0:again', { version: devices - 1 })).toEqual(written(devices));
      for (const index of [1, 2, devices - 1]) expect(await knows(index)).toBe(true);
      await fill(2, devices + 1);
      expect(await knows(1)).toBe(false);
      expect(await knows(2)).toBe(false);
      for (const index of [3, 4, devices - 1, devices + 1, devices + 2]) expect(await knows(index)).toBe(true);
      expect(await write('device-0:again')).toEqual(written(devices));
      expect(await stored()).toEqual([['{"n":1}', devices + 2]]);
    });

    it('lets one leave for a forced write too', async () => {
      await fill(devices);
      expect(await write('late:w', { text: '{"n":2}' })).toEqual(written(devices));
      expect(await write('late:w', { text: '{"n":3}' })).toEqual(written(devices));
      expect(await knows(0)).toBe(false);
      expect(await knows(1)).toBe(true);
    });

    it('does not say of a write that may have left it whether it was carried out', async () => {
      await fill(devices + 3);
      const left = await write('device-1:w', { version: 0 });
      expect(left).toMatchObject({ outcome: 'mismatch' });
      expect(left).not.toHaveProperty('carriedOut');
      // Had this one been carried out, it would have made version 3, which is device-3's, and that is still known.
      expect(await write('stranger:w', { version: 2 })).toMatchObject({ outcome: 'mismatch', carriedOut: false });
      expect(await write('device-3:other', { version: 0 })).toMatchObject({ outcome: 'mismatch', carriedOut: false });
    });

    it('holds 64 where a hundred devices write at once', async () => {
      await Promise.all(Array.from({ length: 100 }, (_, index) => write(`device-${index}:w`)));
      expect((await stored())[0]?.[1]).toBe(99);
      const versions = await Promise.all(
        Array.from({ length: 100 }, (_, index) => write(`device-${index}:w`, { version: 99 })),
      );
      const newest = versions.filter((outcome) => outcome.outcome === 'written' && outcome.version < 100);
      // One of those that left rests on the version that is stored, and is carried out; then another one leaves.
      expect(newest.length).toBeGreaterThanOrEqual(devices - 1);
      expect(newest.length).toBeLessThanOrEqual(devices);
    });

    it('stays where a snapshot is restored', async () => {
      await write('d:1', { version: 'absent', text: '{"n":1}' });
      await write('e:1', { text: '{"n":2}', snapshot: snapshot('first') });
      const restored = await store.restoreSnapshot({
        key: { ...owner('a'), snapshotId: 'first' },
        sessionId: null,
        quotas: quotas(10),
        snapshot: snapshot('undo'),
        now: 6,
      });
      expect(restored).toMatchObject({ outcome: 'restored', entries: [{ version: 2 }] });
      expect(await write('d:1', { version: 'absent' })).toEqual(written(0));
      expect(await write('e:1')).toEqual(written(1));
      expect(await stored()).toEqual([['{"n":1}', 2]]);
    });
  });

  describe('any writes, repeats and restores of many devices', () => {
    beforeEach(begin);

    it.each([3, 70])('say the truth of each write: %d devices', async (count) => {
      const random = seededRandom(count);
      const pick = (below: number) => Math.floor(random() * below);
      /** By name: the version that it made, by the value that is unique to it. */
      const carriedOut = new Map<string, number>();
      /** By name: every write that was sent, which may come again. */
      const sent: { name: string; version: number | 'absent'; text: string }[] = [];
      const kept: string[] = [];
      let known: number | 'absent' = 'absent';

      const send = async (one: (typeof sent)[number]): Promise<void> => {
        const before = (await stored())[0];
        const lost = snapshot(`lost-${kept.length}`, { max: 1_000 });
        const outcome = await write(one.name, { version: one.version, text: one.text, snapshot: lost });
        const after = (await stored())[0];
        const isChanged = JSON.stringify(before) !== JSON.stringify(after);
        if (outcome.outcome === 'written') {
          const first = carriedOut.get(one.name);
          // A forced write of a device that left a full ledger is the one thing that may be made again.
          const isForgotten = count > devices && isChanged;
          if (first !== undefined && !isForgotten)
            expect([one.name, outcome.version, isChanged]).toEqual([one.name, first, false]);
          else expect(after).toEqual([one.text, outcome.version]);
          carriedOut.set(one.name, outcome.version);
          if (isChanged && one.version === -1 && before !== undefined) kept.push(lost.snapshotId);
        } else if (outcome.outcome === 'mismatch') {
          expect(isChanged).toBe(false);
          if (outcome.carriedOut === false) expect([one.name, carriedOut.get(one.name)]).toEqual([one.name, undefined]);
          else expect(count).toBeGreaterThan(devices);
          known = outcome.current?.version ?? 'absent';
        } else throw new Error(outcome.outcome);
      };

      for (let step = 0; step < 250; step += 1) {
        const what = pick(10);
        if (what === 0 && kept.length > 0) {
          const snapshotId = kept[pick(kept.length)] ?? '';
          const request = { key: { ...owner('a'), snapshotId }, sessionId: null, quotas: quotas(10), now: 6 };
          expect(
            await store.restoreSnapshot({ ...request, snapshot: snapshot(`undo-${step}`, { max: 1_000 }) }),
          ).toMatchObject({ outcome: 'restored' });
        } else if (what <= 4 && sent.length > 0) {
          // Of each device only the last write may be unanswered, and come again.
          const last = new Map(sent.map((one) => [one.name.split(':')[0], one]));
          await send([...last.values()][pick(last.size)] ?? (sent[0] as (typeof sent)[number]));
        } else {
          const version = what === 9 ? -1 : what === 8 ? 'absent' : known;
          const one = { name: `device-${pick(count)}:${step}`, version, text: `{"step":${step}}` };
          sent.push(one);
          await send(one);
        }
      }
      expect(carriedOut.size).toBeGreaterThan(20);
    });
  });

  describe('what stands beside a value', () => {
    beforeEach(begin);

    const times = async () => (await read()).map((entry) => entry.times);

    it('stays until a write brings another, and is cleared by an empty one', async () => {
      await write(null);
      expect((await read())[0]).not.toHaveProperty('times');
      await write('d:1', { version: 0, times: '{"a":1}' });
      expect(await times()).toEqual(['{"a":1}']);
      await write('d:2', { version: 1 });
      await write(null);
      await write('d:3');
      expect(await times()).toEqual(['{"a":1}']);
      await write('d:4', { times: '{"a":2,"b.c":3}' });
      expect(await times()).toEqual(['{"a":2,"b.c":3}']);
      await write(null, { version: 5, times: '{}' });
      expect((await read())[0]).not.toHaveProperty('times');
      await write(null, { key: 'new', version: 'absent', times: '{"a":1}' });
      expect(await times()).toEqual([undefined, '{"a":1}']);
    });

    it('comes with a mismatch, and with all entries', async () => {
      await write(null, { times: '{"a":1}' });
      expect(await write('d:1', { version: 4 })).toMatchObject({ current: { times: '{"a":1}' } });
      expect((await store.readProfile(owner('a')))?.entries).toMatchObject([{ times: '{"a":1}' }]);
    });

    it('is kept with the value that loses, and comes back with it', async () => {
      const restore = (snapshotId: string) =>
        store.restoreSnapshot({
          key: { ...owner('a'), snapshotId },
          sessionId: null,
          quotas: quotas(10),
          snapshot: snapshot(`undo-${snapshotId}`),
          now: 6,
        });
      await write(null, { text: '{"n":1}' });
      await write(null, { text: '{"n":2}', times: '{"a":2}', snapshot: snapshot('without') });
      await write('d:1', { text: '{"n":3}', times: '{"a":3}', snapshot: snapshot('with') });
      const kept = async (snapshotId: string) =>
        (await store.readSnapshot({ key: { ...owner('a'), snapshotId }, now: 6 }))?.entries[0];
      expect(await kept('without')).not.toHaveProperty('times');
      expect(await kept('with')).toMatchObject({ text: '{"n":2}', times: '{"a":2}' });
      await restore('with');
      expect(await times()).toEqual(['{"a":2}']);
      await restore('without');
      expect(await times()).toEqual([undefined]);
      await restore('undo-without');
      expect(await times()).toEqual(['{"a":2}']);
    });
  });

  describe('a snapshot that is added twice', () => {
    beforeEach(begin);

    const add = (text: string, max = 100) => {
      const entry = { collection: 'c', key: 'k', text, version: -1, changedAt: 5 };
      return store.addSnapshot({
        owner: owner('a'),
        sessionId: null,
        entry,
        snapshot: snapshot('same', { max }),
        now: 5,
      });
    };

    it('is kept once, as it was the first time', async () => {
      const outcomes = await Promise.all(Array.from({ length: 10 }, (_, n) => add(`{"n":${n}}`)));
      expect(outcomes.every(({ outcome }) => outcome === 'kept')).toBe(true);
      expect(await snapshots()).toHaveLength(1);
      const before = await store.readSnapshot({ key: { ...owner('a'), snapshotId: 'same' }, now: 6 });
      expect(await add('{"n":99}', 1)).toEqual({ outcome: 'kept' });
      expect(await store.readSnapshot({ key: { ...owner('a'), snapshotId: 'same' }, now: 6 })).toEqual(before);
    });
  });
}
