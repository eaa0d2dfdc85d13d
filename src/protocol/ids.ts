import { NIL, v4 } from 'uuid';
import { regexes } from 'zod/mini';

/**
 * Whether a value is an id of the form 8-4-4-4-12, in any case. The package `uuid` refuses version digits that no
 * standard names. But games have such ids, and the interface asks for no more than "UUID format", so zod's looser form
 * decides.
 */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && regexes.guid.test(value);
}

/** Makes a UUID of version 4 from 16 random bytes: those that are given, or the platform's. */
export function newUuid(random?: Uint8Array): string {
  // The package writes the version into the bytes that it is given, so it gets a copy.
  return random === undefined ? v4() : v4({ random: Uint8Array.from(random) });
}

/** The id that nothing has. */
export const nilUuid: string = NIL;
