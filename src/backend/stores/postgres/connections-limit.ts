import { postgresTimeouts } from '../../../protocol/gaps/postgres-timeouts.js';
import { integerOrNull, type SqlRow } from '../sql/statement.js';
import { openPool } from './pool.js';

const text = `SELECT current_setting('max_connections', true) AS most,
  coalesce(current_setting('superuser_reserved_connections', true), '0') AS reserved`;

/** How many connections a database takes, but for those that it keeps for its operator; null where it does not say. */
export async function readConnectionsLimit(connectionString: string): Promise<number | null> {
  const pool = await openPool({ connectionString, max: 1 }, postgresTimeouts);
  try {
    const connection = await pool.connect();
    try {
      const { rows } = await connection.query(text);
      const row = rows[0] as SqlRow;
      const most = integerOrNull(row, 'most');
      return most === null ? null : most - (integerOrNull(row, 'reserved') ?? 0);
    } finally {
      connection.release();
    }
  } catch {
    return null;
  } finally {
    await pool.end();
  }
}
