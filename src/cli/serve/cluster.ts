import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { createOthers, type FromPart, type Others, type RelayedProcess, type ToPart } from './relay.js';

/** Tells a process which one of several it is. */
const variable = 'SAVEPOINT_PROCESS';
/**
 * A process whose event loop hangs must not hold up what the others have to say; one whose database says nothing takes
 * 2 s, and Prometheus waits for 10.
 */
const patienceMs = 5_000;

/** What the first process asks of the others. */
export type Asked = 'stop' | 'reload';

/** A process that serves beside others on one port, as the first one sees it. */
export interface ServingProcess extends RelayedProcess {
  pid: number;
  /** Settles when it takes connections. */
  listening: Promise<void>;
  ended: Promise<{ code: number | null; signal: string | null }>;
  /** Asks it; whoever does not listen yet is ended at once where it is to stop. */
  ask(what: Asked): void;
  /** Its metrics; null where it does not answer in time. */
  metrics(): Promise<unknown>;
  /** Calls for what it has to tell the others. */
  onTold(listener: (message: FromPart) => void): void;
  kill(): void;
}

/** One process of several, as it sees itself. */
export interface PartOfSeveral {
  number: number;
  onAsked(listener: (what: Asked) => void): void;
  /** Answers the first process what it asks for. */
  answer(what: Collected, collect: () => Promise<unknown>): void;
  /** The others, by way of the first process. */
  readonly others: Others;
}

/** What the first process collects of the others. */
type Collected = 'metrics' | 'numbers';

type Message = Asked | { collect: Collected; id: number } | { collected: number; of: unknown } | FromPart | ToPart;

/** Null where this process serves alone, or is the first of several. */
export function partOfSeveral(): PartOfSeveral | null {
  const number = Number(process.env[variable]);
  if (!cluster.isWorker || !Number.isSafeInteger(number)) return null;
  const send = (message: Message): void => void process.send?.(message);
  const others = createOthers({ send, wait: (ms) => wait(ms, undefined, { ref: false }) });
  process.on('message', (message: Message) => {
    if (isToPart(message)) others.take(message);
  });
  return {
    number,
    others,
    onAsked(listener) {
      process.on('message', (message: Message) => {
        if (message === 'stop' || message === 'reload') listener(message);
      });
    },
    answer(what, collect) {
      process.on('message', (message: Message) => {
        if (typeof message !== 'object' || !('collect' in message) || message.collect !== what) return;
        const answer = (of: unknown): void => send({ collected: message.id, of });
        collect().then(answer, () => answer(null));
      });
    },
  };
}

/**
 * Starts processes of this program with its own command line, which share a port. They end when this one does, whatever
 * it ends by. Each gets what was piped into this one.
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
      metrics: async () => (isListening ? collect(worker, 'metrics') : null),
      numbers: async () => (isListening ? collect(worker, 'numbers') : null),
      tell: (message) => send(worker, message),
      onTold(listener) {
        worker.on('message', (message: Message) => {
          if (isFromPart(message)) listener(message);
        });
      },
      kill: () => void worker.process.kill('SIGKILL'),
    };
  };
}

let asked = 0;

function isToPart(message: Message): message is ToPart {
  return (
    typeof message === 'object' &&
    ('gathered' in message || 'isHeard' in message || 'shown' in message || 'warned' in message)
  );
}

function isFromPart(message: Message): message is FromPart {
  return (
    typeof message === 'object' &&
    ('gather' in message || 'hears' in message || 'shown' in message || 'warns' in message)
  );
}

function collect(worker: Worker, what: Collected): Promise<unknown> {
  asked += 1;
  const id = asked;
  return new Promise((resolve) => {
    const done = (of: unknown): void => {
      clearTimeout(timer);
      worker.off('message', listen);
      resolve(of);
    };
    const listen = (message: Message): void => {
      if (typeof message === 'object' && 'collected' in message && message.collected === id) done(message.of ?? null);
    };
    const timer = setTimeout(() => done(null), patienceMs);
    worker.on('message', listen);
    send(worker, { collect: what, id });
  });
}

/** One that has just ended hears nothing, and needs not. */
function send(worker: Worker, message: Message): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
