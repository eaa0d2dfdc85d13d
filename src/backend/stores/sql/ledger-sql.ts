/**
 * How an engine's SQL reads and changes the column `writes`, which holds an entry's ledger as JSON:
 * `{"<device>":["<write>",<version>]}`. Each function takes an SQL expression, and gives one.
 */
export interface LedgerSql {
  /** The name of the device's last write; NULL where the ledger does not have the device. */
  lastWrite(device: string): string;
  /** The ledger with one more write in it, which is given as such a JSON object. */
  withWrite(written: string): string;
}

export const postgresLedger: LedgerSql = {
  lastWrite: (device) => `writes -> CAST(${device} AS text) ->> 0`,
  withWrite: (written) => `writes || CAST(${written} AS jsonb)`,
};

export const sqliteLedger: LedgerSql = {
  lastWrite: (device) => `json_extract(writes, '$."' || ${device} || '"[0]')`,
  withWrite: (written) => `json_patch(writes, ${written})`,
};
