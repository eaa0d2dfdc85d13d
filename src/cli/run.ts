import { parseArgs } from 'node:util';
import { commands } from './commands.js';
import { help } from './help.js';
import { exitCodeOf, Interrupted, orInterrupted } from './interrupted.js';
import type { ExitCode, Io } from './io.js';
import { nearest } from './nearest.js';
import { UsageError } from './usage-error.js';

/** Runs the command line and answers its exit code. Never throws. */
export async function run(argv: readonly string[], io: Io): Promise<ExitCode> {
  try {
    return await dispatch(argv, io);
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error('it failed');
    io.err(`savepoint: ${message}\n`);
    if (error instanceof Interrupted) return exitCodeOf(io.stop.reason);
    return error instanceof UsageError ? 2 : 1;
  }
}

async function dispatch(argv: readonly string[], io: Io): Promise<ExitCode> {
  const [first, ...rest] = argv;
  if (first === undefined) throw new UsageError('say what to do, such as: savepoint dev (more: savepoint --help)');
  const text = answerTo(first, rest, io);
  if (text !== null) return say(io, text);
  const command = commandNamed(first);
  if (command === null) throw new UsageError(`${unknown(first)} (see: savepoint --help)`);
  if (asksForHelp(rest)) return say(io, command.help);
  const work = (await command.load())(rest, io);
  return 'endsItself' in command ? work : orInterrupted(work, io.stop, leftToItself);
}

const leftToItself = 'interrupted: what was asked of a service or a store until then may have been carried out';

function answerTo(first: string, rest: readonly string[], io: Io): string | null {
  if (first === '--help' || first === '-h') return help;
  if (first === '--version' || first === '-v') return `${io.version}\n`;
  return first === 'help' ? helpOn(rest) : null;
}

function say(io: Io, text: string): ExitCode {
  io.out(text);
  return 0;
}

function commandNamed(name: string) {
  return Object.hasOwn(commands, name) ? commands[name as keyof typeof commands] : null;
}

function unknown(first: string): string {
  if (first.startsWith('-')) return `there is no option ${JSON.stringify(optionName(first))}`;
  const meant = nearest(first, [...Object.keys(commands), 'help']);
  return `there is no command ${JSON.stringify(first)}${meant === null ? '' : `; did you mean ${meant}?`}`;
}

function helpOn([name, ...more]: readonly string[]): string {
  if (name === undefined) return help;
  const command = more.length === 0 ? commandNamed(name) : null;
  if (command !== null) return command.help;
  throw new UsageError(`there is no help on ${JSON.stringify([name, ...more].join(' '))} (see: savepoint help)`);
}

function asksForHelp(args: readonly string[]): boolean {
  const options = { help: { type: 'boolean', short: 'h' } } as const;
  return parseArgs({ args: [...args], options, strict: false }).values.help === true;
}

/** What stands behind the `=` may be a secret. */
function optionName(argument: string): string {
  return argument.split('=')[0] ?? '';
}
