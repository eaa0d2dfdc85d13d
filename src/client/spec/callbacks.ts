import { StateError } from '../../errors.js';
import { callSafely } from '../events.js';
import { report } from '../platform/platform.js';
import { failed } from '../results.js';
import { toPascalCase } from './spelling.js';

/** A game's own function that gets the result of a call just before the promise settles. It is not awaited. */
export type Callback<Result> = (result: Result) => unknown;

/** Runs a call of the interface. It never rejects; the callback is called once, just before the promise settles. */
export async function runWithCallback<Result>(
  task: () => Promise<Result>,
  callback?: Callback<Result>,
): Promise<Result> {
  let result: Result;
  try {
    if (callback !== undefined && typeof callback !== 'function') throw new TypeError('callback must be a function');
    result = await task();
  } catch (error) {
    // The client throws for a wrong argument or option, where the interface gives a result.
    result = toPascalCase(failed(error instanceof TypeError ? invalidArgument(error) : error)) as Result;
  }
  if (typeof callback === 'function') callSafely(report, callback, result);
  return result;
}

function invalidArgument({ message }: TypeError): StateError {
  return new StateError('invalid_argument', message.charAt(0).toUpperCase() + message.slice(1));
}
