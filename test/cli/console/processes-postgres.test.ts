import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { testOperatorKey } from '../../support/operators.js';
import { runCommand } from '../in-process.js';
import { bundleProgram, type Program, start } from '../program.js';
import { ask, listen, openPage } from './page.js';
import { gameId, privateKey } from './served-console.js';

describeOnPostgres('the console of savepoint serve --processes', (newSchema) => {
  const database = newSchema();
  let file: string;
  let signingKey: string;
  let program: Program | undefined;

  beforeAll(async () => {
    const [bundled, key] = await Promise.all([bundleProgram(), runCommand(['new-key', 'signing'])]);
    [file, signingKey] = [bundled, key.out];
  });
  afterEach(() => void program?.child.kill('SIGTERM'));
  afterAll(async () => {
    await program?.ended;
    await database.drop();
  });

  const listening = () =>
    (program?.stdout() ?? '')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
      .filter(({ kind }) => kind === 'listening');

  it('has one session for all processes, which ends in all when the key is taken away or the operator signs out', async () => {
    const store = new URL(database.url);
    store.searchParams.set('schema', database.schema);
    program = start(file, ['serve', '--port', '0', '--processes', '2', '--limit', 'maxConnections=3'], {
      env: {
        SAVEPOINT_GAME_ID: gameId,
        SAVEPOINT_PRIVATE_KEY: privateKey,
        SAVEPOINT_SIGNING_KEY: signingKey,
        SAVEPOINT_OPERATOR_KEY: testOperatorKey,
        SAVEPOINT_STORE: store.href,
      },
    });
    await expect.poll(() => listening().length, { timeout: 20_000, interval: 10 }).toBe(2);
    const [{ url }] = listening();
    const admin = openPage(url);
    expect((await admin.signIn(testOperatorKey)).json().operator.scope).toBe('admin');
    const made = await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: 'grace', scope: 'support' } });
    const page = openPage(url);
    expect((await page.signIn(made.json().key)).json().operator).toEqual({ name: 'grace', scope: 'support' });
    const headers = { cookie: page.cookie() ?? '' };
    // Each request is a connection of its own, and the processes take turns.
    const asked = () =>
      Promise.all(Array.from({ length: 8 }, () => ask(url, '/console/api/v2/admin/games', { headers })));
    expect((await asked()).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await admin.change(`api/v2/admin/keys/${made.json().id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await asked()).map(({ status }) => status)).toEqual(Array(8).fill(401));
    expect((await admin.ask('overview')).json()).toMatchObject({
      storeKind: 'postgres',
      storeBytes: expect.toSatisfy((bytes: number) => bytes > 100_000),
      processes: { told: 2, of: 2 },
    });
    // What any of them answers is counted and shown by all.
    const counted = async () => {
      const { requests } = (await admin.ask('overview')).json() as { requests: { count: number }[] };
      return requests.reduce((sum, { count }) => sum + count, 0);
    };
    const before = await counted();
    const feed = await listen(url, { cookie: admin.cookie() ?? '' });
    const guests = Array.from({ length: 8 }, (_, index) => ({ game_id: gameId, env: 0, device_id: `device-${index}` }));
    await Promise.all(guests.map((body) => ask(url, '/v2/auth/guest', { method: 'POST', body })));
    await expect.poll(() => feed.requests.length, { timeout: 10_000 }).toBe(8);
    expect(new Set(feed.requests.map(({ id }) => id)).size).toBe(8);
    for (let turn = 0; turn < 4; turn += 1) expect(await counted()).toBe(before + 8);
    // Whoever has copied the cookie is nobody in any process soon after the operator has signed out.
    const copied = { headers: { cookie: admin.cookie() ?? '' } };
    const ofThief = () => Promise.all(Array.from({ length: 8 }, () => ask(url, '/console/api/v2/admin/games', copied)));
    expect((await ofThief()).map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect((await admin.ask('session', { method: 'DELETE' })).status).toBe(204);
    const signedOutAt = Date.now();
    await expect
      .poll(async () => (await ofThief()).map(({ status }) => status), { timeout: 5_000, interval: 100 })
      .toEqual(Array(8).fill(401));
    await feed.ended;
    expect(Date.now() - signedOutAt).toBeLessThan(6_000);
  });
});
