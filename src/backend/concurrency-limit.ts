import { startTimer } from '../http/timers.js';
import { busyRetryMs } from '../protocol/gaps/retry-hints.js';
import type { LimitName } from './limit-name.js';
import { Refusal } from './refusal.js';

/** Who waits for a turn. */
export interface Waiting {
  /** Whose task it is, such as an address or an account; undefined where that is not known. */
  line: string | undefined;
  /** Aborts when the player is gone: a task that waits is then not run. */
  signal?: AbortSignal | undefined;
}

/**
 * Runs a task when its turn comes. Everybody has a line of their own, and the lines take turns, so that whoever has
 * many tasks holds up nobody else. Where too many wait, the last one of the longest line is refused with `unavailable`.
 */
export interface ConcurrencyLimit {
  /** A task that goes on without its turn ends it before. */
  <Result>(who: Waiting, task: (endTurn: () => void) => Promise<Result>): Promise<Result>;
  /** How many tasks run, and how many wait. */
  load(): { running: number; waiting: number };
}

export interface ConcurrencyOptions {
  /** How many tasks run at once. */
  atOnce: number;
  /** How many of those may be of one line; as many as there are by default. */
  atOncePerLine?: number;
  /** How many tasks may wait. */
  waiting: number;
  /** How long each of them may wait, in ms, before it is refused; for as long as it takes by default. */
  waitMs?: number;
  /** Which limits these two are, for whoever is refused. */
  names?: { waiting: LimitName; waitMs?: LimitName };
  /** Called before each task whose turn has come; no task begins before it settles. */
  before?: () => Promise<void>;
}

/** A task that waits for its turn. */
interface Waiter {
  start(): void;
  refuse(limitName?: LimitName): void;
}

export function createConcurrencyLimit({
  atOnce,
  atOncePerLine = atOnce,
  waiting: maxWaiting,
  waitMs,
  names,
  before,
}: ConcurrencyOptions): ConcurrencyLimit {
  /** Those who wait, by line, the one whose turn is next first. No line is empty. */
  const lines = new Map<string, Waiter[]>();
  let waiting = 0;
  const running = new Map<string, number>();
  let runs = 0;

  /** Where nobody knows whose it is, nothing is counted for it. */
  const hasTurn = (name: string): boolean =>
    runs < atOnce && (name === unknown || (running.get(name) ?? 0) < atOncePerLine);

  function start(name: string): void {
    runs += 1;
    running.set(name, (running.get(name) ?? 0) + 1);
  }

  /** A task that ends hands its turn to the next one, so that no task that comes meanwhile can take it. */
  function end(name: string): void {
    runs -= 1;
    const left = (running.get(name) ?? 0) - 1;
    if (left > 0) running.set(name, left);
    else running.delete(name);
    for (const [next, line] of lines) {
      if (!hasTurn(next)) continue;
      const [first] = line;
      start(next);
      first?.start();
      return;
    }
  }

  function leave(name: string, waiter: Waiter): void {
    const left = lines.get(name)?.filter((other) => other !== waiter) ?? [];
    waiting -= 1;
    lines.delete(name);
    if (left.length > 0) lines.set(name, left);
  }

  /** Refuses somebody where nobody else may wait: the newcomer, unless another line is longer. */
  function makeRoom(name: string): void {
    if (waiting < maxWaiting) return;
    let longest: Waiter[] = [];
    for (const line of lines.values()) if (line.length > longest.length) longest = line;
    if (longest.length <= (lines.get(name)?.length ?? 0) + 1) throw busy(names?.waiting);
    longest.at(-1)?.refuse(names?.waiting);
  }

  function takeTurn(name: string, signal: AbortSignal | undefined): Promise<void> {
    makeRoom(name);
    return new Promise((resolve, reject) => {
      const goOn = (settle: () => void): void => {
        leave(name, waiter);
        stopTimer();
        signal?.removeEventListener('abort', giveUp);
        settle();
      };
      const waiter: Waiter = {
        start: () => goOn(resolve),
        refuse: (limitName) => goOn(() => reject(busy(limitName))),
      };
      const giveUp = (): void => waiter.refuse();
      const stopTimer = waitMs === undefined ? () => {} : startTimer(waitMs, () => waiter.refuse(names?.waitMs));
      signal?.addEventListener('abort', giveUp);
      lines.set(name, [...(lines.get(name) ?? []), waiter]);
      waiting += 1;
    });
  }

  const run = async <Result>(
    { line, signal }: Waiting,
    task: (endTurn: () => void) => Promise<Result>,
  ): Promise<Result> => {
    const name = line ?? unknown;
    if (signal?.aborted === true) throw busy();
    if (hasTurn(name)) start(name);
    else await takeTurn(name, signal);
    let isOver = false;
    const endTurn = (): void => {
      if (!isOver) end(name);
      isOver = true;
    };
    try {
      if (before !== undefined) await before();
      return await task(endTurn);
    } finally {
      endTurn();
    }
  };
  return Object.assign(run, { load: () => ({ running: runs, waiting }) });
}

/** The line of those of whom nothing is known. */
const unknown = '';

/** Whoever is gone has reached no limit. */
function busy(limitName?: LimitName): Refusal {
  return new Refusal('unavailable', { retryAfterMs: busyRetryMs, ...(limitName === undefined ? {} : { limitName }) });
}
