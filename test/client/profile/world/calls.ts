import { traceOf } from './engine.js';
import type { Truth } from './truth.js';

/** A result of an operation that never rejects. */
export interface Result {
  success: boolean;
  userId?: string | null;
  error?: { code: string; cause?: unknown };
}

/** The calls of a game that are not settled. Each has to settle, once; what a dead page's calls do is nobody's matter. */
export interface Calls {
  /** Follows a call; one that rejects may say any code but that of a defect. */
  track<T>(name: string, call: () => Promise<T>, then?: (result: T) => void, failed?: (error: Failure) => void): void;
  /** Follows one of those that change who plays. */
  trackResult(name: string, call: () => Promise<Result>, then?: (result: Result) => void): void;
  /** Whether one is under way that changes who plays. */
  readonly isSwitching: boolean;
  waiting(): string[];
}

export type Failure = Error & { code?: string };

export function createCalls(page: { readonly isAlive: boolean }, where: string, truth: Truth): Calls {
  const underWay = new Set<{ name: string; isResult: boolean }>();

  function follow<T>(
    one: { name: string; isResult: boolean },
    call: () => Promise<T>,
    then: (result: T) => void,
    failed: (error: Failure) => void,
  ) {
    underWay.add(one);
    const settle = (): boolean => {
      if (!underWay.delete(one)) truth.wrong(`settles twice: ${one.name} in ${where}`);
      return page.isAlive;
    };
    let called: Promise<T>;
    try {
      called = call();
    } catch (error) {
      called = Promise.reject(error);
    }
    called.then(
      (result) => settle() && then(result),
      (error: Failure) => settle() && failed(error),
    );
  }

  const defect =
    (name: string) =>
    (error: Failure): void => {
      if (error.code === undefined || error.code === 'sdk_failed')
        truth.wrong(`${name} in ${where}: ${traceOf(error)}`);
    };

  return {
    track: (name, call, then = () => {}, failed = defect(name)) =>
      follow({ name, isResult: false }, call, then, failed),
    trackResult: (name, call, then = () => {}) =>
      follow(
        { name, isResult: true },
        call,
        (result) => {
          if (result.error?.code === 'sdk_failed') truth.wrong(`${name} in ${where}: ${result.error.cause}`);
          then(result);
        },
        defect(name),
      ),
    get isSwitching() {
      return [...underWay].some(({ isResult }) => isResult);
    },
    waiting: () => [...underWay].map(({ name }) => `${name} in ${where}`),
  };
}
