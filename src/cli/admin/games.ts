import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { asked, connect, connectOptions } from './connect.js';
import { table, writeJson } from './table.js';

/** `savepoint games`: the games that a service keeps players for. */
export async function games(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'games' }, args, connectOptions);
  const admin = await connect(values, io);
  const found = await asked(() => admin.games());
  if (values.json === true) writeJson(io, { games: found });
  else table(io, { GAME: ({ id }) => id }, found);
  return 0;
}
