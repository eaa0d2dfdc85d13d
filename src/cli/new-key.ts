import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { readArguments } from './arguments.js';
import type { ExitCode, Io } from './io.js';
import { UsageError } from './usage-error.js';

/** `savepoint new-key`: a secret that nobody else has. */
export async function newKey(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments({ command: 'new-key', takes: 'signing or private' }, args, {
    out: { type: 'string' },
  });
  if (positional !== 'signing' && positional !== 'private') {
    throw new UsageError(
      'say which: savepoint new-key signing, or savepoint new-key private (see: savepoint help new-key)',
    );
  }
  const text = `${positional === 'signing' ? JSON.stringify(await newSigningKey()) : newPrivateKey()}\n`;
  if (values.out === undefined) io.out(text);
  else await writeNew(values.out, text);
  return 0;
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
};

/** Never over a key that is there: all that was signed with it would end. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(`--out: ${whyNot[code ?? ''] ?? `it cannot be written (${code})`}`);
  }
}
