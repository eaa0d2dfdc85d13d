import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { OwnPostgres } from '../../scripts/postgres.mjs';
import { describeOnOwnPostgres } from '../support/on-postgres.js';
import { startRelay, type TcpRelay } from '../support/tcp-relay.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start, untilSaid } from './program.js';

const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';

describeOnOwnPostgres('savepoint serve, whose PostgreSQL stops and starts', (make) => {
  let postgres: OwnPostgres;
  let program: Program;
  let serve: (...more: string[]) => Program;
  let relay: TcpRelay;
  let url: string;

  beforeAll(async () => {
    const [file, signingKey] = await Promise.all([bundleProgram(), runCommand(['new-key', 'signing'])]);
    postgres = await make();
    relay = await startRelay(postgres.url);
    const store = new URL(relay.through(postgres.url));
    // It asks for none, so any one is right.
    store.password = 'geheim';
    const env = {
      SAVEPOINT_GAME_ID: gameId,
      SAVEPOINT_PRIVATE_KEY: 'a-private-key',
      SAVEPOINT_SIGNING_KEY: signingKey.out,
      SAVEPOINT_STORE: store.href,
    };
    serve = (...more) => start(file, ['serve', '--port', '0', ...more], { env });
    program = serve();
    await untilSaid(program, '"listening"');
    ({ url } = JSON.parse(program.stdout()));
  });
  afterAll(async () => {
    program.child.kill('SIGKILL');
    await program.ended;
    await relay.close();
    postgres.remove();
  });

  const guest = (at = url) =>
    fetch(`${at}/v2/auth/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game_id: gameId, env: 0, device_id: 'a-device-of-this-test' }),
    });
  const health = async (path = '/health') => {
    const response = await fetch(`${url}${path}`);
    return [response.status, await response.json()];
  };
  const alive = [200, { status: 'ok' }];
  const well = [200, { status: 'ok', store: 'reachable' }];
  const unwell = [503, { status: 'unavailable', store: 'unreachable' }];
  const everyHealth = () => Promise.all(['/health', '/health/ready', '/health/live'].map(health));
  const logged = () =>
    program
      .stdout()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  it('answers 503 with Retry-After while it is away, says so in the log, and serves again by itself', async () => {
    const before = await (await guest()).json();
    postgres.stop();
    const refused = await guest();
    const body = await refused.json();
    expect([refused.status, body.code, refused.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(await everyHealth()).toEqual([unwell, unwell, alive]);
    await expect.poll(() => logged().filter(({ id }) => id === body.requestId).length).toBe(2);
    expect(logged().filter(({ id }) => id === body.requestId)).toEqual([
      expect.objectContaining({ level: 'error', kind: 'error', name: 'StoreUnavailable', message: expect.any(String) }),
      expect.objectContaining({ level: 'error', kind: 'request', status: 503, code: 'unavailable' }),
    ]);

    postgres.start();
    expect((await (await guest()).json()).userId).toBe(before.userId);
    expect(await everyHealth()).toEqual([well, well, alive]);
    expect(program.stdout() + program.stderr()).not.toContain('geheim');
  });

  it('answers 503 to what writes while it is read-only, says so at /health, and serves again by itself', async () => {
    const { userId } = await (await guest()).json();
    const collection = `${url}/v2/pr/games/${gameId}/saves/${userId}/collections/progress`;
    const headers = { authorization: 'Bearer a-private-key', 'content-type': 'application/json' };
    const write = async () => {
      const body = '{"value":{"coins":1},"version":-1}';
      const response = await fetch(`${collection}/read-only?env=0`, { method: 'PATCH', headers, body });
      return [response.status, (await response.json()).code];
    };
    const admin = new pg.Client({ connectionString: postgres.url });
    await admin.connect();
    const letWrite = async (may: boolean): Promise<void> => {
      await admin.query('SET default_transaction_read_only = off');
      await admin.query(`ALTER SYSTEM SET default_transaction_read_only = ${may ? 'off' : 'on'}`);
      await admin.query('SELECT pg_reload_conf()');
      await expect.poll(async () => (await health())[0], { timeout: 15_000 }).toBe(may ? 200 : 503);
    };
    await letWrite(false);
    expect(await write()).toEqual([503, 'unavailable']);
    expect(await everyHealth()).toEqual([unwell, well, alive]);
    expect((await fetch(`${collection}?env=0`, { headers })).status).toBe(200);
    await letWrite(true);
    expect((await write())[0]).toBe(200);
    await admin.end();
  });

  it('is alive and not ready while the database says nothing, and is ready by itself once it does', async () => {
    relay.silence();
    expect(await everyHealth()).toEqual([unwell, unwell, alive]);
    relay.speak();
    await expect.poll(everyHealth, { timeout: 15_000 }).toEqual([well, well, alive]);
  });

  it('ends by SIGTERM while the database says nothing, soon after its drain', {
    timeout: 30_000,
  }, async () => {
    const drainMs = 2_000;
    // What it waits for would take a minute.
    const ending = serve('--drain-limit', String(drainMs / 1000), '--limit', 'statementTimeoutMs=60000');
    await untilSaid(ending, '"listening"');
    const { url: at } = JSON.parse(ending.stdout());
    expect((await guest(at)).status).toBe(200);
    relay.silence();
    const cut = guest(at).then(
      ({ status }) => status,
      () => 'cut off',
    );
    await expect.poll(() => health('/health/ready').then(([status]) => status)).toBe(503);
    const asked = performance.now();
    ending.child.kill('SIGTERM');
    const ended = await Promise.all([ending.ended, cut]);
    const tookMs = performance.now() - asked;
    relay.speak();
    expect(ended).toEqual([0, 'cut off']);
    expect(ending.stdout()).toContain('"stopped"');
    expect(tookMs).toBeGreaterThanOrEqual(drainMs - 100);
    // What is written is sent within 1 s after the drain, and the store closes within 5 s.
    expect(tookMs).toBeLessThan(drainMs + 7_000);
    await expect.poll(everyHealth, { timeout: 15_000 }).toEqual([well, well, alive]);
  });

  it('has done every forced write that it answered with 200, and none that it answered with 503', async () => {
    const { userId } = await (await guest()).json();
    const collection = `${url}/v2/pr/games/${gameId}/saves/${userId}/collections/progress`;
    const headers = { authorization: 'Bearer a-private-key', 'content-type': 'application/json' };
    const counts: { [status: number]: number } = { 200: 0, 500: 0, 503: 0 };
    const count = (status: number): number => {
      counts[status] = (counts[status] ?? 0) + 1;
      return status;
    };
    const write = async () => {
      const body = '{"value":{"coins":1},"version":-1}';
      const { status } = await fetch(`${collection}/main?env=0`, { method: 'PATCH', headers, body });
      return count(status);
    };
    const writers = Array.from({ length: 8 }, async () => {
      while ((await write()) !== 503);
    });
    await expect.poll(() => counts[200], { timeout: 15_000 }).toBeGreaterThan(100);
    postgres.stop();
    await Promise.all(writers);
    postgres.start();
    expect(await write()).toBe(200);

    const [{ version }] = await (await fetch(`${collection}?env=0`, { headers })).json();
    const { 200: done = 0, 500: unknown = 0, 503: refused } = counts;
    expect(refused).toBe(8);
    expect(Object.keys(counts)).toEqual(['200', '500', '503']);
    expect(version + 1).toBeGreaterThanOrEqual(done);
    expect(version + 1).toBeLessThanOrEqual(done + unknown);
  });
});
