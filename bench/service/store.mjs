/** Opens the store of a place; undefined for the one in memory. Only what is needed is loaded, as a service does. */
export async function openStore({ file, connectionString, schema }) {
  if (file !== undefined) {
    const { createSqliteStore } = await import('../../dist/backend/sqlite.js');
    return createSqliteStore({ file });
  }
  if (connectionString === undefined) return undefined;
  const { createPostgresStore } = await import('../../dist/backend/postgres.js');
  return createPostgresStore({ connectionString, schema });
}
