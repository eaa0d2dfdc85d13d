/** The store cannot be reached, and what was asked of it has surely not been done. `reason` is shown: it holds no secret. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(reason: string, cause: unknown) {
    super(`The store cannot be reached (${reason}).`, { cause });
  }
}

/** By its name: a store may come from another copy of this package. */
export function isStoreUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'StoreUnavailable';
}
