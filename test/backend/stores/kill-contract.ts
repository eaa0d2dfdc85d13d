import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryStore, type Store } from '../../../src/backend/index.js';
import { migrations } from '../../../src/backend/stores/sql/migrations.js';
import { grouped, printFigures } from '../../support/figures.js';
import { readEntries, signInGuest, writeEntry } from '../../support/service.js';
import { type StorePlace, storeProcesses } from '../../support/store-processes.js';
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
  snapshot,
} from './contract-records.js';

const kills = process.env['PROVE'] === '1' ? 10 : 4;

export interface KillPlan {
  /** A new place with nothing in it. */
  place: () => StorePlace;
  /** Opens what is there, in this process. */
  open: (place: StorePlace, steps?: typeof migrations) => Promise<Store & { close(): Promise<void> }>;
}

/** What has to be there after `kill -9`, whatever was going on. */
export function describeKills(name: string, { place, open }: KillPlan): void {
  describe(`kill -9 of a service ${name}`, () => {
    const programs = storeProcesses();
    afterAll(() => programs.end());

    it(`${kills} times during writes loses none that was answered`, { timeout: 120_000 }, async () => {
      const home = place();
      const writers = Array.from({ length: 8 }, (_, index) => ({ key: `k${index}`, told: -1 }));
      let kept = 0;
      let slowestMs = 0;
      let service = await programs.serve(home);
      const player = await signInGuest(service);
      for (let kill = 1; kill <= kills; kill += 1) {
        let answered = 0;
        const enough = 5 + 7 * kill;
        const write = async (writer: { key: string; told: number }): Promise<void> => {
          for (;;) {
            const { told } = writer;
            const request = { key: writer.key, value: { n: told + 1 }, version: told };
            const { status, body } = await writeEntry(service, player, request);
            if (status !== 200) throw new Error(`${status} ${body.code}`);
            writer.told = body.version;
            answered += 1;
            if (answered === enough) await service.kill();
          }
        };
        const ends = await Promise.allSettled(writers.map(write));
        expect(answered).toBeGreaterThanOrEqual(enough);
        expect(ends.map((end) => (end.status === 'rejected' ? (end.reason as Error).name : ''))).toEqual(
          writers.map(() => 'TypeError'),
        );
        const killed = Date.now();
        service = await programs.serve(home);
        const { status, body } = await readEntries(service, player);
        expect(status).toBe(200);
        const restartMs = Date.now() - killed;
        expect(restartMs).toBeLessThan(10_000);
        slowestMs = Math.max(slowestMs, restartMs);
        const found = new Map((body as { key: string }[]).map((entry) => [entry.key, entry]));
        for (const writer of writers) {
          const entry = found.get(writer.key) as { version: number; value: { n: number } } | undefined;
          const version = entry?.version ?? -1;
          // What was sent and not answered may be there; nothing else, and no half of it.
          expect([writer.told, writer.told + 1]).toContain(version);
          expect(entry?.value.n ?? -1).toBe(version);
          writer.told = version;
        }
        kept += answered;
      }
      printFigures(
        `kill -9 ${name}: ${kills} kills, ${grouped(kept)} of ${grouped(kept)} answered writes there, ` +
          `serving again within ${slowestMs} ms`,
      );
    });

    const request = (choice: 'local' | 'cloud' | 'merge') => ({
      scope,
      ticket: 'hash',
      device: 'two',
      choice,
      merge:
        choice === 'merge'
          ? {
              writes: ['a', 'n'].map((entry) => ({ collection: 'c', key: entry, text: '{"m":1}' })),
              restsOn: {
                local: [{ collection: 'c', key: 'a', version: 0 }],
                cloud: ['a', 'b'].map((entry) => ({ collection: 'c', key: entry, version: 0 })),
              },
              quotas: quotas(10),
            }
          : null,
      session: newSession('new'),
      snapshots: [snapshot('other'), snapshot('own')] as const,
      now: 100,
      quotas: loginQuotas,
    });

    describe.each(['local', 'cloud', 'merge'] as const)('inside the choice %s', (choice) => {
      const pictures = { before: '', after: '' };

      beforeAll(async () => {
        const store = createMemoryStore();
        await makeConflict(store);
        pictures.before = await pictureOf(store);
        await store.resolveConflict(request(choice));
        pictures.after = await pictureOf(store);
      });

      it.each([
        ['after the first of its writes', { at: 'INSERT INTO .*snapshots', when: 'after' }, 'before'],
        ['before its commit', { at: '^COMMIT', when: 'before' }, 'before'],
        ['before its answer', { at: '^COMMIT', when: 'after' }, 'after'],
      ] as const)('%s', { timeout: 60_000 }, async (_, death, expected) => {
        const home = place();
        const first = await open(home);
        await makeConflict(first);
        await first.close();
        expect(await programs.run({ store: home, resolution: request(choice), death })).toBe('SIGKILL');
        const store = await open(home);
        expect(await pictureOf(store)).toBe(pictures[expected]);
        expect((await store.resolveConflict(request(choice))).outcome).toBe('resolved');
        expect(await pictureOf(store)).toBe(pictures.after);
        await store.close();
      });
    });

    it('inside a migration leaves the schema before it', { timeout: 60_000 }, async () => {
      const migration = [
        'CREATE TABLE @later (name text)',
        'INSERT INTO @later (name) SELECT account_id FROM @accounts',
      ];
      const home = place();
      const first = await open(home);
      await makeConflict(first);
      const before = await pictureOf(first);
      await first.close();
      for (const death of [
        { at: 'CREATE TABLE .*later', when: 'after' },
        { at: 'INSERT INTO .*later', when: 'after' },
      ] as const) {
        expect(await programs.run({ store: home, migration, death })).toBe('SIGKILL');
        const store = await open(home);
        expect(await pictureOf(store)).toBe(before);
        await store.close();
      }
      const migrated = await open(home, [...migrations, migration]);
      expect(await pictureOf(migrated)).toBe(before);
      await migrated.close();
    });
  });
}

async function makeConflict(store: Store): Promise<void> {
  await store.ensureAccount({ link: newLink('name', 'ada', { credential: 'hash' }), accountId: 'cloud', now: 1 });
  await store.ensureAccount({ link: newLink('device', 'two'), accountId: 'local', now: 1 });
  await openSession(store, sessionOf('local', 'local-session', key('device', 'two'), 'two'));
  await openSession(store, sessionOf('cloud', 'elsewhere', key('name', 'ada'), 'three'));
  for (const [accountId, entry] of [
    ['local', 'a'],
    ['cloud', 'a'],
    ['cloud', 'b'],
  ] as const) {
    await store.updateEntry({
      owner: owner(accountId),
      sessionId: null,
      collection: 'c',
      key: entry,
      text: JSON.stringify({ of: accountId }),
      version: 'absent',
      snapshot: snapshot('none'),
      quotas: quotas(10),
      now: 5,
    });
  }
  const link = await store.findLink(key('name', 'ada'));
  await store.openTicket({
    ...key('name', 'ada'),
    ticket: 'hash',
    linkRevision: link?.revision ?? 0,
    localId: 'local',
    sessionId: 'local-session',
    cloudId: 'cloud',
    device: 'two',
    expiresAt: 1_000,
    choice: null,
    resolvedSessionId: null,
  });
}

/** All that a choice can change, as text: the same for every store, for each counts the revisions of links in its own way. */
async function pictureOf(store: Store): Promise<string> {
  const sides = ['local', 'cloud'].map(async (accountId) => ({
    profile: await store.readProfile(owner(accountId)),
    sessions: await store.listSessions(owner(accountId)),
    snapshots: await store.listSnapshots({ owner: owner(accountId), now: 100 }),
  }));
  const links = [await store.findLink(key('name', 'ada')), await store.findLink(key('device', 'two'))];
  return JSON.stringify({ sides: await Promise.all(sides), links }, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .filter(([name]) => !('linkedAt' in value && name === 'revision'))
            .sort(([left], [right]) => (left < right ? -1 : 1)),
        )
      : value,
  );
}
