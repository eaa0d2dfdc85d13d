import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { NewOperatorKey, OperatorScope } from '../server/index.js';
import { asked, connect } from './admin/connect.js';
import { writeJson } from './admin/table.js';
import { readArguments } from './arguments.js';
import type { ExitCode, Io } from './io.js';
import { writeSmallFile } from './new-file.js';
import { UsageError } from './usage-error.js';

/** `savepoint new-key`: a secret that nobody else has. */
export async function newKey(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments(
    { command: 'new-key', takes: 'signing, private, operator or sealing' },
    args,
    {
      out: { type: 'string' },
      name: { type: 'string' },
      scope: { type: 'string' },
      url: { type: 'string' },
      'operator-key-file': { type: 'string' },
      json: { type: 'boolean' },
    },
  );
  const make = Object.hasOwn(makers, positional) ? makers[positional] : undefined;
  if (make === undefined) {
    throw new UsageError(
      'say which: savepoint new-key signing, private, operator or sealing (see: savepoint help new-key)',
    );
  }
  const { name, scope, url, json, out } = values;
  if (positional !== 'operator' && (name ?? scope ?? url ?? json) !== undefined) {
    throw new UsageError("--name, --scope, --url and --json are for an operator's key");
  }
  const { key, ...about } = await make(values, io);
  if (out !== undefined) await writeNew(out, `${key}\n`);
  if (json === true) writeJson(io, out === undefined ? { key, ...about } : { ...about, out });
  else if (out === undefined) io.out(`${key}\n`);
  return 0;
}

/** A key, and what a service says of it where that has made it. */
type Made = { key: string } | NewOperatorKey;

interface OperatorArguments {
  out?: string | undefined;
  name?: string | undefined;
  scope?: string | undefined;
  url?: string | undefined;
  'operator-key-file'?: string | undefined;
}

const makers: { readonly [kind: string]: (given: OperatorArguments, io: Io) => Promise<Made> } = {
  // When it was made goes with it, so that `savepoint keys` knows how old it is, wherever it is kept.
  signing: async () => ({
    key: JSON.stringify({ ...(await newSigningKey()), iat: Math.floor(Date.now() / 1000) }),
  }),
  private: async () => ({ key: newPrivateKey() }),
  operator: newOperatorKey,
  sealing: async () => ({ key: randomBytes(32).toString('base64url') }),
};

/**
 * The first operator's key is made here, for the service's environment; the others by the service,
 * which keeps their hashes.
 */
async function newOperatorKey(given: OperatorArguments, io: Io): Promise<Made> {
  const { name, scope } = given;
  if (name === undefined && scope === undefined && given.url === undefined) return { key: newPrivateKey() };
  if (name === undefined || scope === undefined) {
    throw new UsageError(
      'give --name and --scope read|support|admin, or neither for the first key (SAVEPOINT_OPERATOR_KEY)',
    );
  }
  // The service shows the key this once: it must not be made where it cannot be written down.
  if (given.out !== undefined && existsSync(given.out)) throw new UsageError(`--out: ${whyNot['EEXIST']}`);
  const admin = await connect(given, io);
  return asked(() => admin.makeKey({ name, scope: scope as OperatorScope }));
}

/** A private EC P-256 JWK. */
export async function newSigningKey(): Promise<JsonWebKey> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  return { kty, crv, x, y, d } as JsonWebKey;
}

function newPrivateKey(): string {
  return randomBytes(32).toString('hex');
}

const whyNot: { readonly [code: string]: string } = {
  EEXIST: 'the file is there already; a key is never overwritten: give another name, or move that one away',
  ENOENT: 'there is no such folder; make it first',
  EACCES: 'the folder may not be written to',
  ENOSPC: 'the disk is full, and there is no file',
};

/** Never over a key that is there: all that was signed with it would end. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeSmallFile(file, text);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out: ${whyNot[code ?? ''] ?? `it cannot be written (${code})`}`);
  }
}
