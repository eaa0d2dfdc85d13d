import { type Backend, type BackendOptions, createBackend } from '../backend/index.js';
import { UsageError } from './usage-error.js';

/** A service of options that somebody wrote: what is wrong with them is theirs to set right. */
export function createChecked(options: BackendOptions): Backend {
  return asUsageError(() => createBackend(options));
}

/** Makes something of options; the TypeError that names a wrong one is a UsageError then. */
export function asUsageError<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw error instanceof TypeError ? new UsageError(`the configuration: ${error.message}`) : error;
  }
}
