import { type ParseArgsConfig, parseArgs } from 'node:util';
import { nearest } from './nearest.js';
import { UsageError } from './usage-error.js';

interface Command {
  command: string;
  /** What stands behind the command, in words; null for nothing. */
  takes?: string | null;
  isOptional?: boolean;
  /** The options that whoever writes more than that most likely means. */
  such?: string | null;
}

/**
 * Reads a command's arguments. No message shows what stands behind an option, or in the place of one: that may be a
 * secret.
 */
export function readArguments<const Options extends NonNullable<ParseArgsConfig['options']>>(
  { command, takes = null, isOptional = false, such = null }: Command,
  args: readonly string[],
  options: Options,
) {
  const parsed = parse();
  const [positional, ...more] = parsed.positionals;
  if (more.length > 0)
    throw usage(
      `${command} takes ${takes} and nothing more besides options${such === null ? '' : `, such as ${such}`}`,
    );
  if (takes !== null && !isOptional && positional === undefined) throw usage(`${command} needs ${takes}`);
  return { values: parsed.values, positional: positional ?? '' };

  function parse() {
    try {
      return parseArgs({ args: withDashes(args, options), options, allowPositionals: takes !== null });
    } catch (error) {
      throw usage(problemOf(error));
    }
  }

  function usage(problem: string): UsageError {
    return new UsageError(`${problem} (see: savepoint help ${command})`);
  }

  /** In our words: Node's go over several lines, and echo what was given. */
  function problemOf(error: unknown): string {
    const { code, message } = error as NodeJS.ErrnoException;
    const option = /'(?:-\w, )?(--?[\w-]+)/.exec(message)?.[1] ?? 'an option';
    if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `there is no option ${option}${meant(option)}`;
    if (code === 'ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL') return `${command} takes options only`;
    return message.includes('does not take') ? `${option} takes no value` : `${option} needs a value`;
  }

  function meant(option: string): string {
    const found = option.startsWith('--') ? nearest(option.slice(2), Object.keys(options)) : null;
    return found === null ? '' : `; did you mean --${found}?`;
  }
}

/**
 * Ties a value that begins with a dash, as every 64th name of a device and every 64th key does, to its option: Node's
 * reader takes it for an option otherwise. What is an option of the command stays one.
 */
function withDashes(args: readonly string[], options: NonNullable<ParseArgsConfig['options']>): string[] {
  const isKnown = (arg: string): boolean => Object.values(options).some(({ short }) => arg === `-${short}`);
  const takesValue = (arg: string | undefined): boolean => options[arg?.slice(2) ?? '']?.type === 'string';
  const tied: string[] = [];
  for (const [index, arg] of args.entries()) {
    const isValue = /^-[^-]/.test(arg) && takesValue(args[index - 1]) && !isKnown(arg);
    if (isValue) tied.push(`${tied.pop()}=${arg}`);
    else tied.push(arg);
  }
  return tied;
}
