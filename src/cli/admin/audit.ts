import { auditText } from '../../protocol/audit-text.js';
import type { AdminClient, AuditEntry } from '../../server/index.js';
import { readArguments } from '../arguments.js';
import { Interrupted } from '../interrupted.js';
import type { ExitCode, Io } from '../io.js';
import { asked, connect, connectOptions } from './connect.js';
import { type Columns, moment, table, tellMore, writeJson } from './table.js';

export const pageOptions = { limit: { type: 'string' }, cursor: { type: 'string' } } as const;

/** `savepoint audit`: what operators have done. */
export async function audit(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'audit' }, args, {
    ...connectOptions,
    ...pageOptions,
    all: { type: 'boolean' },
  });
  const admin = await connect(values, io);
  if (values.all === true) return writeAll(admin, values.cursor, io);
  const page = await asked(() => admin.audit(readPage(values)));
  if (values.json === true) writeJson(io, page);
  else {
    table(io, auditColumns, page.entries);
    tellMore(io, page.cursor);
  }
  return 0;
}

/** As many entries as a page may have. */
const longestPage = 200;

/** Writes the whole log, an entry on each line as JSON: what is kept elsewhere, and what a script reads. */
async function writeAll(admin: AdminClient, first: string | undefined, io: Io): Promise<ExitCode> {
  let cursor = first;
  do {
    if (io.stop.aborted) throw new Interrupted('interrupted: the log goes on behind what was written');
    const page = await asked(() => admin.audit({ cursor, limit: longestPage }));
    for (const entry of page.entries) writeJson(io, entry);
    cursor = page.cursor;
  } while (cursor !== undefined);
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
    [what, before, after]
      .flatMap((part, at) =>
        part === undefined || Object.keys(part).length === 0 ? [] : [`${parts[at]}${auditText(part)}`],
      )
      .join('  '),
};

/** What stands before each part: what was changed says so by itself. */
const parts = ['', 'before ', 'after '];
