import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { cacheFolder } from '../support/cache-folder.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Two folders below the package's root, as the built program is. */
const outDir = cacheFolder('cli');

/** Bundles the program as it stands, so that these tests need no build. Answers the file to run. */
export async function bundleProgram(): Promise<string> {
  await build({
    root,
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: 'src/cli/savepoint.ts',
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      rollupOptions: { output: { entryFileNames: 'savepoint.js' } },
    },
  });
  return `${outDir}savepoint.js`;
}

export interface Program {
  child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The exit code; null where a signal ended it. */
  ended: Promise<number | null>;
}

export interface Surroundings {
  /** What comes in on stdin; nothing by default. */
  input?: string | Uint8Array;
  env?: { [name: string]: string };
  cwd?: string;
  /** The program that runs it; this Node by default. */
  runtime?: string;
}

export function start(
  file: string,
  args: readonly string[],
  { input = '', env = {}, cwd, runtime = process.execPath }: Surroundings = {},
): Program {
  const child = spawn(runtime, [file, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
    cwd,
  });
  // Who does not read it may be gone already.
  child.stdin.on('error', () => {}).end(input);
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, stdout: () => out, stderr: () => err, ended };
}

/** Waits until a program has printed something; rejects where it ends without. */
export function untilSaid({ child, stdout, stderr, ended }: Program, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (stdout().includes(text)) resolve();
    };
    look();
    child.stdout?.on('data', look);
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${stderr()}`)));
  });
}

export interface Ready {
  url: string;
  baseUrl: string;
  authUrl: string;
  gameId: string;
  privateKey: string;
}

/** Starts `savepoint dev --json` on a free port and waits for its line. */
export async function startDev(
  file: string,
  args: readonly string[] = [],
  surroundings: Surroundings = {},
): Promise<Program & { ready: Ready }> {
  const program = start(file, ['dev', '--port', '0', '--json', ...args], surroundings);
  await untilSaid(program, '\n');
  return { ...program, ready: JSON.parse(program.stdout()) as Ready };
}

/** Says which of these commands the machine does not have; null where it has them all. */
export function missing(...commands: [string, string[]][]): string | null {
  for (const [command, args] of commands) {
    try {
      execFileSync(command, args, { stdio: 'ignore' });
    } catch {
      return `${command} is missing`;
    }
  }
  return null;
}
