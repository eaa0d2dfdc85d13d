import { parseArgs } from 'node:util';
import { dev } from './dev.js';
import { devHelp, help } from './help.js';
import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/** Exit codes: 0 as asked, 1 for what should not happen, 2 for what the caller can set right. */
type ExitCode = 0 | 1 | 2;

/** Runs the command line and answers its exit code. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    await dispatch(argv, io);
    return 0;
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error('it failed');
    io.err(`savepoint: ${message}\n`);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<void> {
  const [first, ...rest] = argv;
  switch (first) {
    case undefined:
      throw new UsageError('say what to do, such as: savepoint dev (more: savepoint --help)');
    case '--help':
    case '-h':
      return io.out(help);
    case 'help':
      return io.out(helpOn(rest));
    case '--version':
    case '-v':
      return io.out(`${io.version}\n`);
    case 'dev':
      return asksForHelp(rest) ? io.out(devHelp) : dev(rest, io);
    default:
      throw new UsageError(
        first.startsWith('-')
          ? `there is no option ${JSON.stringify(optionName(first))} (see: savepoint --help)`
          : `there is no command ${JSON.stringify(first)} (see: savepoint --help)`,
      );
  }
}

function helpOn([command, ...more]: readonly string[]): string {
  if (command === undefined) return help;
  if (command === 'dev' && more.length === 0) return devHelp;
  throw new UsageError(`there is no help on ${JSON.stringify([command, ...more].join(' '))} (see: savepoint help)`);
}

function asksForHelp(args: readonly string[]): boolean {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  return parseArgs({ args: [...args], options, strict: false }).values.help === true;
}

/** What stands behind the `=` may be a secret. */
function optionName(argument: string): string {
  return argument.split('=')[0] ?? '';
}
