import { beforeEach, describe, expect, it } from 'vitest';
import type { Owner, PlacedRecord } from '../../../src/backend/stores/records.js';
import type { MergeRequest } from '../../../src/backend/stores/requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  key,
  loginQuotas,
  newLink,
  newSession,
  openSession,
  owner,
  quotas,
  scope,
  sessionOf,
} from './contract-records.js';
import { createRandom, createWriter, missing, newSnapshot, type Writer, writeDuring } from './writers.js';

const isProof = process.env['PROVE'] === '1';
const sizes = [
  { entries: 2, rounds: isProof ? 60 : 3 },
  { entries: 400, rounds: isProof ? 6 : 1 },
];
const now = 100;
const random = createRandom(20_261_122);

/** Two accounts, a conflict between them that is open, and who writes in them. */
interface World {
  store: Store;
  local: Owner;
  cloud: Owner;
  ticket: string;
  device: string;
  /** A snapshot of the local account, of an entry that the tablet writes. */
  snapshotId: string;
  writers: {
    /** The session that the conflict is of. */
    player: Writer;
    /** Another one in the local account, which no choice ends. */
    tablet: Writer;
    /** In the cloud account, by the method and on a strange device: the choice Local ends it. */
    stranger: Writer;
    /** In the cloud account, on a device of its own. */
    owner: Writer;
    /** The game's back end, in each account. */
    gameOfLocal: Writer;
    gameOfCloud: Writer;
  };
}

let worlds = 0;

async function makeWorld(store: Store, entries: number): Promise<World> {
  worlds += 1;
  const id = worlds;
  const [local, cloud] = [owner(`local-${id}`), owner(`cloud-${id}`)];
  const [device, name] = [`device-${id}`, key('name', `ada-${id}`)];
  await store.ensureAccount({ link: newLink('device', device), accountId: local.accountId, now: 1 });
  const { link } = await store.ensureAccount({
    link: newLink('name', name.subject),
    accountId: cloud.accountId,
    now: 1,
  });
  await store.linkMethod({
    quotas: loginQuotas,
    owner: cloud,
    session: null,
    link: newLink('device', `own-${id}`),
    now: 1,
  });
  const session = async (of: Owner, sessionId: string, ...via: [typeof name, string]): Promise<string> => {
    expect(await openSession(store, sessionOf(of.accountId, sessionId, ...via))).toBe(true);
    return sessionId;
  };
  const writer = (of: Owner, sessionId: string | null) => createWriter(store, of, sessionId, random);
  const player = await session(local, `player-${id}`, key('device', device), device);
  const writers = {
    player: writer(local, player),
    tablet: writer(local, await session(local, `tablet-${id}`, key('device', device), `tablet-${id}`)),
    stranger: writer(cloud, await session(cloud, `stranger-${id}`, name, `strange-${id}`)),
    owner: writer(cloud, await session(cloud, `owner-${id}`, name, `own-${id}`)),
    gameOfLocal: writer(local, null),
    gameOfCloud: writer(cloud, null),
  };
  const ticket = `ticket-${id}`;
  const { accountId: localId } = local;
  const { revision: linkRevision, accountId: cloudId } = link;
  const more = { expiresAt: 10_000, choice: null, resolvedSessionId: null };
  await store.openTicket({ ...name, ticket, linkRevision, localId, cloudId, sessionId: player, device, ...more });
  await Promise.all([local, cloud].map((of) => fill(store, of, entries)));
  for (const each of Object.values(writers)) await each.write();
  const snapshotId = await keepOther(store, writers.tablet);
  return { store, local, cloud, ticket, device, snapshotId, writers };
}

async function fill(store: Store, of: Owner, entries: number): Promise<void> {
  for (let index = 0; index < entries; index += 1) {
    await store.updateEntry({
      owner: of,
      sessionId: null,
      collection: 'c',
      key: `filler-${index}`,
      text: JSON.stringify({ of: of.accountId, notes: 'x'.repeat(200) }),
      version: 'absent',
      snapshot: newSnapshot(),
      quotas: quotas(10_000),
      now: 5,
    });
  }
}

/** A snapshot that would overwrite what a writer has written. */
async function keepOther(store: Store, { owner: of, acknowledged }: Writer): Promise<string> {
  const [first] = acknowledged.values();
  const kept = newSnapshot();
  const entry = { collection: 'c', key: first?.key ?? '', text: '{"restored":true}', version: -1, changedAt: 6 };
  await store.addSnapshot({ owner: of, sessionId: null, entry, snapshot: kept, now: 6 });
  return kept.snapshotId;
}

async function entriesOf(store: Store, of: Owner): Promise<PlacedRecord[]> {
  return (await store.readProfile(of))?.entries ?? [];
}

async function snapshotOf(store: Store, of: Owner, snapshotId: string): Promise<PlacedRecord[]> {
  return (await store.readSnapshot({ key: { ...of, snapshotId }, now }))?.entries ?? [];
}

/** What was acknowledged, and is not in the account. */
async function lost(store: Store, writers: readonly Writer[], ...kept: PlacedRecord[][]) {
  const all = writers.map(async (writer) => missing(writer, await entriesOf(store, writer.owner), ...kept));
  return (await Promise.all(all)).flat();
}

/** Carries a choice out, with those who write meanwhile, and answers the two snapshots that it kept. */
async function choose(world: World, choice: 'local' | 'cloud', among: readonly Writer[]) {
  const { store, ticket, device, local, cloud } = world;
  const snapshots = [newSnapshot(), newSnapshot()] as const;
  const session = newSession(`chosen-${ticket}`);
  const request = { scope, ticket, device, choice, merge: null, session, snapshots, now, quotas: loginQuotas };
  const resolved = await writeDuring(among, () => store.resolveConflict(request));
  expect(resolved.outcome).toBe('resolved');
  return snapshotOf(store, choice === 'local' ? local : cloud, snapshots[0].snapshotId);
}

/** What a client's merge would be: the local entries, and a new version of each of the cloud's that a writer may have. */
function mergeOf(sides: { local: PlacedRecord[]; cloud: PlacedRecord[] }): MergeRequest {
  const merged = sides.cloud.filter(({ key: name }) => name.startsWith('w'));
  const writes = [
    ...sides.local.map(({ collection, key: name, text }) => ({ collection, key: name, text })),
    ...merged.map(({ collection, key: name }) => ({ collection, key: name, text: '{"merged":true}' })),
  ];
  return { writes, restsOn: sides, quotas: quotas(10_000) };
}

/** Writers who go on through everything that takes an account from them: what was acknowledged is never lost. */
export function describeWriters(create: () => Store | Promise<Store>): void {
  let store: Store;
  beforeEach(async () => {
    store = await create();
  });

  describe.each(sizes)('writers in profiles of $entries entries', ({ entries, rounds }) => {
    const inRounds = (name: string, go: (world: World) => Promise<void>): void => {
      it(name, { timeout: isProof ? 600_000 : 60_000 }, async () => {
        for (let round = 0; round < rounds; round += 1) await go(await makeWorld(store, entries));
      });
    };

    inRounds('the choice Cloud keeps what they were told is written', async (world) => {
      const { player, tablet, gameOfLocal } = world.writers;
      const before = [tablet, gameOfLocal].flatMap(({ acknowledged }) => [...acknowledged.values()]);
      const kept = await choose(world, 'cloud', Object.values(world.writers));
      expect(player.refused).toBe('no_session');
      expect(missing(player, kept)).toEqual([]);
      for (const { key: name, version } of before) {
        expect(kept.find((entry) => entry.key === name)?.version).toBeGreaterThanOrEqual(version);
      }
      expect(await lost(store, Object.values(world.writers))).toEqual([]);
    });

    inRounds('the choice Local keeps what they were told is written', async (world) => {
      const { stranger, owner: own } = world.writers;
      const kept = await choose(world, 'local', Object.values(world.writers));
      expect([stranger.refused, own.refused]).toEqual(['no_session', null]);
      expect(missing(stranger, kept)).toEqual([]);
      expect(await lost(store, Object.values(world.writers))).toEqual([]);
    });

    inRounds('a merge rests on what they were told is written', async (world) => {
      const { cloud, ticket, device, writers } = world;
      const all = Object.values(writers);
      const snapshots = [newSnapshot(), newSnapshot()] as const;
      for (let isResolved = false; !isResolved; ) {
        const sides = await store.readConflictSides({ scope, ticket, device, now });
        const merge = mergeOf(sides ?? { local: [], cloud: [] });
        const session = newSession(`merged-${ticket}`);
        const request = {
          scope,
          ticket,
          device,
          choice: 'merge' as const,
          merge,
          session,
          snapshots,
          now,
          quotas: loginQuotas,
        };
        // Whoever writes first ends the attempt, so that only some write at a time, before it or after it.
        const among = all.filter(() => random(4) === 0);
        const early = random(3) === 0 ? among.map((writer) => writer.write()) : [];
        const choosing = store.resolveConflict(request);
        await Promise.all([...early, ...(early.length > 0 ? [] : among.map((writer) => writer.write()))]);
        isResolved = (await choosing).outcome === 'resolved';
      }
      const [ofLocal, ofCloud] = [
        await snapshotOf(store, cloud, snapshots[0].snapshotId),
        await snapshotOf(store, cloud, snapshots[1].snapshotId),
      ];
      await writers.player.write();
      expect(writers.player.refused).toBe('no_session');
      expect(missing(writers.player, ofLocal)).toEqual([]);
      expect(await lost(store, all, ofCloud)).toEqual([]);
    });

    inRounds('nothing is written after a deletion, a sign-out everywhere, or the end of a session', async (world) => {
      const { local, cloud, writers } = world;
      const { player, tablet, stranger, owner: own, gameOfLocal, gameOfCloud } = writers;
      const all = Object.values(writers);
      const sessionId = own.sessionId ?? '';
      const events: [Owner, readonly Writer[], () => Promise<unknown>][] = [
        [local, [player], () => store.endSession({ ...local, sessionId: player.sessionId ?? '' })],
        [local, [player, tablet], () => store.endSessions(local)],
        [
          cloud,
          [stranger, own, gameOfCloud],
          () =>
            store.deleteAccount({
              session: { ...cloud, sessionId },
              recovery: newLink('recovery', `code-${cloud.accountId}`),
              now,
            }),
        ],
      ];
      for (const [of, ended, event] of events) {
        const there = await writeDuring(all, async () => {
          await event();
          return entriesOf(store, of);
        });
        for (const writer of ended) expect(missing(writer, there)).toEqual([]);
        expect(ended.map(({ refused }) => refused)).toEqual(
          ended.map((writer) => (writer === gameOfCloud ? 'deleted' : 'no_session')),
        );
      }
      expect(gameOfLocal.refused).toBeNull();
      expect(await lost(store, all)).toEqual([]);
    });

    inRounds('restored accounts and snapshots keep what they were told is written', async (world) => {
      const { local, cloud, device, snapshotId, writers } = world;
      const all = Object.values(writers);
      await writeDuring(all, () =>
        store.restoreAccount({ quotas: loginQuotas, owner: cloud, link: newLink('device', device), now }),
      );
      expect(await lost(store, all)).toEqual([]);
      const undone = newSnapshot();
      const request = { key: { ...local, snapshotId }, sessionId: null, quotas: quotas(10_000), snapshot: undone, now };
      const restored = await writeDuring(all, () => store.restoreSnapshot(request));
      expect(restored.outcome).toBe('restored');
      expect(await lost(store, all, await snapshotOf(store, local, undone.snapshotId))).toEqual([]);
    });
  });
}
