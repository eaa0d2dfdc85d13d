import type { TestProject } from 'vitest/node';
import { findPostgres, type OwnPostgres, startPostgres } from '../../scripts/postgres.mjs';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the tests' PostgreSQL is; null where there is none. */
    postgres: string | null;
  }
}

/**
 * Finds a PostgreSQL for all tests of the project: the one that TEST_DATABASE_URL names, else one of this run's own,
 * from the machine's binaries. Without any the tests are skipped, one line says so, and with REQUIRE_POSTGRES it is an error.
 */
export async function setup(project: TestProject): Promise<(() => void) | undefined> {
  const given = process.env['TEST_DATABASE_URL'];
  const binaries = given ? null : findPostgres();
  if (given || binaries === null) {
    if (!given) sayThatThereIsNone();
    project.provide('postgres', given || null);
    return undefined;
  }
  const server = await startPostgres(binaries, testOnly);
  project.provide('postgres', server.url);
  return server.remove;
}

/** Makes one of a test's own, which runs and may be stopped; null where the machine has no binaries for it. */
export function ownPostgres(): (() => Promise<OwnPostgres>) | null {
  const binaries = findPostgres();
  return binaries === null ? null : () => startPostgres(binaries, testOnly);
}

/** Durability is PostgreSQL's own, and here nobody pulls its plug. */
const testOnly = { isDurable: false };

function sayThatThereIsNone(): void {
  const line = 'No PostgreSQL: set TEST_DATABASE_URL, or install it (apt-get install postgresql).';
  if (process.env['REQUIRE_POSTGRES']) throw new Error(line);
  console.warn(`${line} The tests on it are skipped.`);
}
