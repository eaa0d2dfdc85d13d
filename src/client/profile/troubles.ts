import { NoAnswerError, type SdkError, type ServiceError, StateError } from '../../errors.js';
import { timeouts } from '../../protocol/gaps/timeouts.js';
import { backOff } from '../platform/back-off.js';

/** Why an entry is not sent. */
interface Trouble {
  readonly error: SdkError;
  readonly failures: number;
  /** By the device's clock. */
  readonly failedAt: number;
  /** When it is tried again, by the device's clock; null where only the game can help, or the next start. */
  readonly retriesAt: number | null;
}

/** The entries that failed by themselves, each with its own back-off. */
export type Troubles = ReturnType<typeof createTroubles>;

/** The pauses between tries, for one entry and for all. */
export const retryBounds = { minMs: timeouts.saveRetryMinMs, maxMs: timeouts.saveRetryMaxMs };

export function createTroubles(dependencies: { now(): number; random(): number; changed(): void }) {
  const { now, random, changed } = dependencies;
  const troubles = new Map<string, Trouble>();

  /** When the entry is tried again: at once where the clock was put back meanwhile. */
  function retryOf({ failedAt, retriesAt }: Trouble): number {
    if (retriesAt === null) return Number.POSITIVE_INFINITY;
    return now() < failedAt ? now() : retriesAt;
  }

  function end(name: string): void {
    if (troubles.delete(name)) changed();
  }

  return {
    has: (name: string): boolean => troubles.has(name),
    errorOf: (name: string): SdkError | undefined => troubles.get(name)?.error,
    some: (isMeant: (name: string, trouble: Trouble) => boolean): boolean =>
      [...troubles].some(([name, trouble]) => isMeant(name, trouble)),
    /** Whether the entry may be sent now. */
    isDue: (name: string): boolean => {
      const trouble = troubles.get(name);
      return trouble === undefined || retryOf(trouble) <= now();
    },
    /** When the next one that is meant is to be tried again, by the device's clock; infinite where none is. */
    nextRetry: (isMeant: (name: string) => boolean): number => {
      const meant = [...troubles].filter(([name]) => isMeant(name));
      return Math.min(...meant.map(([, trouble]) => retryOf(trouble)));
    },
    failed: (name: string, error: SdkError): void => {
      const failures = (troubles.get(name)?.failures ?? 0) + 1;
      const failedAt = now();
      const retriesAt = error.retryable ? failedAt + backOff(failures, error, retryBounds, random) : null;
      troubles.set(name, { error, failures, failedAt, retriesAt });
      changed();
    },
    /** It has been sent, or is to be tried at once. */
    end,
    /** The same for all that are meant. */
    endAll: (isMeant: (name: string, trouble: Trouble) => boolean): void => {
      for (const [name, trouble] of troubles) if (isMeant(name, trouble)) end(name);
    },
  };
}

/**
 * Whether a failure is one of all entries: without a network, without a session, and while the
 * service asks for a pause.
 */
export function stopsAll(error: SdkError): boolean {
  if (error instanceof NoAnswerError || error instanceof StateError) return error.code !== 'entry_conflict';
  return [401, 429, 503].includes((error as Partial<ServiceError>).status ?? 0);
}
