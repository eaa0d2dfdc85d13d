import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = process.env.BENCH_BUILD ?? fileURLToPath(new URL('../../dist', import.meta.url));

/** An entry of the service, of the build that is measured. */
export const partOf = (entry) => import(pathToFileURL(join(dist, 'backend', `${entry}.js`)).href);

/** Opens the store of a place; undefined for the one in memory. Only what is needed is loaded, as a service does. */
export async function openStore({ file, connectionString, schema }) {
  if (file !== undefined) {
    const { createSqliteStore } = await partOf('sqlite');
    return createSqliteStore({ file });
  }
  if (connectionString === undefined) return undefined;
  const { createPostgresStore } = await partOf('postgres');
  return createPostgresStore({ connectionString, schema });
}
