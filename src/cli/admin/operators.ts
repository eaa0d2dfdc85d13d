import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { asked, connect, connectOptions } from './connect.js';
import { moment, table, tellDone, writeJson } from './table.js';

/** `savepoint operators`: the operators' keys, and how one is taken away. */
export async function operators(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments({ command: 'operators', takes: 'list or revoke' }, args, {
    ...connectOptions,
    id: { type: 'string' },
  });
  const admin = await connect(values, io);
  if (positional === 'list') {
    const keys = await asked(() => admin.listKeys());
    if (values.json === true) writeJson(io, { keys });
    else {
      table(
        io,
        {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          SCOPE: ({ scope }) => scope,
          MADE: ({ createdAt }) => moment(createdAt),
          BY: ({ createdBy }) => createdBy,
        },
        keys,
      );
    }
    return 0;
  }
  const { id } = values;
  if (positional !== 'revoke' || id === undefined) {
    throw new UsageError('say savepoint operators list, or savepoint operators revoke --id <id>');
  }
  await asked(() => admin.revokeKey(id));
  tellDone(io, values, { id, revoked: true }, 'the key no longer counts');
  return 0;
}
