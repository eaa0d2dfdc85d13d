/**
 * The condition by which a SELECT finds many rows of a table along an index, in the order that costs the engine least. Takes the
 * table and the condition in SQL, and gives the condition.
 */
export type RowOrder = (table: string, condition: string) => string;

/** PostgreSQL decides that by itself. */
export const postgresRowOrder: RowOrder = (_, condition) => condition;

/**
 * SQLite reads each row where the index says that it is, which is another page each time where the rows of an account were made at
 * different times. So it is told to collect where they are from the index alone, and to read them one after the other.
 */
export const sqliteRowOrder: RowOrder = (table, condition) =>
  `rowid IN (SELECT rowid FROM ${table} WHERE ${condition})`;
