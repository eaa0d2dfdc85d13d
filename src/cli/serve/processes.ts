import { processDefaults } from '../../protocol/gaps/port-timeouts.js';
import type { Asked, ServingProcess } from './cluster.js';
import { eventLine, jsonLine } from './json-log.js';
import { createRelay } from './relay.js';

const { processSoundMs, processPauseMs, longestProcessPauseMs } = processDefaults;

export interface Processes {
  /**
   * Starts all, each of which is started again where it ends by itself, and settles when all have ended after
   * `stop`. The first is started alone: where it ends before it listens, so would the others, and its exit code is
   * the answer; else it is 0.
   */
  run(): Promise<number>;
  ask(what: Asked): void;
  /** The metrics of all that answer. */
  metrics(): Promise<unknown[]>;
}

export interface ProcessesOptions {
  count: number;
  start(number: number): ServingProcess;
  out(line: string): void;
  /** In ms. */
  now(): number;
  /** Ends early when `stop` aborts. */
  wait(ms: number): Promise<void>;
  stop: AbortSignal;
  /** How long one may take to end once it is asked to; then it is killed. */
  endWithinMs: number;
}

/** Several processes, each of which returns alone. */
export function superviseProcesses(options: ProcessesOptions): Processes {
  const { count, out, now, wait, stop, endWithinMs } = options;
  const there = new Map<number, ServingProcess>();
  const relay = createRelay((warning) => out(jsonLine(warning)));

  function start(number: number): ServingProcess {
    const started = options.start(number);
    there.set(number, started);
    started.onTold((message) => relay.take(number, message));
    // One that ends before it listens has no part in it.
    started.listening.then(
      () => there.get(number) === started && relay.begin(number, started),
      () => {},
    );
    out(eventLine(now(), 'process_started', { process: number, pid: started.pid }));
    return started;
  }

  async function untilEnded(number: number, { pid, ended }: ServingProcess): Promise<{ code: number | null }> {
    const { code, signal } = await ended;
    there.delete(number);
    relay.end(number);
    const isAsked = stop.aborted ? {} : { level: 'error' };
    out(eventLine(now(), 'process_ended', { ...isAsked, process: number, pid, code, signal }));
    return { code };
  }

  async function keep(number: number, first?: ServingProcess): Promise<void> {
    let next = first ?? start(number);
    let soonEnded = 0;
    for (;;) {
      const startedAt = now();
      await untilEnded(number, next);
      if (stop.aborted) return;
      soonEnded = now() - startedAt < processSoundMs ? soonEnded + 1 : 0;
      if (soonEnded > 0) await wait(Math.min(longestProcessPauseMs, processPauseMs * 2 ** (soonEnded - 1)));
      if (stop.aborted) return;
      next = start(number);
    }
  }

  function endAll(): void {
    for (const one of there.values()) {
      one.ask('stop');
      const timer = setTimeout(() => one.kill(), endWithinMs);
      void one.ended.then(() => clearTimeout(timer));
    }
  }

  return {
    async run() {
      stop.addEventListener('abort', endAll, { once: true });
      if (stop.aborted) return 0;
      const first = start(1);
      const isThere = await Promise.race([first.listening.then(() => true), first.ended.then(() => false)]);
      if (!isThere) {
        const { code } = await untilEnded(1, first);
        return stop.aborted ? 0 : (code ?? 1);
      }
      const others = Array.from({ length: count - 1 }, (_, at) => at + 2);
      await Promise.all([keep(1, first), ...(stop.aborted ? [] : others.map((number) => keep(number)))]);
      return 0;
    },

    ask(what) {
      if (what === 'reload') relay.forgetWarnings();
      for (const one of there.values()) one.ask(what);
    },

    async metrics() {
      const told = await Promise.all([...there.values()].map((one) => one.metrics()));
      return told.filter((one) => one !== null);
    },
  };
}
