import { withinTime } from '../../http/timers.js';

/** What a game's own function has not answered in time. */
export class NoAnswerInTime extends Error {
  constructor() {
    super('There was no answer in time.');
    this.name = 'NoAnswerInTime';
  }
}

/**
 * Asks a function that the game has given, which may never settle: then the signal aborts, it rejects with
 * NoAnswerInTime, and what comes later is ignored.
 */
export function askOutside<Result>(
  ms: number,
  ask: (signal: AbortSignal) => Result | Promise<Result>,
): Promise<Result> {
  const asking = new AbortController();
  return withinTime(ms, Promise.resolve(asking.signal).then(ask), () => {
    const late = new NoAnswerInTime();
    asking.abort(late);
    return late;
  });
}
