import { fileURLToPath } from 'node:url';
import { run } from '../../src/cli/run.js';

const templatesFolder = fileURLToPath(new URL('../../templates/', import.meta.url));

export interface Ended {
  code: number;
  out: string;
  err: string;
}

/** Runs a command that ends by itself, in this process. */
export async function runCommand(
  argv: readonly string[],
  {
    input = null,
    env = {},
    wait = async () => {},
    stop = new AbortController().signal,
    consoleFolder = 'nowhere',
    ask,
    width,
    heard = () => {},
  }: InProcess = {},
): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await run(argv, {
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
      heard(text);
    },
    input: async () => (typeof input === 'string' ? new TextEncoder().encode(input) : input),
    env,
    wait,
    stop,
    onHangUp: () => {},
    version: '1.2.3',
    consoleFolder,
    templatesFolder,
    ...(ask === undefined ? {} : { ask }),
    ...(width === undefined ? {} : { width }),
  });
  return { code, out, err };
}

export interface InProcess {
  /** How many characters a line of the terminal has; there is no terminal by default. */
  width?: number;
  /** Called with each text that the command writes to stderr. */
  heard?: (text: string) => void;
  /** The folder of the console's page; one that is not there by default. */
  consoleFolder?: string;
  /** Whoever sits at the terminal; nobody by default. */
  ask?: (question: string) => Promise<string>;
  /** Null where nobody pipes anything in. */
  input?: string | Uint8Array | null;
  env?: { [name: string]: string };
  wait?: (ms: number) => Promise<void>;
  /** Aborts when the program is asked to end. */
  stop?: AbortSignal;
}

export interface DevInProcess {
  ready: { url: string; consoleUrl: string };
  /** What it has written to stdout so far. */
  out(): string;
  /** What it has written to stderr so far. */
  err(): string;
  /** Ends it; settles when it has ended. */
  stop(): Promise<void>;
}

/** A command that goes on until it is stopped, in this process. It is ready when it has written a line with an address. */
export async function startInProcess(
  argv: readonly string[],
  { env = {}, consoleFolder = 'nowhere' }: Pick<InProcess, 'env' | 'consoleFolder'> = {},
): Promise<DevInProcess> {
  const stopping = new AbortController();
  let out = '';
  let err = '';
  let ended: Promise<number> = Promise.resolve(0);
  const ready = await new Promise<DevInProcess['ready']>((resolve, reject) => {
    ended = run(argv, {
      out: (text) => {
        out += text;
        const line = JSON.parse(text);
        if (typeof line.url === 'string') resolve(line);
      },
      err: (text) => {
        err += text;
      },
      input: async () => null,
      env,
      wait: async () => {},
      stop: stopping.signal,
      onHangUp: () => {},
      version: '1.2.3',
      consoleFolder,
      templatesFolder,
    });
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${err}`)));
  });
  return {
    ready,
    out: () => out,
    err: () => err,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
