import { type ClientConfig, createClient } from 'savepoint';
import { createPostgresStore } from 'savepoint/backend/postgres';
import { afterAll, expect, it } from 'vitest';
import type { Store } from '../../src/backend/stores/store.js';
import { describeOnPostgres, type TestSchema } from '../support/on-postgres.js';
import type { Program } from './program.js';
import { gameId, type Served, setUpServe } from './served.js';

const patient = { timeout: 60_000, interval: 20 };
/** What a game is told of a service that does not write for a while. What it has set is on its device meanwhile. */
const waitedOut = new Set(['unavailable', 'network', 'timeout']);
type Game = Awaited<ReturnType<typeof startGame>>;

/** A game that sets and sends one number after the other, whatever it is answered, until it is told to end. */
async function startGame(baseUrl: string) {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  const answers: number[] = [];
  const asked: ClientConfig['fetch'] = async (request) => {
    const answer = await fetch(request);
    answers.push(answer.status);
    return answer;
  };
  const client = createClient({ gameId, environment: 0, baseUrl, storage, fetch: asked });
  expect((await client.init()).success).toBe(true);
  const progress = client.profile.collection<{ n: number }>('progress');
  const failures = new Set<string>();
  /** The last number that the game has set, and the last that it was told is kept. */
  const at = { set: 0, kept: 0, isOver: false };
  async function play(): Promise<void> {
    while (!at.isOver) {
      at.set += 1;
      const n = at.set;
      await progress.set('main', { n });
      await progress.flush().then(
        () => {
          at.kept = n;
        },
        (error) => failures.add(error.code),
      );
    }
  }
  return { client, progress, userId: client.auth.userId as string, answers, failures, at, playing: play() };
}

/** Holds a move where it copies, until each game has given a flush up, or has written on. */
async function hold(move: Program, games: readonly Game[]): Promise<void> {
  await expect.poll(move.stderr, patient).toContain('copy [');
  move.child.kill('SIGSTOP');
  const before = games.map(({ at }) => at.kept);
  for (const [index, { at, failures }] of games.entries()) {
    await expect.poll(() => failures.size > 0 || at.kept > (before[index] ?? 0) + 1, patient).toBe(true);
  }
  move.child.kill('SIGCONT');
}

describeOnPostgres('savepoint move from a database that a service goes on to serve', (newSchema) => {
  const [former, latter] = [newSchema(), newSchema()];
  const { serve, startProgram, whole, endAll } = setUpServe();
  const address = ({ url, schema }: TestSchema): string => `${url}?schema=${schema}`;
  const serveOn = (schema: TestSchema, args: string[] = []): Promise<Served> =>
    serve(args, { env: { ...whole(), SAVEPOINT_STORE: address(schema) } });
  const numbersIn = (store: Store, games: readonly Game[]): Promise<number[]> =>
    Promise.all(
      games.map(async ({ userId: accountId }) => {
        const owner = { gameId, environment: 0, accountId } as const;
        const entries = await store.readCollection({ owner, sessionId: null, collection: 'progress' });
        return JSON.parse(entries?.[0]?.text ?? '{}').n;
      }),
    );
  afterAll(async () => {
    await endAll();
    for (const schema of [former, latter]) await schema.drop();
  });

  it('loses nothing that a running game was told is kept, and the games go on once the service has the new one', {
    timeout: 240_000,
  }, async () => {
    const service = await serveOn(former);
    // What takes the move a while.
    await former.pool.query(
      `INSERT INTO "${former.schema}".nonces (nonce, game_id, expires_at)
       SELECT 'nonce-' || n, 'none', 9000000000000000 FROM generate_series(1, 60000) n`,
    );
    const games = await Promise.all(Array.from({ length: 4 }, () => startGame(service.url)));
    try {
      for (const { at } of games) await expect.poll(() => at.kept, patient).toBeGreaterThan(5);
      const env = { SAVEPOINT_STORE: address(former), SAVEPOINT_MOVE_TO: address(latter) };
      const move = startProgram(['move'], { env });
      // For longer than a call takes at most: what waits for the tables is given up, by the database and by the games.
      if (process.env['PROVE']) await hold(move, games);
      expect(await move.ended, move.stderr()).toBe(0);
      for (const { answers } of games) await expect.poll(() => answers.at(-1), patient).toBe(503);
      const told = games.map(({ at }) => at.kept);
      const store = await createPostgresStore({ pool: latter.pool, schema: latter.schema });
      for (const [index, n] of (await numbersIn(store, games)).entries()) {
        expect(n).toBeGreaterThanOrEqual(told[index] ?? Number.NaN);
      }

      service.child.kill('SIGTERM');
      await service.ended;
      await serveOn(latter, ['--port', new URL(service.url).port]);
      for (const [index, { at }] of games.entries()) {
        await expect.poll(() => at.kept, patient).toBeGreaterThan((told[index] ?? 0) + 1);
      }
      for (const { at } of games) at.isOver = true;
      for (const { playing, client, userId, failures } of games) {
        await playing;
        await client.profile.flush();
        expect(client.auth.userId).toBe(userId);
        expect([...failures].filter((code) => !waitedOut.has(code))).toEqual([]);
      }
      expect(await numbersIn(store, games)).toEqual(games.map(({ at }) => at.set));
    } finally {
      for (const { at, client } of games) {
        at.isOver = true;
        client.dispose();
      }
    }
  });
});
