import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';

/** Tells a process which one of several it is. */
const variable = 'SAVEPOINT_PROCESS';
/**
 * A process whose event loop hangs must not hold up what the others have to say; one whose database says nothing takes 2 s, and
 * Prometheus waits for 10.
 */
const patienceMs = 5_000;

/** What the first process asks of the others. */
export type Asked = 'stop' | 'reload';

/** A process that serves beside others on one port, as the first one sees it. */
export interface ServingProcess {
  pid: number;
  /** Settles when it takes connections. */
  listening: Promise<void>;
  ended: Promise<{ code: number | null; signal: string | null }>;
  /** Asks it; whoever does not listen yet is ended at once where it is to stop. */
  ask(what: Asked): void;
  /** Its metrics; null where it does not answer in time. */
  metrics(): Promise<unknown>;
  kill(): void;
}

/** One process of several, as it sees itself. */
export interface PartOfSeveral {
  number: number;
  onAsked(listener: (what: Asked) => void): void;
  answerMetrics(collect: () => Promise<unknown>): void;
}

type Message = Asked | { metrics: number; of?: unknown };

/** Null where this process serves alone, or is the first of several. */
export function partOfSeveral(): PartOfSeveral | null {
  const number = Number(process.env[variable]);
  if (!cluster.isWorker || !Number.isSafeInteger(number)) return null;
  return {
    number,
    onAsked(listener) {
      process.on('message', (message: Message) => {
        if (message === 'stop' || message === 'reload') listener(message);
      });
    },
    answerMetrics(collect) {
      process.on('message', (message: Message) => {
        if (typeof message !== 'object' || message.metrics === undefined) return;
        const answer = (of: unknown): void => void process.send?.({ metrics: message.metrics, of });
        collect().then(answer, () => answer(null));
      });
    },
  };
}

/**
 * Starts processes of this program with its own command line, which share a port. They end when this one does, whatever it
 * ends by. Each gets what was piped into this one.
 */
export function createProcesses(piped: Uint8Array | null): (number: number) => ServingProcess {
  cluster.setupPrimary({ stdio: ['pipe', 'inherit', 'inherit', 'ipc'] });
  return (number) => {
    const worker = cluster.fork({ [variable]: String(number) });
    // Who does not read it may be gone already.
    worker.process.stdin?.on('error', () => {}).end(piped ?? '');
    worker.on('error', () => {});
    let isListening = false;
    const listening = once(worker, 'listening').then(() => {
      isListening = true;
    });
    return {
      pid: worker.process.pid ?? 0,
      listening,
      ended: once(worker, 'exit').then(([code, signal]) => ({ code, signal })),
      ask(what) {
        if (isListening) send(worker, what);
        else if (what === 'stop') worker.process.kill('SIGTERM');
      },
      metrics: async () => (isListening ? askForMetrics(worker) : null),
      kill: () => void worker.process.kill('SIGKILL'),
    };
  };
}

let asked = 0;

function askForMetrics(worker: Worker): Promise<unknown> {
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    const done = (of: unknown): void => {
      clearTimeout(timer);
      worker.off('message', listen);
      resolve(of);
    };
    const listen = (message: Message): void => {
      if (typeof message === 'object' && message.metrics === id) done(message.of ?? null);
    };
    const timer = setTimeout(() => done(null), patienceMs);
    worker.on('message', listen);
    send(worker, { metrics: id });
  });
}

/** One that has just ended hears nothing, and needs not. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
