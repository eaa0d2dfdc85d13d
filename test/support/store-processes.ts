import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { JWK } from 'jose';
import type { Backend, BackendLimits } from 'savepoint/backend';
import { build } from 'vite';
import type { Store } from '../../src/backend/stores/store.js';
import { cacheFolder } from './cache-folder.js';
import { type TestService, testGameId, testPrivateKey } from './service.js';
import { newSigningKey } from './signing-key.js';

export type StorePlace =
  | { kind: 'memory' | 'naive' }
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; url: string; schema: string; statementTimeoutMs?: number };

/** What a process is to do; see store-process.ts. */
export interface Task {
  store: StorePlace;
  service?: { gameId: string; privateKey: string; signingKey: JWK; quotas?: Quotas };
  resolution?: Parameters<Store['resolveConflict']>[0];
  /** One more than there is. */
  migration?: readonly string[];
  /** Where it is killed: before or after the first statement like this. */
  death?: { at: string; when: 'before' | 'after' };
  /** How much its heap may hold, in MiB; a process that needs more is ended by its runtime. */
  heapMib?: number;
}

type Quotas = NonNullable<BackendLimits['quotas']>;

export interface ServiceProcess extends TestService {
  /** Moves its clock. */
  advance(ms: number): Promise<void>;
  /** Ends it as `kill -9` does. */
  kill(): Promise<void>;
}

/** Starts processes of one test file; the program is bundled once. Services share a signing key, as they have to. */
export function storeProcesses() {
  const children = new Set<ChildProcess>();
  let bundled: Promise<string> | undefined;
  const signingKey = newSigningKey();

  async function start(task: Task, stdout: 'pipe' | 'inherit'): Promise<ChildProcess> {
    bundled ??= bundle();
    const heap = task.heapMib === undefined ? [] : [`--max-old-space-size=${task.heapMib}`];
    const child = spawn(process.execPath, ['--no-warnings', ...heap, await bundled, JSON.stringify(task)], {
      stdio: ['ignore', stdout, 'inherit', 'ipc'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  }

  return {
    /** Runs to the end. Answers the signal that ended it, or null. */
    async run(task: Task): Promise<string | null> {
      const child = await start(task, 'inherit');
      const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
      return signal;
    },

    async serve(
      store: StorePlace,
      { quotas, heapMib }: { quotas?: Quotas; heapMib?: number } = {},
    ): Promise<ServiceProcess> {
      const keys = { gameId: testGameId, privateKey: testPrivateKey, signingKey: await signingKey };
      const service = { ...keys, ...(quotas === undefined ? {} : { quotas }) };
      const child = await start({ store, service, ...(heapMib === undefined ? {} : { heapMib }) }, 'pipe');
      const url = await firstLine(child);
      const answer: Backend['fetch'] = (request) => fetch(request);
      return {
        backend: { fetch: answer } as Backend,
        gameId: testGameId,
        privateKey: testPrivateKey,
        baseUrl: url,
        authUrl: url,
        fetch: answer,
        clock: Date.now,
        async advance(ms) {
          const advanced = once(child, 'message');
          child.send(ms);
          await advanced;
        },
        async kill() {
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },

    /** Ends what still runs. */
    async end(): Promise<void> {
      const running = [...children];
      const ended = running.map((child) => once(child, 'exit'));
      for (const child of running) child.kill('SIGKILL');
      await Promise.all(ended);
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      if (out.includes('\n')) resolve(out.trim());
    });
    child.once('exit', (code) => reject(new Error(`The service ended with ${code} before it served.`)));
  });
}

async function bundle(): Promise<string> {
  const outDir = cacheFolder('store');
  await build({
    root: fileURLToPath(new URL('../..', import.meta.url)),
    configFile: false,
    logLevel: 'warn',
    build: {
      ssr: 'test/support/store-process.ts',
      outDir,
      emptyOutDir: false,
      target: 'es2022',
      rollupOptions: { output: { entryFileNames: 'store-process.js' } },
    },
  });
  return `${outDir}store-process.js`;
}
