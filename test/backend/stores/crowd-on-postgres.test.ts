import { afterAll, beforeAll, expect, it } from 'vitest';
import { grouped, printFigures } from '../../support/figures.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { type ServiceProcess, storeProcesses } from '../../support/store-processes.js';
import { letCrowdIn } from './crowd.js';
import { disorders } from './disorders.js';

const rounds = process.env['PROVE'] === '1' ? 350 : 20;

describeOnPostgres('PostgreSQL', (newSchema) => {
  const database = newSchema();
  const programs = storeProcesses();
  let services: [ServiceProcess, ServiceProcess];

  beforeAll(async () => {
    const place = { kind: 'postgres', url: database.url, schema: database.schema } as const;
    services = [await programs.serve(place), await programs.serve(place)];
  });
  afterAll(async () => {
    await programs.end();
    await database.drop();
  });

  it('two processes and a crowd that does everything at once', { timeout: 300_000 }, async () => {
    const start = performance.now();
    const { steps, raised, wrong } = await letCrowdIn(services, { rounds, random: createRandom(20_260_115) });
    const seconds = (performance.now() - start) / 1_000;
    expect(wrong).toEqual([]);
    const select = async (text: string) =>
      (await database.pool.query(text.replaceAll('@', `"${database.schema}".`))).rows as { [column: string]: string }[];
    for (const [disorder, text] of Object.entries(disorders))
      expect([disorder, await select(text)]).toEqual([disorder, []]);
    const entries = await select('SELECT account_id, version, body FROM @entries');
    const found = entries.map(({ account_id, version, body }) => [account_id, { version: Number(version), body }]);
    const told = [...raised].map(([userId, n]) => [userId, { version: n - 1, body: JSON.stringify({ n }) }]);
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(told));
    const counts = [...steps].map(([step, count]) => `${step} ${grouped(count)}`).sort();
    printFigures(
      `everything at once on PostgreSQL, 2 processes, ${seconds.toFixed(0)} s: ${counts.join(', ')}; ` +
        '0 lost updates, 0 disorders, no 5xx but 503',
    );
  });
});

/** The same order of choices at every run; who is first to reach the database is not. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
