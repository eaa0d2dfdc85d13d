import { run } from '../../src/cli/run.js';

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a command that ends by itself, in this process. */
export async function runCommand(
  argv: readonly string[],
  { input = null, env = {}, wait = async () => {}, stop = new AbortController().signal }: InProcess = {},
): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await run(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
    input: async () => (typeof input === 'string' ? new TextEncoder().encode(input) : input),
    env,
    wait,
    stop,
    onHangUp: () => {},
    version: '1.2.3',
  });
  return { code, out, err };
}

export interface InProcess {
  /** Null where nobody pipes anything in. */
  input?: string | Uint8Array | null;
  env?: { [name: string]: string };
  wait?: (ms: number) => Promise<void>;
  /** Aborts when the program is asked to end. */
  stop?: AbortSignal;
}

export interface DevInProcess {
  ready: { url: string };
  /** Ends it; settles when it has ended. */
  stop(): Promise<void>;
}

/** `savepoint dev` on a free port, in this process. */
export async function devInProcess(...args: string[]): Promise<DevInProcess> {
  const stopping = new AbortController();
  let err = '';
  let ended: Promise<number> = Promise.resolve(0);
  const ready = await new Promise<{ url: string }>((resolve, reject) => {
    ended = run(['dev', '--port', '0', '--json', ...args], {
      out: (text) => resolve(JSON.parse(text)),
      err: (text) => {
        err += text;
      },
      input: async () => null,
      env: {},
      wait: async () => {},
      stop: stopping.signal,
      onHangUp: () => {},
      version: '1.2.3',
    });
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${err}`)));
  });
  return {
    ready,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
