import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, type Surroundings, start, untilSaid } from './program.js';

export const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
export const privateKey = 'private-geheim-0123456789';

/** A `savepoint serve` that listens. */
export interface Served extends Program {
  url: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
  lines(): any[];
}

/** What the tests of a file need to run `savepoint serve`. Each program ends with its test, and the folder with the file. */
export function setUpServe() {
  let program: string;
  let folder: string;
  let signingKey: string;
  const running: Program[] = [];

  beforeAll(async () => {
    program = await bundleProgram();
    folder = mkdtempSync(join(tmpdir(), 'savepoint-serve-'));
    signingKey = (await runCommand(['new-key', 'signing'])).out.trim();
  });
  afterEach(() => {
    for (const { child } of running.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** All that the environment has to say. */
  const whole = () => ({
    SAVEPOINT_GAME_ID: gameId,
    SAVEPOINT_PRIVATE_KEY: privateKey,
    SAVEPOINT_SIGNING_KEY: signingKey,
    SAVEPOINT_STORE: 'memory',
  });

  function startProgram(args: readonly string[], { env = whole(), ...more }: Surroundings = {}): Program {
    const started = start(program, args, { env, cwd: folder, ...more });
    running.push(started);
    return started;
  }

  return {
    whole,
    startProgram,
    folder: (): string => folder,
    /** The program's file. */
    file: (): string => program,
    signingKey: (): string => signingKey,

    /** Ends what runs as an operator does, and waits for it. */
    async endAll(): Promise<void> {
      for (const { child, ended } of running.splice(0)) {
        child.kill('SIGTERM');
        await ended;
      }
    },

    fileWith(name: string, content: string): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },

    /** Starts `savepoint serve` on a free port and waits until it says that it listens. */
    async serve(args: readonly string[] = [], surroundings: Surroundings = {}): Promise<Served> {
      const started = startProgram(['serve', '--port', '0', ...args], surroundings);
      const lines = () =>
        started
          .stdout()
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line));
      await untilSaid(started, '"listening"');
      return { ...started, url: lines()[0].url, lines };
    },
  };
}
