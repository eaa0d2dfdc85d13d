import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { describeOnPostgres } from '../support/on-postgres.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, start } from './program.js';

const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
interface Found {
  key: string;
  value: { at: number };
}
type Line = { kind: string; [name: string]: unknown };

describeOnPostgres('savepoint serve --processes', (newSchema) => {
  const database = newSchema();
  let file: string;
  let signingKey: string;
  let program: Program | undefined;

  beforeAll(async () => {
    const [bundled, key] = await Promise.all([bundleProgram(), runCommand(['new-key', 'signing'])]);
    [file, signingKey] = [bundled, key.out];
  });
  afterEach(() => void program?.child.kill('SIGKILL'));
  afterAll(() => database.drop());

  const lines = (kind: string): Line[] =>
    (program?.stdout() ?? '')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Line)
      .filter((line) => line.kind === kind);
  const until = (kind: string, times: number) =>
    expect.poll(() => lines(kind).length, { timeout: 20_000, interval: 10 }).toBe(times);
  const textOf = async (url: unknown): Promise<string> => (await fetch(String(url))).text();

  it('lose no answered write where one is killed, which returns; reload, are counted and end together', async () => {
    const store = new URL(database.url);
    store.searchParams.set('schema', database.schema);
    program = start(
      file,
      ['serve', '--port', '0', '--processes', '2', '--metrics-port', '0', '--limit', 'maxConnections=3'],
      {
        env: {
          SAVEPOINT_GAME_ID: gameId,
          // Comes in on stdin once, and each process has it.
          SAVEPOINT_PRIVATE_KEY_FILE: '-',
          SAVEPOINT_SIGNING_KEY: signingKey,
          SAVEPOINT_STORE: store.href,
        },
        input: 'a-private-key',
      },
    );
    await until('listening', 2);
    const [{ url } = { url: '' }, other] = lines('listening');
    expect(other?.['url']).toBe(url);
    expect(lines('listening').map((line) => line['process'])).toEqual([1, 2]);
    expect(lines('processes')).toMatchObject([{ processes: 2, connections: 6, databaseTakes: expect.any(Number) }]);

    /** Signs a guest in and makes entry after entry, until it is told to end; answers those that it was told are kept. */
    let isOver = false;
    let answered = 0;
    const statuses = new Set<number>();
    async function play(device: string): Promise<void> {
      const headers = { 'content-type': 'application/json' };
      const body = JSON.stringify({ game_id: gameId, env: 0, device_id: device });
      const { accessToken } = await (await fetch(`${url}/v2/auth/guest`, { method: 'POST', headers, body })).json();
      const asPlayer = { ...headers, authorization: `Bearer ${accessToken}` };
      const collection = `${url}/v2/cl/games/${gameId}/collections/progress`;
      const kept = new Map<string, number>();
      for (let at = 0; !isOver; at += 1) {
        const key = `e${at % 100}`;
        const write = { method: 'PATCH', headers: asPlayer, body: JSON.stringify({ value: { at }, version: -1 }) };
        const status = await fetch(`${collection}/${key}?env=0`, write).then(
          async (answer) => {
            await answer.arrayBuffer();
            return answer.status;
          },
          () => 0,
        );
        statuses.add(status);
        if (status === 200) kept.set(key, at);
        answered += 1;
      }
      const found = (await (await fetch(`${collection}?env=0`, { headers: asPlayer })).json()) as Found[];
      const values = new Map(found.map(({ key, value }) => [key, value.at]));
      for (const [key, at] of kept) expect(values.get(key)).toBeGreaterThanOrEqual(at);
    }
    const players = ['one', 'two', 'three', 'four'].map((name) => play(`a-device-of-${name}`));
    await expect.poll(() => answered, { timeout: 20_000, interval: 5 }).toBeGreaterThan(40);
    const [victim] = lines('process_started');
    process.kill(Number(victim?.['pid']), 'SIGKILL');
    await until('listening', 3);
    const before = answered;
    await expect.poll(() => answered, { timeout: 20_000, interval: 5 }).toBeGreaterThan(before + 40);
    isOver = true;
    await Promise.all(players);
    // A connection that its process took with it has no answer.
    expect([...statuses].filter((status) => status !== 0)).toEqual([200]);
    expect(lines('process_ended')).toMatchObject([{ process: 1, pid: victim?.['pid'], signal: 'SIGKILL' }]);
    expect(lines('listening').at(-1)).toMatchObject({ url, process: 1 });

    const metrics = await textOf(lines('metrics')[0]?.['url']);
    expect(metrics).toContain('savepoint_processes{state="answering"} 2');
    for (const process of [1, 2]) expect(metrics).toMatch(new RegExp(`savepoint_store_up{.*process="${process}".*} 1`));
    expect(JSON.parse(await textOf(`${url}/health`))).toEqual({ status: 'ok', store: 'reachable' });

    // Each request has a connection of its own, so that both processes have some.
    const ask = (path: string) =>
      fetch(`${url}${path}`, { headers: { connection: 'close', 'x-forwarded-for': '203.0.113.1' } });
    for (let n = 0; n < 8; n += 1) await ask('/.well-known/jwks.json');
    await until('warning', 1);
    for (let n = 0; n < 8; n += 1)
      expect(await (await ask('/health')).json()).toMatchObject({ warnings: ['untrusted_proxy'] });
    expect(lines('warning')).toMatchObject([{ level: 'warn', code: 'untrusted_proxy', address: '127.0.0.1' }]);

    program.child.kill('SIGHUP');
    await until('reloaded', 2);
    program.child.kill('SIGTERM');
    expect(await program.ended).toBe(0);
    expect(lines('draining')).toHaveLength(2);
    expect(lines('process_ended').slice(1)).toMatchObject([{ code: 0 }, { code: 0 }]);
    expect(lines('stopped')).toHaveLength(3);
    expect(program.stderr()).toBe('');
  }, 60_000);
});
