import { readArguments } from './arguments.js';
import { ownedLimits } from './config/limits.js';
import { loadConfig, usualConfig } from './config/load-config.js';
import type { ExitCode, Io } from './io.js';
import { openGiven } from './open-store.js';
import { readStore } from './serve/settings.js';
import { UsageError } from './usage-error.js';

/** `savepoint migrate`: brings a store's schema up to date, and ends. */
export async function migrate(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values } = readArguments({ command: 'migrate' }, args, {
    config: { type: 'string' },
    store: { type: 'string' },
  });
  const file = values.config ?? usualConfig();
  const missing = (problem: string): never => {
    throw new UsageError(problem);
  };
  const config = file === null ? {} : await loadConfig(file);
  const given = await readStore(values, config, io, missing);
  if (given === null || given === 'memory') throw new UsageError('a store in memory has no schema');
  // To open a store is to bring it up to date; one that the configuration has opened already is.
  const { close } = await openGiven(given, ownedLimits(config.limits).postgres);
  await close();
  io.out('the schema is up to date\n');
  return 0;
}
