import { once } from 'node:events';
import { createServer } from 'node:http';
import { type BackendOptions, createMemoryStore, type Store } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createAdminClient, signRequest } from '../../src/server/index.js';
import { createTestService, testGameId, testPrivateKey } from '../support/service.js';
import { accountDifferences, lateAccountDifferences } from './account-differences.js';
import { type Difference, differences, lateDifference, type Pass } from './differences.js';
import { runCommand } from './in-process.js';
import { lateQuotaDifferences, limitDifferences } from './limit-differences.js';
import { outsideDifferences } from './outside-differences.js';
import { bundleProgram, type Program, start, startDev } from './program.js';

let file: string;
const served: ServedBackend[] = [];
const running: Program[] = [];

const testOperatorKey = 'test-operator-key-0123456789abcdef';
const env = { SAVEPOINT_PRIVATE_KEY: testPrivateKey, SAVEPOINT_OPERATOR_KEY: testOperatorKey };

beforeAll(async () => {
  file = await bundleProgram();
});
afterEach(async () => {
  for (const { child } of running.splice(0)) child.kill('SIGKILL');
  await Promise.all(served.splice(0).map(({ close }) => close()));
});

/** A service with the usual limits on a port of its own, behind a proxy where there is something to plant. */
async function service(
  plant: Difference['plant'] = (pass) => pass,
  options: Pick<BackendOptions, 'allowedOrigins' | 'limits'> = {},
  wrong: Partial<Store> = {},
) {
  const store = createMemoryStore();
  const { backend } = createTestService({
    store: { ...store, ...wrong },
    clock: Date.now,
    operatorKey: testOperatorKey,
    ...options,
    limits: { rates: true, ...options.limits },
  });
  const pass = plant((request) => backend.fetch(request, { address: '203.0.113.9' }));
  const port = await serve({ fetch: pass }, { port: 0 });
  served.push(port);
  return { url: port.url, backend, store };
}

function check(url: string, ...more: string[]): Program {
  const program = start(file, ['check', url, '--game-id', testGameId, ...more], { env });
  running.push(program);
  return program;
}

async function checked(url: string, ...more: string[]) {
  const program = check(url, '--quick', ...more);
  const code = await program.ended;
  return { code, out: program.stdout(), err: program.stderr() };
}

/** The same in this process, which is sooner done. */
function checkedHere(url: string, ...more: string[]) {
  return runCommand(['check', url, '--game-id', testGameId, '--quick', ...more], { env });
}

interface Row {
  what: string;
  holds: boolean;
  expected: string;
  got: string;
}

const differing = (out: string): string[] =>
  (JSON.parse(out).checks as Row[]).filter(({ holds }) => !holds).map(({ what }) => what);

/** A whole check takes a second: `npm test` plants a few differences for each, `npm run prove` one. */
const atOnce = process.env['PROVE'] === '1' ? 1 : 8;

/** Those that are planted together stand far from each other in the list: neighbours change the same answers. */
const differencesAtOnce = ((all: readonly Difference[]) => {
  const apart = Math.ceil(all.length / atOnce);
  return all.slice(0, apart).map((_, first) => {
    const some = all.filter((_, index) => index % apart === first);
    return {
      names: some.map(({ name }) => name).join('; '),
      rows: some.map(({ row }) => row),
      plant: (pass: Pass) => some.reduce((behind, { plant }) => plant(behind), pass),
    };
  });
})([...differences, ...accountDifferences, ...outsideDifferences]);

describe('savepoint check', () => {
  it('passes on the service, with the usual limits on, and shows more than 250 rows', async () => {
    const { url } = await service();
    const { code, out, err } = await checked(url);
    expect([code, err]).toEqual([0, '']);
    expect(out.split('\n').filter((line) => line.startsWith('  ok ')).length).toBeGreaterThan(250);
    expect(out).not.toContain('DIFF');
    expect(out).toMatch(/All \d+ checks are as the contract says/);
    expect(out).not.toContain('Is the game id');
  });

  it.each([
    [400, 'text/html', 0],
    [404, 'text/html', 1],
    [400, 'application/problem+json', 1],
  ])('takes %i %s for a bad escape as the answer of a proxy, or of no service: %i', async (status, type, code) => {
    const refusal = { status, headers: { 'Content-Type': type } };
    const { url } = await service((pass) => async (request) => {
      return request.url.includes('%zz') ? new Response('{"code":"something"}', refusal) : pass(request);
    });
    const { out, ...checkedTo } = await checked(url, '--json');
    expect([checkedTo.code, differing(out)]).toEqual([code, code === 0 ? [] : ['a bad escape in the key']]);
  });

  it('passes three times in a row without meeting a limit', { timeout: 60_000 }, async () => {
    const { url } = await service();
    for (let times = 0; times < 3; times += 1) expect((await checked(url)).code).toBe(0);
  });

  it.each([[[]], [['--rate-limits']]])('passes on savepoint dev %j', { timeout: 120_000 }, async (more) => {
    const dev = await startDev(file, more);
    running.push(dev);
    const { url, gameId, privateKey } = dev.ready;
    const program = start(file, ['check', `${url}/`, '--game-id', gameId, '--env', '2', '--quick'], {
      env: { SAVEPOINT_PRIVATE_KEY: privateKey },
    });
    expect(await program.ended, program.stdout()).toBe(0);
  });

  it('passes with what takes half a minute, on a clock that can be moved', async () => {
    const { url, backend } = await service();
    const wait = async (ms: number) => backend.control.advance(ms);
    const { code, out } = await runCommand(['check', url, '--game-id', testGameId], { env, wait });
    expect([code, out]).toEqual([0, expect.stringContaining(lateDifference.row)]);
  });

  it.each(differencesAtOnce)('sees that $names', async ({ rows, plant }) => {
    const { url } = await service(plant);
    const { code, out } = await runCommand(['check', url, '--game-id', testGameId, '--quick', '--json'], { env });
    expect(code).toBe(1);
    expect(JSON.parse(out).ok).toBe(false);
    expect(differing(out)).toEqual(expect.arrayContaining(rows));
    // The proxy itself loses nothing.
    expect(out).not.toContain('no answer');
  });

  it('passes with limits that are reached on purpose, says what takes long, and leaves nothing', async () => {
    const { url, store } = await service();
    const { code, out, err } = await checkedHere(url, '--rate-limits', '--json');
    expect([code, differing(out)]).toEqual([0, []]);
    expect(err).toMatch(
      /^makes \d+ snapshots\nfills an account with 100 collections\nfills it with 75 values of .*\n$/,
    );
    expect(store.dump().accounts.filter(({ deletedAt }) => deletedAt === null)).toEqual([]);
  });

  it('says where the address was limited before the names were', async () => {
    const { url } = await service();
    expect((await checkedHere(url)).code).toBe(0);
    const { code, out } = await checkedHere(url, '--rate-limits');
    expect([code, out]).toEqual([0, expect.stringMatching(/wrong passwords from there, .*\(the address was limited/)]);
  });

  it.each(limitDifferences)('sees, with limits that are reached on purpose, that $name', async ({ row, plant }) => {
    const { url } = await service(plant);
    const { code, out } = await checkedHere(url, '--rate-limits', '--json');
    expect([code, differing(out)]).toEqual([1, expect.arrayContaining([row])]);
  });

  it.each([lateDifference, ...lateAccountDifferences, ...lateQuotaDifferences])(
    'sees that $name',
    async ({ row, plant }) => {
      const { url, backend } = await service(plant);
      const wait = async (ms: number) => backend.control.advance(ms);
      const { code, out } = await runCommand(['check', url, '--game-id', testGameId, '--json'], { env, wait });
      expect([code, differing(out)]).toEqual([1, expect.arrayContaining([row])]);
    },
  );

  it('sees a new password by a code that ends nothing', async () => {
    const { url } = await service(undefined, {}, { resetPassword: async () => 'reset' });
    const { code, out } = await checkedHere(url, '--json');
    const rows = (JSON.parse(out).checks as (Row & { area: string })[]).filter(
      ({ area }) => area === 'A password reset',
    );
    expect([code, rows.filter(({ holds }) => !holds).map(({ what }) => what)]).toEqual([
      1,
      expect.arrayContaining([
        'a new password by it during refreshes and sign-ins by the former one',
        'a session of before the code was used',
        'its refresh token',
        'a session of before the code was made',
        'the ticket of before',
        'the former password after the code',
        'the code once more, with another password',
      ]),
    ]);
  });

  it("says what it did not ask without an operator's key, and what to give", async () => {
    const { url, store } = await service();
    const withoutKey = { SAVEPOINT_PRIVATE_KEY: testPrivateKey };
    const ask = (...more: string[]) =>
      runCommand(['check', url, '--game-id', testGameId, '--quick', ...more], { env: withoutKey });
    const { code, out } = await ask();
    expect([code, out]).toEqual([0, expect.stringMatching(/ {2}-- .* a new password by a code ends +not asked \(/)]);
    expect(out).toMatch(/\nNot asked: A password reset: .*--operator-key-file <file>, or SAVEPOINT_OPERATOR_KEY\n/);
    const { checks } = JSON.parse((await ask('--json')).out);
    expect(checks.filter((row: { wasAsked?: false }) => row.wasAsked === false)).toHaveLength(1);
    expect(store.dump().codes?.filter(({ kind }) => kind === 'support')).toEqual([]);
  });

  it("says that an operator's key is not accepted, or allows too little", async () => {
    const { url } = await service();
    const withKey = (SAVEPOINT_OPERATOR_KEY: string) =>
      runCommand(['check', url, '--game-id', testGameId, '--quick'], { env: { ...env, SAVEPOINT_OPERATOR_KEY } });
    const wrong = await withKey('another-operator-key-0123456789abc');
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining("The operator's key is not accepted")]);
    const { key } = await createAdminClient({ baseUrl: url, key: testOperatorKey }).makeKey({
      name: 'reader',
      scope: 'read',
    });
    const weak = await withKey(key);
    expect([weak.code, weak.out]).toEqual([1, expect.stringContaining("The operator's key needs the scope support")]);
  });

  it.each([
    [
      { snapshotBytes: 1_000_000 },
      /fills it with 1000000 bytes of snapshots by 7 requests/,
      /ok .* more bytes of snap/,
    ],
    [{ snapshotBytes: 2 ** 30 }, /^/, /Not asked: .*1073741824 bytes are allowed, and a value may have/],
    [{ snapshots: 50 }, /^/, /Not asked: .*50 snapshots of one value come to fewer than 20971520 bytes/],
  ])('takes the bytes of snapshots that a service tells: %j', async (quotas, told, said) => {
    const { url, backend } = await service(undefined, { limits: { quotas } });
    const wait = async (ms: number) => backend.control.advance(ms);
    const { code, out, err } = await runCommand(['check', url, '--game-id', testGameId], { env, wait });
    expect([code, out, err]).toEqual([0, expect.stringMatching(said), expect.stringMatching(told)]);
  });

  it('goes no further with snapshots than a service lets it', async () => {
    let restored = 0;
    const { url, backend } = await service((pass) => async (request) => {
      if (request.url.endsWith('/restore')) restored += 1;
      if (restored < 20 || !request.url.endsWith('/restore')) return pass(request);
      const said = { code: 'rate_limited', status: 429, limitName: 'writesPerAccount' };
      return Response.json(said, { status: 429, headers: { 'Retry-After': '17' } });
    });
    const wait = async (ms: number) => backend.control.advance(ms);
    const { code, out } = await runCommand(['check', url, '--game-id', testGameId], { env, wait });
    const why = /Not asked: Bytes of snapshots: .*\(writesPerAccount\): to be tried again in 17 s/;
    expect([code, out, restored]).toEqual([0, expect.stringMatching(why), 20]);
  });

  it('shows a difference with what was expected and what came', async () => {
    const { url } = await service(differences.find(({ name }) => name.includes('empty collection'))?.plant);
    const { code, out } = await checked(url);
    expect(code).toBe(1);
    expect(out).toMatch(/DIFF .*a user whom nobody knows .*expected: 404 user_not_found \| got: 200/);
    expect(out).toMatch(/2 of \d+ checks differ/);
  });

  it('asks for the pages of a wildcard and for sandboxed frames, where a service allows them', async () => {
    const allowedOrigins = ['https://*.games.example', 'null'];
    const { url } = await service((pass) => pass, { allowedOrigins });
    for (const origin of allowedOrigins) {
      const { code, out } = await checkedHere(url, '--origin', origin);
      expect([code, out]).toEqual([0, expect.stringContaining(`Pages of ${origin}`)]);
      expect(out).toMatch(/Origin: null.*\(allowed here: any page can be shown in such a frame\)/);
    }
    const strict = await checkedHere((await service()).url, '--json', '--origin', 'null');
    expect([strict.code, differing(strict.out)]).toEqual([1, ['a preflight', 'a failure can be read']]);
  });

  it('sees a wildcard that covers more than one level, or another domain', async () => {
    const everyEnd = (origin: string) => origin.endsWith('games.example');
    const { url } = await service((pass) => pass, { allowedOrigins: everyEnd });
    const { code, out } = await checkedHere(url, '--json', '--origin', 'https://*.games.example');
    const rows = ['a sub-domain of a sub-domain', 'another domain that ends in the same letters'];
    expect([code, differing(out)]).toEqual([1, rows]);
  });

  it('takes what a service says of its health, and what it warns of', async () => {
    const said = (body: object, status = 200) =>
      service(
        (pass) => async (request) =>
          new URL(request.url).pathname.startsWith('/health')
            ? Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } })
            : pass(request),
      );
    const well = { status: 'ok', store: 'reachable', warnings: ['untrusted_proxy', '<b>'] };
    const { code, out } = await checkedHere((await said(well)).url);
    expect([code, out]).toEqual([0, expect.stringMatching(/\/health: the store.*\(it warns: untrusted_proxy\)\n/)]);
    expect((await checkedHere((await service()).url)).out).toMatch(/\/health: the store.*\(there is none here\)\n/);
    const ill = await checkedHere((await said({ status: 'unavailable', store: 'unreachable' }, 503)).url, '--json');
    expect([ill.code, differing(ill.out).map((what) => what.split(':')[0])]).toEqual([
      1,
      ['/health', '/health/ready', '/health/live'],
    ]);
  });

  it('leaves a player alone who has the id of one character that it drew', async () => {
    const taken = new Map<string, object>();
    // Whatever is drawn is somebody's: the service answers with a player of its own, on the device that asks.
    const { url, backend, store } = await service((pass) => async (request) => {
      const [, sign] = /"custom_user_id":"(.)"/u.exec(await request.clone().text()) ?? [];
      if (sign !== undefined && !taken.has(sign)) taken.set(sign, await playerOf(sign));
      return pass(request);
    });
    async function playerOf(custom_user_id: string): Promise<object> {
      const device_id = 'device-of-a-real-player';
      const body = JSON.stringify({ custom_user_id, device_id, game_id: testGameId, env: 0 });
      const { headers } = await signRequest({ privateKey: testPrivateKey, body });
      const there = new Request(`${url}/v2/auth/server`, { method: 'POST', headers, body });
      return (await backend.fetch(there, { address: '203.0.113.10' })).json();
    }
    const { code, out } = await checkedHere(url);
    expect([code, out]).toEqual([0, expect.stringContaining('somebody has the id that was drawn: signed out again')]);
    const [player] = [...taken.values()] as { userId: string }[];
    const { accounts, sessions, links } = store.dump();
    const own = <Item extends { accountId: string }>(items: readonly Item[]) =>
      items.filter(({ accountId }) => accountId === player?.userId);
    expect([own(accounts).map(({ deletedAt }) => deletedAt), own(sessions).length]).toEqual([[null], 1]);
    expect(
      own(links)
        .map(({ method }) => method)
        .sort(),
    ).toEqual(['custom', 'device']);
  });

  it('keeps no id of one character', async () => {
    const { url, store } = await service();
    expect((await checkedHere(url)).code).toBe(0);
    const { links } = store.dump();
    expect(links.filter(({ method, subject }) => method === 'custom' && subject.length === 1)).toEqual([]);
  });

  it('asks a page that is named, and says where it may not call', async () => {
    const { url } = await service();
    const { code, out } = await checked(url, '--origin', 'https://game.example');
    expect([code, out]).toEqual([1, expect.stringMatching(/DIFF .*a preflight/)]);
  });

  it('deletes every account that it made', async () => {
    const { url, store } = await service();
    await checked(url);
    const { accounts } = store.dump();
    expect(accounts.length).toBeLessThanOrEqual(5);
    expect(accounts.filter(({ deletedAt }) => deletedAt === null)).toEqual([]);
  });

  it('leaves five deleted accounts, after a day nothing else, and after the time of grace nothing at all', async () => {
    const { url, backend, store } = await service();
    expect((await checked(url)).code).toBe(0);
    const left = async (ms: number) => {
      backend.control.advance(ms);
      await backend.sweep();
      const { accounts, sessions, links, tickets, nonces, attempts } = store.dump();
      const rest = [sessions, tickets, nonces, attempts].map((records) => records.length);
      return { accounts: accounts.length, live: accounts.filter(({ deletedAt }) => deletedAt === null), links, rest };
    };
    const hour = 3_600_000;
    const owned = { links: expect.any(Array), live: [], accounts: 5 };
    const any = expect.any(Number);
    expect(await left(0)).toMatchObject({ ...owned, rest: [0, any, any, any] });
    // Who asks for codes to set a new password is counted for a day.
    expect(await left(hour + 1)).toMatchObject({ ...owned, rest: [0, 0, 0, 2] });
    expect(await left(24 * hour)).toMatchObject({ ...owned, rest: [0, 0, 0, 0] });
    expect(await left(30 * 24 * hour)).toEqual({ accounts: 0, live: [], links: [], rest: [0, 0, 0, 0] });
  });

  it('deletes them too where checks fail, and where it is stopped', async () => {
    const failing = await service(differences.find(({ name }) => name.startsWith('Local and Cloud'))?.plant);
    await checked(failing.url);
    // What nothing leads to any more has no session that could delete it, and is removed after the same time.
    const left = failing.store
      .dump()
      .accounts.filter(({ deletedAt, orphanedAt }) => (deletedAt ?? orphanedAt) === null);
    expect(left).toEqual([]);

    // Without an answer to the sign-out it cannot go on before the signal has come.
    const { url, store } = await service((pass) => async (request) => {
      if (request.url.endsWith('/sign-out')) program.child.kill('SIGTERM');
      return pass(request);
    });
    const program = check(url, '--quick');
    expect(await program.ended).toBe(143);
    expect(program.stdout()).toContain('Stopped before the end');
    expect(store.dump().accounts.map(({ deletedAt }) => deletedAt)).toEqual([expect.any(Number)]);
  });

  it('shows no secret, whatever goes wrong', async () => {
    const { url } = await service(
      (pass) => async (request) =>
        request.url.includes('/v2/pr/') ? pass(new Request(request.url, { method: request.method })) : pass(request),
    );
    for (const more of [[], ['--json']]) {
      const { code, out, err } = await checked(url, ...more);
      expect(code).toBe(1);
      expect(out + err).not.toMatch(/ey[\w-]{10,}\.|password of/);
      expect(out + err).not.toContain(testPrivateKey);
      expect(out + err).not.toContain(testOperatorKey);
    }
  });

  it('says what many differences have in common', async () => {
    const { url } = await service();
    const wrongKey = start(file, ['check', url, '--game-id', testGameId, '--quick'], {
      env: { SAVEPOINT_PRIVATE_KEY: 'another-key' },
    });
    expect(await wrongKey.ended).toBe(1);
    expect(wrongKey.stdout()).toContain('The private key is not accepted');
    const noGame = start(file, ['check', url, '--game-id', '11111111-2222-4111-8111-111111111111', '--quick'], {
      env: { SAVEPOINT_PRIVATE_KEY: testPrivateKey },
    });
    expect(await noGame.ended).toBe(1);
    expect(noGame.stdout()).toContain('Is the game id');
  });

  it('says of a limit that it is one, and how long it lasts', async () => {
    const { url, backend } = await service();
    backend.control.fail({
      with: { status: 429, retryAfter: 77 },
      route: 'signInWithName',
      times: Number.POSITIVE_INFINITY,
    });
    const { code, out } = await checked(url);
    expect(code).toBe(1);
    expect(out).toMatch(/429 rate_limited, to be tried again in 77 s/);
    expect(out).toMatch(/limits how often/);
  });

  it('goes on where an answer gets lost, and counts that as a difference', async () => {
    const { url, backend } = await service();
    backend.control.fail({ with: 'lost-answer', route: 'authenticate' });
    const { code, out } = await checked(url, '--json');
    expect(code).toBe(1);
    expect(JSON.parse(out).checks.find(({ what }: Row) => what === 'a signed request').got).toMatch(/no answer/);
  });

  it('exits with 2 where no service answers', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };
    await new Promise((resolve) => other.close(resolve));
    const { code, out, err } = await checked(`http://127.0.0.1:${port}`);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/cannot be reached: ECONNREFUSED\. Is the service running\?/);
  });

  it.each([
    [[], /check needs the address of a service/],
    [['http://a.example', 'geheim'], /takes the address of a service and nothing more/],
    [['geheim', '--game-id', testGameId], /absolute http\(s\) address/],
    [['http://a.example'], /--game-id <uuid>/],
    [['http://a.example', '--game-id', 'geheim'], /--game-id <uuid>/],
    [['http://a.example', '--game-id', testGameId, '--env', '3'], /--env must be 0, 1 or 2/],
    [['http://a.example', '--game-id', testGameId], /private key is missing/],
    [['http://a.example', '--game-id', testGameId, '--origin', 'geheim'], /--origin/],
    [
      ['http://a.example', '--game-id', testGameId, '--private-key-file', '-', '--operator-key-file', '-'],
      /one key comes in on stdin/,
    ],
    [['http://a.example', '--private-key', 'geheim'], /did you mean --private-key-file/],
  ])('answers %j with the way out and exit code 2', async (more, message) => {
    const { code, out, err } = await runCommand(['check', ...more]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(message);
    expect(err).not.toContain('geheim');
  });
});
