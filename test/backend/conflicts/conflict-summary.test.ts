import { describe, expect, it, vi } from 'vitest';
import { summarizeConflict, summarizeSide } from '../../../src/backend/conflicts/conflict-summary.js';
import { readConflictSides } from '../../../src/backend/conflicts/conflicts.js';
import type { Service } from '../../../src/backend/service.js';
import { createSlices } from '../../../src/backend/slices.js';
import type { PlacedRecord, ProfileRecord } from '../../../src/backend/stores/records.js';

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

function profile(count: number, text: (index: number) => string): ProfileRecord {
  const entries: PlacedRecord[] = Array.from({ length: count }, (_, index) => {
    return { collection: 'world', key: `chunk-${index}`, text: text(index), version: index, changedAt: index };
  });
  return { account, links: [], entries };
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
  return { collection: 'world', key: `chunk-${index}`, field: 'n', label: `n${index}` };
});

describe('the summary of a conflict', () => {
  it('of two large profiles lets others be served after every 8 ms and one entry', async () => {
    const mine = profile(2_000, (index) => `{"n":${index},"by":"a"}`);
    const theirs = profile(2_000, (index) => (index % 2 === 0 ? `{"by":"a", "n":${index}.0}` : `{"n":${index}}`));
    const { slices, seen } = timed(2);
    const summary = await summarizeConflict({ local: mine, cloud: theirs }, show, slices);
    // Two measures, two lists of fields and a comparison: a look for each step.
    expect(seen.pauses).toBeGreaterThan((2_000 * 3 * 2) / 10 - 10);
    expect(seen.longestMs).toBeLessThanOrEqual(8 + 2 * 2);
    const unhurried = timed(0);
    expect(await summarizeConflict({ local: mine, cloud: theirs }, show, unhurried.slices)).toEqual(summary);
    expect(unhurried.seen.pauses).toBe(0);
    expect(summary).toMatchObject({ kind: 'diverged', ahead: null, local: { entries: 2_000 } });
    expect(summary.diff.filter(({ same }) => !same)).toHaveLength(200);
    expect(summary.cloud.fields[31]).toEqual({ ...show[31], value: 31 });
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
    const mine = profile(10, () => '{"n":1}');
    const summary = await summarizeConflict({ local: mine, cloud: profile(10, () => '{"n":1 }') }, [], slices);
    vi.restoreAllMocks();
    expect(summary.diff.map(({ same }) => same)).toEqual(new Array(10).fill(true));
    expect(longestMs).toBe(9);
  });

  it('of one account, too', async () => {
    const { slices, seen } = timed(2);
    const side = await summarizeSide(
      profile(500, () => '{"é":1}'),
      show,
      slices,
    );
    expect(side).toMatchObject({ entries: 500, bytes: 500 * 8, changedAt: 499 });
    expect(seen.pauses).toBeGreaterThan(100);
    expect(seen.longestMs).toBeLessThanOrEqual(8 + 2 * 2);
  });
});

describe('both sides of a conflict', () => {
  it('are answered in parts, none of which is a copy of all their values', async () => {
    const large = profile(2_000, (index) => `{"n":${index}}`).entries;
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
