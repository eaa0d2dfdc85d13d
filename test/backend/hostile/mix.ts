import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { runCommand } from '../../cli/in-process.js';
import { bundleProgram } from '../../cli/program.js';
import { cacheFolder } from '../../support/cache-folder.js';
import { testGameId, testPrivateKey } from '../../support/service.js';
import type { Attacked, AttackersOrder, Checked, Played, PlayersOrder, Sizes } from './orders.js';

/** A service in a process of its own. */
export interface Attackable {
  url: string;
  /** In MiB: what it has now, and the most that it has had. */
  memory(): { now: number; most: number };
  isAlive(): boolean;
  stop(): Promise<void>;
}

/** What Node itself takes for its heap where a container has 512 MB. */
const heapMib = 256;

/** What docs/scaling.md#small-machines tells an operator to set there. */
const smallMachine = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '1048576' };

/** `savepoint serve` behind a proxy, with everything as an operator gets it. */
export async function startAttackable(store: 'memory' | 'sqlite'): Promise<Attackable> {
  const program = await bundleProgram();
  // On the disk: what is in memory would be the machine's, and not the process's.
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-hostile-'));
  const config = join(folder, 'savepoint.config.mjs');
  writeFileSync(
    config,
    `export default {
      games: [{
        id: '${testGameId}',
        privateKeys: [{ env: 'SAVEPOINT_PRIVATE_KEY' }],
        socialPlatforms: { portal: async (token) => ({ id: token }) },
      }],
    };`,
  );
  const env = {
    ...process.env,
    ...smallMachine,
    SAVEPOINT_PRIVATE_KEY: testPrivateKey,
    SAVEPOINT_SIGNING_KEY: (await runCommand(['new-key', 'signing'])).out.trim(),
    SAVEPOINT_STORE: store === 'memory' ? store : join(folder, 'store.db'),
  };
  const args = ['serve', '--port', '0', '--config', config, '--trusted-proxy', '127.0.0.1'];
  const child = spawn(process.execPath, ['--no-warnings', `--max-old-space-size=${heapMib}`, program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
    cwd: folder,
  });
  const ended = once(child, 'exit');
  const url = await addressOf(child);
  return {
    url,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
      const mebibytes = (name: string): number =>
        Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1_024;
      return { now: mebibytes('VmRSS'), most: mebibytes('VmHWM') };
    },
    isAlive: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true });
    },
  };
}

/** The address in the log's first line. What it logs further is read, and not kept. */
function addressOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    const listen = (text: string): void => {
      out += text;
      const line = out.split('\n').find((one) => one.includes('"listening"'));
      if (line === undefined) return;
      child.stdout?.off('data', listen).resume();
      resolve(JSON.parse(line).url);
    };
    child.stdout?.setEncoding('utf8').on('data', listen);
    child.once('exit', (code) => reject(new Error(`The service ended with ${code} before it served: ${out}`)));
  });
}

interface Crew<Order> {
  // biome-ignore lint/suspicious/noExplicitAny: each order has an answer of its own.
  tell(order: Order): Promise<any>;
  end(): void;
}

async function startCrew<Order>(name: 'players' | 'attackers'): Promise<Crew<Order>> {
  const outfile = `${cacheFolder(`hostile-${name}`)}${name}.mjs`;
  const entry = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'silent' });
  const child = spawn(process.execPath, ['--no-warnings', outfile], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  return {
    async tell(order) {
      const told = Promise.race([
        once(child, 'message'),
        once(child, 'exit').then(([code]) => [{ error: `The ${name} ended with ${code}.` }]),
      ]);
      child.send(order as object);
      const [{ answer, error }] = (await told) as [{ answer?: unknown; error?: string }];
      if (error !== undefined) throw new Error(error);
      return answer;
    },
    end: () => void child.kill('SIGKILL'),
  };
}

export interface Mix {
  clients: number;
  large: Sizes;
  many: Sizes;
  /** How the players play beside nobody; not at all without. */
  quiet?: { ms: number };
  /** How they play beside the attackers: so many requests each, or for so long. */
  mixed: { ms?: number; requests?: number };
}

export interface MixReport {
  quiet: Played | null;
  mixed: Played;
  checked: Checked;
  attacked: Attacked;
  memory: { before: number; now: number; most: number };
  isAlive: boolean;
  health: number;
}

/** Players play, first by themselves and then beside everything hostile; three processes in all. */
export async function runMix(service: Attackable, { clients, large, many, quiet, mixed }: Mix): Promise<MixReport> {
  const players = await startCrew<PlayersOrder>('players');
  const attackers = await startCrew<AttackersOrder>('attackers');
  try {
    const target = { url: service.url, gameId: testGameId };
    await attackers.tell({ do: 'prepare', large, many, ...target });
    await players.tell({ do: 'enter', clients, ...target });
    const alone: Played | null = quiet === undefined ? null : await players.tell({ do: 'play', ...quiet });
    const before = service.memory().now;
    await attackers.tell({ do: 'attack' });
    const beside: Played = await players.tell({ do: 'play', ...mixed });
    const { now, most } = service.memory();
    const attacked: Attacked = await attackers.tell({ do: 'stop' });
    const checked: Checked = await players.tell({ do: 'check' });
    const { status: health } = await fetch(`${service.url}/health`);
    const memory = { before, now, most };
    return { quiet: alone, mixed: beside, checked, attacked, memory, isAlive: service.isAlive(), health };
  } finally {
    players.end();
    attackers.end();
  }
}
