import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlacedRecord } from '../../../src/backend/stores/records.js';
import { openSqlite, type SqliteConnection } from '../../../src/backend/stores/sqlite/connection.js';
import { openSqliteStore, type SqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import {
  key,
  loginQuotas,
  newLink,
  newSession,
  owner,
  quotas,
  scope,
  sessionOf,
  snapshot,
} from './contract-records.js';

const large = 80;
/** Ten of them are more than a MiB. */
const notes = 'x'.repeat(110_000);

/** The turns of the event loop while a read goes on: what others do in each, and how many entries are read in each. */
function watchTurns() {
  let inTurn = 0;
  return {
    count(rows: number): void {
      inTurn += rows;
    },
    async during<Result>(task: () => Promise<Result>, others = async (_turn: number): Promise<void> => {}) {
      const turns: number[] = [];
      let isOver = false;
      inTurn = 0;
      const turn = async (): Promise<void> => {
        turns.push(inTurn);
        inTurn = 0;
        await others(turns.length);
        if (!isOver) await new Promise((next) => setImmediate(next)).then(turn);
      };
      const last = new Promise((next) => setImmediate(next)).then(turn);
      const result = await task();
      isOver = true;
      await last;
      return { result, turns };
    },
  };
}

describe('a store on SQLite that reads large accounts', () => {
  let store: SqliteStore;
  let opened: SqliteConnection | undefined;
  let turns: ReturnType<typeof watchTurns>;
  let writes = 0;

  const write = (accountId: string, name: string, max = 100, more = notes) =>
    store.updateEntry({
      owner: owner(accountId),
      sessionId: null,
      collection: 'world',
      key: name,
      text: `{"n":${++writes},"notes":"${more}"}`,
      version: -1,
      snapshot: snapshot(`s-${++writes}`, { max }),
      quotas: quotas(10_000),
      now: 5,
    });
  const name = (index: number) => `chunk-${String(index).padStart(4, '0')}`;
  const sides = () => store.readConflictSides({ scope, ticket: 'ticket', device: 'here', now: 6 });

  beforeEach(async () => {
    turns = watchTurns();
    writes = 0;
    const open = async (file: string) => {
      const connection = await openSqlite(file);
      opened = connection;
      return {
        ...connection,
        run(statement: Parameters<typeof connection.run>[0]) {
          const found = connection.run(statement);
          if (found[0] !== undefined && 'body' in found[0]) turns.count(found.length);
          return found;
        },
      };
    };
    // Every slice is over at once.
    const slices = () => ({ isOver: () => true, pause: () => new Promise<void>((next) => setImmediate(next)) });
    store = await openSqliteStore({ file: ':memory:' }, { open, slices });
    for (const [id, device] of [
      ['local', 'here'],
      ['cloud', 'there'],
    ] as const) {
      const link = newLink('device', device);
      const session = sessionOf(id, `session-${id}`, key('device', device), device);
      await store.ensureAccount({ link, accountId: id, session, now: 1 });
      await Promise.all(Array.from({ length: large }, (_, index) => write(id, name(index))));
    }
    await store.openTicket({
      ...key('device', 'there'),
      linkRevision: 0,
      ticket: 'ticket',
      localId: 'local',
      sessionId: 'session-local',
      cloudId: 'cloud',
      device: 'here',
      expiresAt: 1_000,
      choice: null,
      resolvedSessionId: null,
    });
  });
  afterEach(() => store.close());

  const collection = () =>
    store.readCollection({ owner: owner('local'), sessionId: 'session-local', collection: 'world' });
  /** The cloud account's save is chosen, which keeps a snapshot of the local one. */
  const choose = (choice: 'cloud' | 'merge' = 'cloud') =>
    store.resolveConflict({
      ...{ scope, ticket: 'ticket', device: 'here', choice, now: 6 },
      merge: choice === 'cloud' ? null : { writes: [], restsOn: asWritten, quotas: quotas(10_000) },
      quotas: loginQuotas,
      session: newSession('chosen'),
      snapshots: [snapshot('of-local'), snapshot('of-cloud')],
    });
  const asWritten = (() => {
    const side = Array.from({ length: large }, (_, index) => ({ collection: 'world', key: name(index), version: 0 }));
    return { local: side, cloud: side };
  })();
  const restore = (accountId: string, snapshotId = '', undo = 'undo') =>
    store.restoreSnapshot({
      key: { ...owner(accountId), snapshotId },
      sessionId: null,
      quotas: quotas(10_000),
      snapshot: snapshot(undo),
      now: 6,
    });
  const newestOf = async (accountId: string) =>
    (await store.listSnapshots({ owner: owner(accountId), now: 6 }))[0]?.snapshotId;
  const keptOf = (snapshotId: string) =>
    store.readSnapshot({ key: { ...owner('cloud'), snapshotId }, now: 6 }).then((kept) => kept?.entries);
  const names = Array.from({ length: large }, (_, n) => name(n));

  it('says how large a collection is before it reads more than a few entries of it, and waits', async () => {
    const asked: number[] = [];
    const { result, turns: read } = await turns.during(() =>
      store.readCollection({
        owner: owner('local'),
        sessionId: 'session-local',
        collection: 'world',
        grows(bytes) {
          asked.push(bytes);
          const next = () => new Promise<void>((resolve) => setImmediate(resolve));
          return next().then(next).then(next);
        },
      }),
    );
    const bytes = result?.reduce((sum, { text }) => sum + text.length, 0);
    expect(asked).toEqual([bytes]);
    const first = read.indexOf(10);
    expect(read.slice(first, first + 4)).toEqual([10, 0, 0, 0]);
    // Whoever waits holds none of them, and begins anew.
    const readIn = (turns: readonly number[]) => turns.reduce((sum, rows) => sum + rows, 0);
    expect(readIn(read)).toBe(10 + large);
    const request = { owner: owner('local'), sessionId: 'session-local', collection: 'world', grows: () => null };
    const atOnce = await turns.during(() => store.readCollection(request));
    expect([atOnce.result, readIn(atOnce.turns)]).toEqual([result, large]);
  });

  it('reads about a MiB in a slice, and all entries in their order', async () => {
    const profile = await turns.during(() => store.readProfile(owner('local')));
    expect(profile.result?.entries.map(({ key }) => key)).toEqual(names);
    expect(profile.turns.filter((rows) => rows > 0)).toEqual([9, 9, 9, 9, 9, 9, 9, 9, 8]);
    const both = await turns.during(sides);
    expect([both.result?.local.length, both.result?.cloud.length]).toEqual([large, large]);
    expect(Math.max(...both.turns)).toBe(9);
    const one = await turns.during(collection);
    expect(one.result?.map(({ key }) => key)).toEqual(names);
    expect(one.turns.filter((rows) => rows > 0)).toEqual([10, 9, 9, 9, 9, 9, 9, 9, 7]);
  });

  it('reads no more in a slice where small entries come before large ones', async () => {
    for (let index = 0; index < 300; index += 1) await write('local', `a-${index}`, 100, '');
    const one = await turns.during(collection);
    expect(one.result).toHaveLength(large + 300);
    const read = one.turns.filter((rows) => rows > 0);
    expect(read.slice(0, 3)).toEqual([10, 200, 90 + 9]);
    expect(Math.max(...read.slice(3))).toBe(9);
  });

  it('answers a collection as it is when the last of it is read, and reads again only what has changed', async () => {
    const { result, turns: read } = await turns.during(collection, async (turn) => {
      if (turn === 3)
        await Promise.all([write('local', name(0)), write('local', name(large - 1)), write('local', 'zz')]);
      if (turn === 6) await write('local', name(1));
    });
    expect(result?.map(({ key }) => key)).toEqual([...names, 'zz']);
    const now = await collection();
    expect(result).toEqual(now);
    expect(result?.filter(({ version }) => version > 0).map(({ key }) => key)).toEqual([
      name(0),
      name(1),
      name(large - 1),
    ]);
    // All of it, the new one, the two that had been read by then, and what each write looks at.
    expect(read.reduce((sum, rows) => sum + rows, 0)).toBe(large + 1 + 2 + 4);
  });

  it('answers no collection to a player who was signed out meanwhile', async () => {
    const { result } = await turns.during(collection, async (turn) => {
      if (turn === 5) await store.endSession({ ...owner('local'), sessionId: 'session-local' });
    });
    expect(result).toBeNull();
  });

  it('reads what a choice keeps ahead, and keeps what is there as it is made', async () => {
    const { result, turns: read } = await turns.during(
      () => choose(),
      async (turn) => {
        if (turn === 4)
          await Promise.all([write('local', name(0)), write('local', name(large - 1)), write('local', 'zz')]);
      },
    );
    expect(result.outcome).toBe('resolved');
    expect(Math.max(...read)).toBeLessThan(large / 2);
    const kept = await keptOf('of-local');
    expect(kept?.map(({ key }) => key)).toEqual([...names, 'zz']);
    expect(kept?.filter(({ version }) => version > 0).map(({ key }) => key)).toEqual([name(0), name(large - 1)]);
    expect(kept).toEqual((await store.readProfile(owner('local')))?.entries);
  });

  it('makes no merge of what somebody has written while it was read', async () => {
    const { result } = await turns.during(
      () => choose('merge'),
      async (turn) => {
        if (turn === 4) await write('cloud', name(0));
      },
    );
    expect(result).toEqual({ outcome: 'stale' });
    expect((await choose('merge')).outcome).toBe('stale');
  });

  it('reads a large snapshot in many turns, letter for letter, one in a single line too', async () => {
    const odd = '"\\n,\n€😀\u2028';
    await write('local', 'odd', 100, odd);
    await choose();
    const texts = (entries: readonly PlacedRecord[] | undefined) => entries?.map(({ key, text }) => [key, text]);
    const there = texts((await store.readProfile(owner('local')))?.entries);
    const inLines = await turns.during(() => keptOf('of-local'));
    expect(texts(inLines.result)).toEqual(there);
    // One for each entry, and some around them.
    expect(inLines.turns.length).toBeGreaterThan(large);
    opened?.exec(
      "UPDATE snapshots SET entries = replace(entries, ',' || char(10), ',') WHERE snapshot_id = 'of-local'",
    );
    const inOneLine = await turns.during(() => keptOf('of-local'));
    expect(texts(inOneLine.result)).toEqual(there);
    expect(inOneLine.turns.length).toBeLessThan(10);
  });

  it('reads again what a merge has noted an origin of meanwhile', async () => {
    const { result } = await turns.during(
      () => store.readProfile(owner('cloud')),
      async (turn) => {
        if (turn !== 3) return;
        opened?.exec(`UPDATE entries SET origins = '{"local":"s"}' WHERE account_id = 'cloud'`);
        opened?.exec(`INSERT INTO snapshots (account_id, environment, game_id, snapshot_id, created_at, expires_at, reason,
            from_id, entry_count, bytes, ordinal, entries)
          SELECT account_id, environment, game_id, 's', 5, 1000, 'merge', 'local', 0, 0, 1, '[]'
            FROM accounts WHERE account_id = 'cloud'`);
      },
    );
    expect(result?.entries.map(({ origins }) => origins)).toEqual(names.map(() => '{"local":"s"}'));
  });

  it('writes a snapshot back over what is there by then, and keeps that', async () => {
    await choose();
    const { result, turns: read } = await turns.during(
      () => restore('cloud', 'of-local'),
      async (turn) => {
        if (turn === large + 5) await write('cloud', name(0), 100, 'of the last moment');
      },
    );
    expect(result.outcome).toBe('restored');
    expect(Math.max(...read)).toBeLessThan(large / 2);
    const kept = await keptOf('undo');
    expect(kept?.map(({ version }) => version)).toEqual([1, ...names.slice(1).map(() => 0)]);
    expect(kept?.[0]?.text).toContain('of the last moment');
  });

  it('reads one account ahead at a time, and the others as they are carried out', async () => {
    await Promise.all(['local', 'cloud'].map((accountId) => write(accountId, name(0))));
    const { result, turns: read } = await turns.during(() =>
      Promise.all(
        ['local', 'cloud'].map(async (accountId) => restore(accountId, await newestOf(accountId), `undo-${accountId}`)),
      ),
    );
    expect(result.map(({ outcome }) => outcome)).toEqual(['restored', 'restored']);
    // The second one has read its account by the time that the first has read its first slice or two.
    const [first = 0] = read.filter((rows) => rows >= large);
    expect(first).toBeGreaterThanOrEqual(large);
    expect(read.filter((rows) => rows > 0 && rows < large).length).toBeGreaterThan(5);
    // The place is free again.
    const kept = await newestOf('local');
    const again = await turns.during(() => restore('local', kept, 'again'));
    expect(Math.max(...again.turns)).toBeLessThan(large);
  });

  it('restores no snapshot that gave way to another one while it was read', async () => {
    await write('local', name(0));
    const kept = await newestOf('local');
    const { result } = await turns.during(
      () => restore('local', kept),
      async (turn) => {
        if (turn === 1) await write('local', name(1), 1);
      },
    );
    expect(result).toEqual({ outcome: 'no_snapshot' });
    expect((await collection())?.[0]?.version).toBe(1);
  });

  it.each([
    ['once', 1],
    ['without end', 1_000],
  ])('answers what was there at one moment where somebody writes meanwhile, %s', async (_, times) => {
    const { result } = await turns.during(sides, async (turn) => {
      if (turn < 3 || turn >= 3 + times) return;
      await write('cloud', name(0));
      await write('cloud', name(large - 1));
    });
    expect(result?.cloud).toHaveLength(large);
    const versionOf = (n: number) => result?.cloud.find(({ key }) => key === name(n))?.version ?? Number.NaN;
    // They are written in turn: at any moment the first one is as far as the last one, or one write ahead.
    expect([0, 1]).toContain(versionOf(0) - versionOf(large - 1));
  });

  it('answers nothing where the conflict has ended meanwhile', async () => {
    const { result } = await turns.during(sides, async (turn) => {
      if (turn === 5) await store.endSession({ ...owner('local'), sessionId: 'session-local' });
    });
    expect(result).toBeNull();
  });
});
