import { afterAll, beforeAll, expect, it } from 'vitest';
import { grouped, printFigures } from '../../support/figures.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { type ServiceProcess, storeProcesses } from '../../support/store-processes.js';
import { letCrowdIn } from './crowd.js';

const rounds = process.env['PROVE'] === '1' ? 350 : 20;

/** What must never be found, whoever came across whom. Each gives rows where it is. */
const disorders = {
  'a link of an account that is not there': `
    SELECT link_hash FROM @links l WHERE NOT EXISTS (SELECT 1 FROM @accounts a WHERE a.account_id = l.account_id)`,
  'an account that does not know its link': `
    SELECT account_id FROM @links GROUP BY account_id
      HAVING count(*) <> (SELECT count(*) FROM @account_links k WHERE k.account_id = @links.account_id)`,
  'a link that only its account knows': `
    SELECT account_id FROM @account_links k WHERE NOT EXISTS (SELECT 1 FROM @links l WHERE l.account_id = k.account_id)`,
  'a subject with two owners': `
    SELECT method, subject FROM @account_links GROUP BY game_id, environment, method, subject HAVING count(*) > 1`,
  'an account with two names': `
    SELECT account_id FROM @account_links WHERE method <> 'device' GROUP BY account_id, method HAVING count(*) > 1`,
  'a link with two revisions': `
    SELECT l.link_hash FROM @links l WHERE NOT EXISTS (SELECT 1 FROM @account_links k
      WHERE k.account_id = l.account_id AND k.revision = l.revision)`,
  'a session of an account that nothing leads to': `
    SELECT session_id FROM @sessions s JOIN @accounts a USING (account_id) WHERE a.orphaned_at IS NOT NULL`,
  'an account that nothing leads to, and that is not orphaned': `
    SELECT account_id FROM @accounts a WHERE orphaned_at IS NULL
      AND NOT EXISTS (SELECT 1 FROM @account_links k WHERE k.account_id = a.account_id)`,
  'an orphaned account that something leads to': `
    SELECT account_id FROM @accounts a WHERE orphaned_at IS NOT NULL
      AND EXISTS (SELECT 1 FROM @account_links k WHERE k.account_id = a.account_id)`,
};

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
