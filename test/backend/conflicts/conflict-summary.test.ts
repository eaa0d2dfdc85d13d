import { describe, expect, it, vi } from 'vitest';
import {
  type SummaryReading,
  summarizeConflict,
  summarizeSide,
} from '../../../src/backend/conflicts/conflict-summary.js';
import { readConflictSides } from '../../../src/backend/conflicts/conflicts.js';
import type { Service } from '../../../src/backend/service.js';
import { createSlices } from '../../../src/backend/slices.js';
import type { EntriesRequest } from '../../../src/backend/stores/entry-requests.js';
import type { Owner, PlacedRecord } from '../../../src/backend/stores/records.js';
import { compareNames } from '../../../src/backend/stores/rules/held-entries.js';

const owner = { gameId: 'game', environment: 0 as const, accountId: 'account' };
const account = {
  ...owner,
  createdAt: 1,
  lastSeenAt: 1,
  orphanedAt: null,
  deletedAt: null,
  deletedBy: null,
  ban: null,
};

function entries(count: number, text: (index: number) => string): PlacedRecord[] {
  return Array.from({ length: count }, (_, index) => {
    return { collection: 'world', key: keyOf(index), text: text(index), version: index, changedAt: index };
  });
}

const keyOf = (index: number): string => `chunk-${String(index).padStart(4, '0')}`;

const idOf = (accountId: string): Owner => ({ ...owner, accountId });
const both = { local: idOf('local'), cloud: idOf('cloud') };

/** A store that has these entries, and the largest page of values that was read from it, in bytes. */
function storeOf(accounts: { [accountId: string]: PlacedRecord[] }) {
  const seen = { pages: 0, largest: 0 };
  const after = ({ owner: { accountId }, after, max }: EntriesRequest): PlacedRecord[] | null => {
    const placed = accounts[accountId];
    if (placed === undefined) return null;
    return placed.filter((entry) => after === null || compareNames(entry, after) > 0).slice(0, max);
  };
  const store: SummaryReading['store'] = {
    listEntries: async (request) =>
      after(request)?.map(({ text, ...entry }) => ({ ...entry, bytes: Buffer.byteLength(text) })) ?? null,
    async readEntries(request) {
      const page = after(request);
      seen.pages += 1;
      seen.largest = Math.max(seen.largest, page?.reduce((sum, { text }) => sum + text.length, 0) ?? 0);
      return page;
    },
    readAccount: async ({ accountId }) =>
      accounts[accountId] === undefined ? null : { account: { ...account, accountId }, links: [] },
  };
  return { store, seen, accounts };
}

/** A clock on which each look takes so many ms, and the longest time between two pauses. */
function timed(msPerLook: number) {
  let now = 0;
  let resumedAt = 0;
  const seen = { pauses: 0, longestMs: 0 };
  const clock = () => {
    now += msPerLook;
    seen.longestMs = Math.max(seen.longestMs, now - resumedAt);
    return now;
  };
  const pause = async () => {
    seen.pauses += 1;
    resumedAt = now;
  };
  return { slices: createSlices(clock, pause), seen };
}

const show = Array.from({ length: 32 }, (_, index) => {
  return { collection: 'world', key: keyOf(index), field: 'n', label: `n${index}` };
});

describe('the summary of a conflict', () => {
  it('of two large profiles lets others be served after every 8 ms and one entry', async () => {
    const { store } = storeOf({
      local: entries(2_000, (index) => `{"n":${index},"by":"a"}`),
      cloud: entries(2_000, (index) => (index % 2 === 0 ? `{"by":"a", "n":${index}.0}` : `{"n":${index}}`)),
    });
    const { slices, seen } = timed(2);
    const summary = await summarizeConflict({ store, slices }, both, show);
    // For each name: one look for either entry, two for their values, and one before these are compared.
    expect(seen.pauses).toBeGreaterThan((2_000 * 5 * 2) / 10 - 10);
    expect(seen.longestMs).toBeLessThanOrEqual(8 + 2 * 2);
    const unhurried = timed(0);
    expect(await summarizeConflict({ store, slices: unhurried.slices }, both, show)).toEqual(summary);
    expect(unhurried.seen.pauses).toBe(0);
    expect(summary).toMatchObject({ kind: 'diverged', ahead: null, local: { entries: 2_000 } });
    expect(summary?.diff.filter(({ same }) => !same)).toHaveLength(200);
    expect(summary?.cloud.fields[31]).toEqual({ ...show[31], value: 31 });
  });

  it('lets others be served between the two values of an entry, and before these are compared', async () => {
    let [now, resumedAt, longestMs] = [0, 0, 0];
    const slices = createSlices(
      () => now,
      async () => {
        resumedAt = now;
      },
    );
    const parse = JSON.parse;
    vi.spyOn(JSON, 'parse').mockImplementation((text) => {
      now += 9;
      longestMs = Math.max(longestMs, now - resumedAt);
      return parse(text);
    });
    const { store } = storeOf({ local: entries(10, () => '{"n":1}'), cloud: entries(10, () => '{"n":1 }') });
    const summary = await summarizeConflict({ store, slices }, both, show);
    vi.restoreAllMocks();
    expect(summary?.diff.map(({ same }) => same)).toEqual(new Array(10).fill(true));
    expect(longestMs).toBe(9);
  });

  it('of one account, too', async () => {
    const { slices, seen } = timed(2);
    const { store } = storeOf({ local: entries(500, () => '{"é":1}') });
    const summary = await summarizeSide({ store, slices }, both.local, show);
    expect(summary?.side).toMatchObject({ entries: 500, bytes: 500 * 8, changedAt: 499 });
    expect(seen.pauses).toBeGreaterThan(90);
    expect(seen.longestMs).toBeLessThanOrEqual(8 + 2 * 2);
  });

  it('holds a few pages of values, however large the accounts are, and each value once', async () => {
    const large = () => entries(60, (index) => `"${String(index).repeat(150_000).slice(0, 150_000)}"`);
    const { store, seen } = storeOf({ local: large(), cloud: large() });
    const summary = await summarizeConflict({ store, slices: timed(0).slices }, both, show);
    expect(summary).toMatchObject({
      ahead: 'cloud',
      kind: 'fast-forward',
      local: { entries: 60 },
      cloud: { entries: 60 },
    });
    expect(seen).toEqual({ pages: 2 * 60, largest: 150_002 });
  });

  it('leaves out no entry where others come in between while it is read', async () => {
    const names = (from: number) =>
      entries(40, (index) => `"${index}${'x'.repeat(100_000)}"`).filter((_, index) => index % 4 >= from);
    const { store, accounts } = storeOf({ local: names(2), cloud: names(0) });
    const read = store.readEntries;
    store.readEntries = async (request) => {
      const page = await read(request);
      accounts['local'] = names(0);
      return page;
    };
    const summary = await summarizeSide({ store, slices: timed(0).slices }, both.local, []);
    // That of the last one, which was there all the time.
    expect(summary?.side.changedAt).toBe(39);
    const { ahead } = (await summarizeConflict({ store, slices: timed(0).slices }, both, [])) ?? {};
    expect(ahead).toBe('cloud');
  });

  it.each([
    ['only the local account has something', [3], [], 'local'],
    ['only the cloud has something', [], [3], 'cloud'],
    ['nobody has anything', [], [], 'cloud'],
    ['both have the same', [3], [3], 'cloud'],
    ['the local account has more', [3, 4], [4], 'local'],
    ['the cloud has more', [3], [2, 3], 'cloud'],
    ['each has something of its own', [3], [4], null],
  ])('says who is ahead where %s', async (_, mine, theirs, ahead) => {
    const of = (kept: readonly number[]) =>
      entries(6, (index) => `{"n":${index}}`).filter((_, at) => kept.includes(at));
    const { store } = storeOf({ local: of(mine), cloud: of(theirs) });
    const summary = await summarizeConflict({ store, slices: timed(0).slices }, both, []);
    expect(summary).toMatchObject({ ahead, kind: ahead === null ? 'diverged' : 'fast-forward' });
    expect(summary?.diff.map(({ key }) => key).sort()).toEqual([...new Set([...mine, ...theirs])].map(keyOf).sort());
  });

  it('is none where an account is gone', async () => {
    const { store } = storeOf({ local: entries(1, () => '{}') });
    const reading = { store, slices: timed(0).slices };
    expect(await summarizeConflict(reading, both, [])).toBeNull();
    expect(await summarizeSide(reading, both.cloud, [])).toBeNull();
  });
});

describe('both sides of a conflict', () => {
  it('are answered in parts, none of which is a copy of all their values', async () => {
    const large = entries(2_000, (index) => `{"n":${index}}`);
    const weighed: number[] = [];
    const service = {
      now: () => 0,
      wholeReads: (_: unknown, read: (weigh: (bytes: number) => void) => Promise<unknown>) =>
        read((bytes) => void weighed.push(bytes)),
      store: {
        findConflict: async () => ({ local: { accountId: 'local' } }),
        readConflictSides: async () => ({ local: large, cloud: large, merged: [] }),
      },
    } as unknown as Service;
    const holder = { scope: { gameId: 'game', environment: 0 as const }, ticket: 'ticket', device: 'device' };
    const parts = await readConflictSides(service, holder);
    const sides = JSON.parse(parts.join(''));
    expect([sides.local, sides.cloud, sides.merged].map(({ length }) => length)).toEqual([2_000, 2_000, 0]);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(100);
    expect(weighed).toEqual([2 * large.reduce((sum, entry) => sum + entry.text.length, 0)]);
  });
});
