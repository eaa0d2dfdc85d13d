import { createAdminClient } from 'savepoint/server';
import { afterEach, expect, it, vi } from 'vitest';
import { testOperatorKey } from '../support/operators.js';
import { createWorld, holdTime, meetConflict, ok, pass, type World } from './world.js';

let world: World;
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

/** A player has merged two accounts, by rules that were not meant so, and writes in: the name is all that is known. */
async function wrongMerge() {
  world = createWorld();
  const { second, conflict, own, owner, pending } = await meetConflict(world);
  const progress = second.profile.collection('progress', { merge: { level: 'sum' } });
  ok(await conflict.resolve('merge'));
  ok(await pending);
  expect(progress.get('main')).toEqual({ level: 9 });
  const { gameId, baseUrl, backend } = world.service;
  const admin = createAdminClient({ key: testOperatorKey, baseUrl, fetch: (request) => backend.fetch(request) });
  const players = admin.players({ gameId, environment: 0 });
  const [ada] = await players.find({ name: 'Ada' });
  expect((await players.get(owner)).choice).toMatchObject({ choice: 'merge', fromUserId: own, methods: ['device'] });
  return { second, progress, players, own, owner, user: ada?.userId as string };
}

it('a wrong merge is found by the name and seen, and the running client has the snapshot that is restored within five seconds', async () => {
  const { second, progress, players, owner, user } = await wrongMerge();
  holdTime();
  const snapshots = await players.snapshots(user);
  const before = snapshots.find(({ reason, fromUserId }) => reason === 'merge' && fromUserId === owner);
  second.profile.follow();
  await pass(1_000);
  await players.restoreSnapshot(user, before?.id as string);
  await pass(5_000);
  expect([second.auth.userId, progress.get('main')]).toEqual([owner, { level: 7 }]);
  const { entries } = await players.audit(user);
  expect(entries).toMatchObject([{ action: 'restorePlayerSnapshot', what: { snapshot: before?.id } }]);
});

it('a merge that is taken back leaves both accounts as they were', async () => {
  const { players, own, owner, user } = await wrongMerge();
  const { choice } = await players.get(user);
  const undone = await players.undoChoice(user, choice?.id as string);
  expect(undone).toEqual({ userId: own, methods: ['device'], written: 1 });
  const main = { collection: 'progress', key: 'main' };
  expect((await players.entry(owner, main)).value).toEqual({ level: 7 });
  expect((await players.entry(own, main)).value).toEqual({ level: 2 });
  expect(await players.get(own)).toMatchObject({ deviceCount: 1, sessions: [] });
  expect((await players.get(own)).orphanedAt).toBeUndefined();
});
