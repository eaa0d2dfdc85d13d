import { spawn } from 'node:child_process';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

/** A command that runs beside the service, such as the one that shows the game's page. */
export interface Companion {
  /** Settles when it has ended: with 0 where it ended well, or was asked to. Rejects where it could not be started. */
  readonly ended: Promise<0 | 1>;
  /** Asks it to end. */
  stop(): void;
}

/** What stands behind `--`, and the service's own arguments before it. Null where there is none. */
export function splitCommand(args: readonly string[]): { own: readonly string[]; command: readonly string[] | null } {
  const at = args.indexOf('--');
  if (at < 0) return { own: args, command: null };
  const command = args.slice(at + 1);
  if (command.length === 0) throw new UsageError('behind -- comes a command, such as: savepoint dev -- vite');
  return { own: args.slice(0, at), command };
}

/**
 * Starts a command in this terminal, with the service's address in its environment: in Vite's
 * spelling pages have it, too.
 */
export function startCompanion(command: readonly string[], url: string, { env }: Io): Companion {
  const [program = '', ...args] = command;
  const isOnWindows = process.platform === 'win32';
  const child = spawn(program, args, {
    stdio: 'inherit',
    env: { ...env, SAVEPOINT_URL: url, VITE_SAVEPOINT_URL: url },
    // What npm installs there is a script, which only a shell can start.
    shell: isOnWindows,
  });
  let isStopping = false;
  const ended = new Promise<0 | 1>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT';
      const problem = isMissing ? 'is not there: is it installed (npm install)?' : `cannot be started (${error.code})`;
      reject(new UsageError(`${JSON.stringify(program)} ${problem}`));
    });
    child.once('exit', (code, signal) => resolve(isStopping || code === 0 || isInterrupted(code, signal) ? 0 : 1));
  });
  return {
    ended,
    stop() {
      isStopping = true;
      child.kill('SIGTERM');
    },
  };
}

/** Ctrl-C at a terminal is for both at once, and the command may be the first that has ended. */
function isInterrupted(code: number | null, signal: NodeJS.Signals | null): boolean {
  return signal === 'SIGINT' || signal === 'SIGTERM' || code === 130 || code === 143;
}
