import { readFile } from 'node:fs/promises';
import type { Io } from './io.js';
import { UsageError } from './usage-error.js';

/** Where a secret may come from. Never from the command line: that is in the shell's history, and in `ps`. */
export interface SecretSource {
  /** What it is, for people: `the private key`. */
  what: string;
  /** The option's name and what was given; `-` is stdin. */
  option: string;
  /** What the place is called where it is no option: `games[0].privateKeys`. */
  place?: string;
  file: string | undefined;
  /** The variable that holds it; the same with `_FILE` names a file. */
  variable: string;
}

/**
 * A secret from a file, stdin or the environment, or null where none of them has it. One line end
 * after it is not part of it.
 */
export async function findSecret(io: Io, source: SecretSource): Promise<string | null> {
  const { what, option, place = `--${option}`, file, variable } = source;
  if (file !== undefined) return noted(io, file, checked(await textOf(io, file, place), `${what} in ${place}`));
  const value = io.env[variable];
  if (value !== undefined && value !== '') return checked(value, `${what} in ${variable}`);
  const path = io.env[`${variable}_FILE`];
  if (path === undefined || path === '') return null;
  return noted(io, path, checked(await textOf(io, path, `${variable}_FILE`), `${what} in ${variable}_FILE`));
}

function noted(io: Io, file: string, secret: string): string {
  if (file !== '-') io.foundIn?.(file, secret);
  return secret;
}

export async function requireSecret(io: Io, source: SecretSource): Promise<string> {
  const found = await findSecret(io, source);
  if (found !== null) return found;
  const { what, option, variable } = source;
  throw new UsageError(`${what} is missing: give --${option} <file>, or set ${variable} in the environment`);
}

async function textOf(io: Io, file: string, from: string): Promise<string> {
  if (file !== '-') return readText(file, from);
  const piped = await io.input();
  if (piped === null) throw new UsageError(`${from}: nothing comes in on stdin`);
  return Buffer.from(piped).toString('utf8');
}

async function readText(file: string, from: string): Promise<string> {
  return (await readBytes(file, from)).toString('utf8');
}

/** What is in a file, or a clear word on why it cannot be read. */
export async function readBytes(file: string, from: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (error) {
    throw new UsageError(`${from}: ${whyUnreadable(error)}`);
  }
}

function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'that is a folder';
  if (code === 'EACCES' || code === 'EPERM') return 'the file may not be read';
  return `the file cannot be read (${code ?? 'unknown'})`;
}

function checked(text: string, from: string): string {
  const secret = text.replace(/\r?\n$/, '');
  if (secret.trim() === '') throw new UsageError(`${from} is empty`);
  if (secret.trim() !== secret) throw new UsageError(`${from} has white space around it: remove it`);
  return secret;
}
