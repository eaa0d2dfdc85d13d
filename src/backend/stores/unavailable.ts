/** The store cannot be reached, and surely has done nothing. The log shows `reason`, which must hold no secret. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(reason: string, cause: unknown) {
    super(`The store cannot be reached (${reason}).`, { cause });
  }
}

/** Recognises the error by its name, for a store may come from another copy of this package. */
export function isStoreUnavailable(error: unknown): error is Error {
  return error instanceof Error && error.name === 'StoreUnavailable';
}
