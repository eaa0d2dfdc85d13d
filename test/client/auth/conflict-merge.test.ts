import type { Client, JsonObject } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MergeRules } from '../../../src/merge/rules.js';
import { codeOf, createWorld, meetConflict, ok, quiet, until, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const sentTo = (end: string): { body: string }[] => world.sent.filter(({ path }) => path.endsWith(end));

async function write(client: Client, entries: { [key: string]: JsonObject }): Promise<void> {
  const progress = client.profile.collection('progress');
  for (const [key, value] of Object.entries(entries)) await progress.set(key, value);
  await progress.flush();
}

/** What the service holds for the account that this client is. */
async function held(client: Client): Promise<{ [key: string]: JsonObject }> {
  const entries = await client.profile.collection('progress').load();
  return Object.fromEntries(entries.map(({ key, value }) => [key, value]));
}

/** A conflict with a level of 7 at the owner's, of 2 here, and a bag on each side. */
async function meetMerge(rules: MergeRules, options: Parameters<typeof meetConflict>[1] = {}) {
  const met = await meetConflict(world, options);
  await write(met.first, { bag: { coins: 10, items: ['sword'] } });
  await write(met.second, { bag: { coins: 5, items: ['shield'] }, fresh: { only: 'here' } });
  met.second.profile.collection('progress', { merge: rules });
  return met;
}

const rules: MergeRules = { level: 'max', coins: 'sum', items: 'union' };

describe('the choice merge', () => {
  it("becomes the owner's account, with the rules applied to both profiles", async () => {
    const { second, own, owner, conflict, pending, events } = await meetMerge(rules);
    expect(conflict.mergeable).toBe(true);
    const result = { success: true, userId: owner };
    expect(await conflict.resolve('merge')).toEqual(result);
    expect(await pending).toEqual(result);
    expect(second.auth).toMatchObject({ userId: owner, state: 'linked' });
    expect(second.conflict).toBeNull();
    expect(events.at(-1)).toEqual(['initialized', { userId: owner, reason: 'merge' }]);
    expect(events.filter(([name]) => name === 'initialized')).toHaveLength(1);
    expect(second.profile.collection('progress').get('main')).toEqual({ level: 7 });
    const { bag, ...rest } = await held(second);
    expect(bag).toMatchObject({ coins: 15, items: ['sword', 'shield'] });
    expect(rest).toEqual({ main: { level: 7 }, fresh: { only: 'here' } });
    expect(own).not.toBe(owner);
  });

  it.each([0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 64])(
    'counts once what is set %i turns after the player has chosen',
    async (turns) => {
      const { second, conflict } = await meetMerge(rules);
      const chosen = conflict.resolve('merge');
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
      const progress = second.profile.collection('progress');
      const bag = progress.get('bag') as { coins: number; items: string[] };
      await progress.set('bag', { coins: bag.coins + 100, items: [...bag.items, 'gem'] });
      ok(await chosen);
      await progress.flush();
      expect((await held(second))['bag']).toMatchObject({ coins: 115, items: ['sword', 'shield', 'gem'] });
    },
  );

  it("sends what differs from the cloud's, and every version that it rests on", async () => {
    const { conflict } = await meetMerge(rules);
    await conflict.resolve('merge');
    const { entries, rests_on } = JSON.parse(sentTo('/conflict')[0]?.body ?? '');
    expect(entries.map(({ key }: { key: string }) => key)).toEqual(['bag', 'fresh']);
    const at = (key: string) => ({ collection: 'progress', key, version: 0 });
    expect(rests_on).toEqual({ local: [at('bag'), at('fresh'), at('main')], cloud: [at('bag'), at('main')] });
  });

  it("leaves the cloud's where there is no rule, and adds what only one side has", async () => {
    const { second, conflict } = await meetMerge({});
    await conflict.resolve('merge');
    expect(await held(second)).toEqual({
      bag: { coins: 10, items: ['sword'] },
      main: { level: 7 },
      fresh: { only: 'here' },
    });
  });

  it('asks a policy with both values, and sends what it changed in them as well', async () => {
    const { second, conflict } = await meetMerge(({ base, local, cloud }) =>
      Object.assign(cloud, { base, levels: [local['level'] ?? 0, cloud['level'] ?? 0] }),
    );
    ok(await conflict.resolve('merge'));
    expect(await held(second)).toMatchObject({ main: { base: null, levels: [2, 7] }, fresh: { only: 'here' } });
  });

  it('gives the same outcome where the answer was lost, and writes once', async () => {
    const { first, owner, conflict } = await meetMerge(rules);
    world.backend.control.fail({ route: 'resolveConflict', with: 'lost-answer' });
    expect(ok(await conflict.resolve('merge')).userId).toBe(owner);
    expect(await first.profile.collection('progress').load()).toMatchObject([
      { key: 'bag', version: 1, value: { coins: 15 } },
      { key: 'fresh', version: 0 },
      { key: 'main', version: 0 },
    ]);
  });

  it('can be asked for again where every answer was lost', async () => {
    const { first, owner, conflict, pending } = await meetMerge(rules);
    world.backend.control.fail({ route: 'resolveConflict', with: 'lost-answer', times: 3 });
    expect(codeOf(await conflict.resolve('merge'))).toBe('network');
    expect(ok(await conflict.resolve('merge')).userId).toBe(owner);
    expect(ok(await pending).userId).toBe(owner);
    expect(await held(first)).toMatchObject({ bag: { coins: 15 } });
  });

  it('stays open where the sides cannot be read', async () => {
    const { second, conflict, owner } = await meetMerge(rules);
    world.backend.control.fail({ route: 'readConflictSides', with: 'offline', times: 3 });
    expect(codeOf(await conflict.resolve('merge'))).toBe('network');
    expect(second.conflict).toBe(conflict);
    expect(ok(await conflict.resolve('merge')).userId).toBe(owner);
  });

  it('ends as stale where a side has moved, and nothing has changed', async () => {
    const { first, second, own, conflict, pending } = await meetMerge(rules);
    world.backend.control.fail({ route: 'resolveConflict', with: 'slow' });
    const choice = conflict.resolve('merge');
    await until(() => sentTo('/conflict').length === 1);
    await write(first, { bag: { coins: 11 } });
    world.backend.control.release();
    expect(codeOf(await choice)).toBe('conflict_stale');
    expect(codeOf(await pending)).toBe('conflict_stale');
    expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
    expect(await held(first)).toEqual({ bag: { coins: 11 }, main: { level: 7 } });
  });

  it.each<[string, MergeRules]>([
    [
      'throws',
      () => {
        throw new Error('a bug of the game');
      },
    ],
    ['gives what is no object', (() => null) as never],
    ['makes what cannot be stored', { level: () => Number.NaN }],
  ])('fails where a rule %s: reported, still open, nothing changed', async (_, broken) => {
    const { first, second, own, owner, conflict } = await meetMerge(broken);
    const before = await held(first);
    expect(codeOf(await conflict.resolve('merge'))).toBe('merge_failed');
    expect(world.reported).toHaveLength(1);
    expect(second.auth).toMatchObject({ userId: own, state: 'conflict' });
    expect(second.conflict).toBe(conflict);
    expect(sentTo('/conflict')).toHaveLength(0);
    expect(await held(first)).toEqual(before);
    expect(ok(await conflict.resolve('cloud')).userId).toBe(owner);
  });

  it('stays open where what it makes is too large', async () => {
    const { second, conflict, first } = await meetMerge(({ local, cloud }) => ({ ...local, ...cloud }));
    const half = 'x'.repeat(100_000);
    await write(first, { main: { a: half } });
    await write(second, { main: { b: half } });
    expect(codeOf(await conflict.resolve('merge'))).toBe('merge_failed');
    expect(second.conflict).toBe(conflict);
  });

  it('stays open where the game does not allow it', async () => {
    world.end();
    world = createWorld({ accountMerge: false });
    const { second, own, conflict, pending } = await meetMerge(rules);
    expect(conflict.mergeable).toBe(false);
    expect(codeOf(await conflict.resolve('merge'))).toBe('merge_not_allowed');
    expect(second.auth).toMatchObject({ userId: own, state: 'conflict' });
    expect(ok(await conflict.resolve('local')).userId).toBe(own);
    expect(ok(await pending).userId).toBe(own);
  });

  it('stays open when it is aborted', async () => {
    const { second, own, conflict } = await meetMerge(rules);
    const stop = new AbortController();
    world.backend.control.fail({ route: 'readConflictSides', with: 'slow' });
    const choice = conflict.resolve('merge', { signal: stop.signal });
    await until(() => sentTo('/sides').length === 1);
    stop.abort();
    expect(codeOf(await choice)).toBe('aborted');
    expect(second.auth).toMatchObject({ userId: own, state: 'conflict' });
    ok(await conflict.resolve('merge'));
  });

  it('is one choice at a time with the others', async () => {
    const { owner, conflict } = await meetMerge(rules);
    const [merge, again, cloud] = await Promise.all([
      conflict.resolve('merge'),
      conflict.resolve('merge'),
      conflict.resolve('cloud'),
    ]);
    expect(merge).toEqual({ success: true, userId: owner });
    expect(again).toEqual(merge);
    expect(codeOf(cloud)).toBe('conflict_pending');
    expect(sentTo('/conflict')).toHaveLength(1);
  });

  it('is left by a sign-out while the sides are read: nothing is chosen', async () => {
    const { second, conflict, pending, first } = await meetMerge(rules);
    const before = await held(first);
    world.backend.control.fail({ route: 'readConflictSides', with: 'slow' });
    const choice = conflict.resolve('merge');
    await until(() => sentTo('/sides').length === 1);
    ok(await second.auth.signOut());
    world.backend.control.restore();
    expect(codeOf(await choice)).toBe('conflict_cancelled');
    expect(codeOf(await pending)).toBe('conflict_cancelled');
    await quiet();
    expect(sentTo('/conflict')).toHaveLength(0);
    expect(second.auth.state).toBe('signedOut');
    expect(await held(first)).toEqual(before);
  });
});

describe('what a choice made lose', () => {
  const text = async (client: Client): Promise<string> =>
    JSON.stringify((await client.profile.collection('progress').load()).map(({ key, value }) => [key, value]));

  it.each(['local', 'cloud', 'merge'] as const)('to %s is restored byte for byte', async (choice) => {
    const { first, second, own, owner, conflict } = await meetMerge(rules);
    const [lost, from] = choice === 'local' ? [first, owner] : [second, own];
    const before = await text(lost);
    ok(await conflict.resolve(choice));
    const snapshot = (await second.account.snapshots()).find(({ fromUserId }) => fromUserId === from);
    expect(snapshot).toMatchObject({ reason: choice });
    const restored = await second.account.restore(snapshot?.id ?? '');
    expect(restored.map(({ key }) => key)).toEqual(JSON.parse(before).map(([key]: [string]) => key));
    const after = JSON.parse(await text(second)) as [string, unknown][];
    const keys = new Set(restored.map(({ key }) => key));
    expect(JSON.stringify(after.filter(([key]) => keys.has(key)))).toBe(before);
  });

  it("to merge is restored on the owner's side as well", async () => {
    const { first, second, owner, conflict } = await meetMerge(rules);
    const before = await held(first);
    ok(await conflict.resolve('merge'));
    expect(await held(second)).not.toMatchObject(before);
    const snapshot = (await second.account.snapshots()).find(({ fromUserId }) => fromUserId === owner);
    await second.account.restore(snapshot?.id ?? '');
    expect(await held(second)).toEqual({ ...before, fresh: { only: 'here' } });
  });
});
