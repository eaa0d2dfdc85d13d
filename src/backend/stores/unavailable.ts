import type { LimitName } from '../limit-name.js';

/** A limit of a store after which it counts as one that cannot be reached. */
export type StoreLimit = Extract<LimitName, 'connectTimeoutMs' | 'statementTimeoutMs'>;

/**
 * The store cannot be reached, and surely has done nothing. The log shows `reason`, which must hold no secret. `limitName`
 * is the limit that was reached, where it was one.
 */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  readonly limitName: StoreLimit | undefined;
  constructor(reason: string, cause: unknown, limitName?: StoreLimit) {
    super(`The store cannot be reached (${reason}).`, { cause });
    this.limitName = limitName;
  }
}

/** Recognises the error by its name, for a store may come from another copy of this package. */
export function isStoreUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'StoreUnavailable';
}

/** The limit that made a store unavailable, for a refusal; nothing where it was none that is known here. */
export function limitOf(error: Error): { limitName?: StoreLimit } {
  const { limitName } = error as Partial<StoreUnavailable>;
  return limitName === 'connectTimeoutMs' || limitName === 'statementTimeoutMs' ? { limitName } : {};
}
