import { withinTime } from '../../http/timers.js';

/** What a game's own function has not answered in time. */
export class NoAnswerInTime extends Error {
  /** The limit that it was, where a request is refused for it. */
  readonly limitName: 'verifierMs' | undefined;

  constructor(limitName?: 'verifierMs') {
    super('There was no answer in time.');
    this.name = 'NoAnswerInTime';
    this.limitName = limitName;
  }
}

/** The limit by which a check of a platform has failed, for a refusal; nothing where something else was the reason. */
export function limitOfCheck(error: unknown): { limitName?: 'verifierMs' } {
  const isLate = error instanceof NoAnswerInTime && error.limitName !== undefined;
  return isLate ? { limitName: 'verifierMs' } : {};
}

/**
 * Asks a function that the game has given, which may never settle: then the signal aborts, it rejects with
 * NoAnswerInTime, and what comes later is ignored.
 */
export function askOutside<Result>(
  ms: number,
  ask: (signal: AbortSignal) => Result | Promise<Result>,
  limitName?: 'verifierMs',
): Promise<Result> {
  const asking = new AbortController();
  return withinTime(ms, Promise.resolve(asking.signal).then(ask), () => {
    const late = new NoAnswerInTime(limitName);
    asking.abort(late);
    return late;
  });
}
