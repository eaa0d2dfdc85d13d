import type { ServedBackend } from '../backend/node.js';
import { typed } from './quoted.js';
import { UsageError } from './usage-error.js';

/**
 * Opens a port; one that cannot be had is the caller's to set right. `beside` is the command that runs beside the service:
 * the advice keeps it.
 */
export async function listening(
  command: string,
  open: () => Promise<ServedBackend>,
  option = '--port',
  beside: readonly string[] = [],
): Promise<ServedBackend> {
  try {
    return await open();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const advised = ['savepoint', command, option, '0', ...(beside.length === 0 ? [] : ['--', ...beside])];
    const another = code === 'EADDRINUSE' || code === 'EACCES' ? ` Take another one: ${typed(advised)}` : '';
    if (error instanceof TypeError) throw new UsageError(`the configuration: ${message}`);
    throw code === undefined ? error : new UsageError(`${message}${another}`);
  }
}

/** Settles when the program is asked to end. */
export function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
