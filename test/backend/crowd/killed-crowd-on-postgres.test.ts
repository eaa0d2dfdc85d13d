import { afterAll, expect, it } from 'vitest';
import { grouped, printFigures } from '../../support/figures.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { storeProcesses } from '../../support/store-processes.js';
import { disorders } from '../stores/disorders.js';
import { createRandom } from '../stores/writers.js';
import { createCrowd } from './crowd.js';
import { crowdQuotas } from './guard-acts.js';
import type { FoundEntry } from './ledger.js';
import { startProcesses } from './processes.js';
import { startSdkPlayer } from './sdk-player.js';

const isProof = process.env['PROVE'] === '1';
/** `npm run prove` looks for new cases each time. CROWD_SEED shows one again, as far as the machine is as fast. */
const seed = Number(process.env['CROWD_SEED'] ?? (isProof ? Date.now() % 1e9 : 20_261_122));
const proofMs = 60_000;
/** How many persons, of whom each does so many things, and players with the SDK. */
const size = isProof
  ? { persons: 24, sdkPlayers: 6, rounds: Number.POSITIVE_INFINITY }
  : { persons: 10, sdkPlayers: 2, rounds: 12 };

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const programs = storeProcesses();
  afterAll(async () => {
    await programs.end();
    await database.drop();
  });

  const select = async (text: string) =>
    (await database.pool.query(text.replaceAll('@', `"${database.schema}".`))).rows as { [column: string]: string }[];

  /** What the tables hold of every account, whether anything leads to it or not. */
  async function entriesByAccount(): Promise<Map<string, FoundEntry[]>> {
    const all = new Map<string, FoundEntry[]>();
    for (const row of await select('SELECT account_id, key, version, body FROM @entries')) {
      const { account_id: userId = '', key = '', version, body = '' } = row;
      all.set(userId, [...(all.get(userId) ?? []), { key, version: Number(version), text: body }]);
    }
    return all;
  }

  it('a crowd that does everything at once loses nothing, and sees nobody else, whichever process is killed', {
    timeout: 300_000,
  }, async () => {
    const random = createRandom(seed);
    const strange: string[] = [];
    const processes = await startProcesses({
      serve: () =>
        programs.serve({ kind: 'postgres', url: database.url, schema: database.schema }, { quotas: crowdQuotas }),
      answersPerKill: isProof ? 700 : 200,
      random,
      wrong: (what) => void strange.push(what),
    });
    const crowd = createCrowd(processes, { seed, size: size.persons });
    const sdkPlayers = await Promise.all(
      Array.from({ length: size.sdkPlayers }, (_, at) => startSdkPlayer(`sdk-${at}`, { processes, random })),
    );
    const start = performance.now();
    const isOver = (round: number) => round >= size.rounds || (isProof && performance.now() - start > proofMs);
    await Promise.all([crowd, ...sdkPlayers].map((one) => one.play(isOver)));
    const seconds = (performance.now() - start) / 1_000;
    await processes.settle();
    if (crowd.wrong.length === 0) await crowd.checkSessions();
    for (const player of sdkPlayers) strange.push(...(await player.check()));
    for (const player of sdkPlayers) player.dispose();

    const there = await entriesByAccount();
    for (const userId of crowd.ledger.accounts()) {
      const problems = crowd.ledger.finalProblems(userId, there.get(userId) ?? []);
      const owner = crowd.persons.find(({ accounts }) => accounts.some((account) => account.userId === userId));
      for (const problem of problems) owner?.wrong(`at the end, ${userId}: ${problem}`);
    }
    if (crowd.wrong.length > 0) throw new Error(crowd.report());
    expect(strange).toEqual([]);
    for (const [disorder, text] of Object.entries(disorders))
      expect([disorder, await select(text)]).toEqual([disorder, []]);
    const { answers, lost, unavailable, kills } = processes.figures;
    expect(kills).toBeGreaterThan(0);
    const done = crowd.done();
    const things = [...done.values()].reduce((sum, times) => sum + times, 0);
    const changes = sdkPlayers.reduce((sum, player) => sum + player.changes(), 0);
    printFigures(
      `everything at once on PostgreSQL, 2 processes, ${seconds.toFixed(0)} s, ${kills} times kill -9: ` +
        `${grouped(things)} things of ${done.size} kinds, ${grouped(answers)} answers, ${grouped(lost)} lost ones asked ` +
        `again, ${grouped(unavailable)} times 503; ${grouped(crowd.ledger.count())} acknowledged writes and ` +
        `${grouped(changes)} changes by the SDK, 0 lost, 0 wrong sessions (seed ${seed})`,
    );
  });
});
