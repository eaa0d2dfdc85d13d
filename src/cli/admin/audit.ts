import type { AuditEntry } from '../../server/index.js';
import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { asked, connect, connectOptions } from './connect.js';
import { type Columns, moment, table, tellMore, writeJson } from './table.js';

export const pageOptions = { limit: { type: 'string' }, cursor: { type: 'string' } } as const;

/** `savepoint audit`: what operators have done. */
export async function audit(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'audit' }, args, { ...connectOptions, ...pageOptions });
  const admin = await connect(values, io);
  const page = await asked(() => admin.audit(readPage(values)));
  if (values.json === true) writeJson(io, page);
  else {
    table(io, auditColumns, page.entries);
    tellMore(io, page.cursor);
  }
  return 0;
}

export function readPage({ limit, cursor }: { limit?: string | undefined; cursor?: string | undefined }) {
  return { cursor, limit: limit === undefined ? undefined : Number(limit) };
}

export const auditColumns: Columns<AuditEntry> = {
  WHEN: ({ at }) => moment(at),
  WHO: ({ by }) => by.name,
  WHAT: ({ action }) => action,
  PLAYER: ({ userId = '' }) => userId,
  DETAILS: ({ what, before, after }) =>
    [
      JSON.stringify(what),
      ...[before, after].flatMap((side) => (side === undefined ? [] : [JSON.stringify(side)])),
    ].join(' -> '),
};
