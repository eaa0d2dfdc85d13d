import { existsSync } from 'node:fs';
import { type Quotas, quotasOf } from '../backend/quotas.js';
import { sizes } from '../protocol/gaps/sizes.js';
import { ownedLimits } from './config/limits.js';
import { loadConfig, usualConfig } from './config/load-config.js';
import { asUsageError } from './create-checked.js';
import type { Io } from './io.js';
import { type OpenStore, openStore, storeKind } from './open-store.js';
import { readStore } from './serve/settings.js';
import { UsageError } from './usage-error.js';

export interface ConfiguredStore extends OpenStore {
  /** What the service that has this configuration lets a player hold. */
  quotas: Quotas;
  /** How many bytes of JSON a value may have there. */
  valueBytes: number;
}

/** A statement that goes over all accounts may take longer than a player's request. */
const statementTimeoutMs = 3_600_000;

/**
 * Opens the store that `savepoint serve` would have, for a command that goes through all of it. With
 * `mustBeThere` a file that is not there is refused, in place of made: a name that was mistyped would look like a
 * service without players.
 */
export async function openConfiguredStore(
  given: { store?: string | undefined; config?: string | undefined },
  io: Io,
  { mustBeThere }: { mustBeThere: boolean },
): Promise<ConfiguredStore> {
  const file = given.config ?? usualConfig();
  const config = file === null ? {} : await loadConfig(file);
  const description = await readStore(given, config, io, (problem) => {
    throw new UsageError(problem);
  });
  if (typeof description !== 'string' || storeKind(description) === 'memory') {
    throw new UsageError('a store in memory keeps nothing: give a file, or postgres://…');
  }
  if (mustBeThere && storeKind(description) === 'sqlite' && !existsSync(description)) {
    throw new UsageError(`the store: there is no file ${description}`);
  }
  const { service, postgres } = ownedLimits(config.limits);
  const quotas = asUsageError(() => quotasOf(service.quotas));
  const opened = await openStore(description, { ...postgres, statementTimeoutMs });
  return { ...opened, quotas, valueBytes: service.valueBytes ?? sizes.valueBytes };
}
