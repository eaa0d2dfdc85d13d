import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  decodeSignature,
  encodeSignature,
  equalBytes,
  hmac,
  importPrivateKey,
  isNonce,
  signedBytes,
  signedText,
  timestampProblem,
} from '../../src/protocol/signing.js';

interface Vector {
  name: string;
  valid: boolean;
  encoding: 'hex' | 'base64' | 'none';
  key: string;
  timestamp: string;
  nonce: string;
  body?: string;
  bodyHex?: string;
  textHex: string;
  hmac: string;
  signature: string;
  why: string;
}

const file = fileURLToPath(new URL('vectors.json', import.meta.url));
const script = fileURLToPath(new URL('vectors.sh', import.meta.url));
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] };

function bodyOf(vector: Vector): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(
    vector.body === undefined ? Buffer.from(vector.bodyHex ?? '', 'hex') : Buffer.from(vector.body, 'utf8'),
  );
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

describe('the vectors', () => {
  it('are at least 24, good ones and bad ones, each with a name of its own', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(24);
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    expect(vectors.filter(({ valid }) => valid).length).toBeGreaterThanOrEqual(12);
    expect(vectors.filter(({ valid }) => !valid).length).toBeGreaterThanOrEqual(12);
  });

  it.each(vectors)('agree with a second implementation of HMAC: $name', (vector) => {
    const mac = createHmac('sha256', vector.key).update(Buffer.from(vector.textHex, 'hex')).digest('hex');
    expect(mac).toBe(vector.hmac);
  });

  const missing = toolsMissing();
  // The script starts hundreds of programs, one after the other.
  const name = missing === null ? 'come out of vectors.sh as they are' : `are not made anew here: ${missing}`;
  it(name, { timeout: 120_000 }, () => {
    if (missing !== null) return;
    const made = execFileSync('bash', [script], { encoding: 'utf8' });
    expect(made).toBe(readFileSync(file, 'utf8').replaceAll('\r\n', '\n'));
  });
});

describe('the signature', () => {
  it.each(vectors)('is over exactly these bytes: $name', (vector) => {
    const { timestamp, nonce, body } = vector;
    expect(toHex(signedBytes(timestamp, nonce, bodyOf(vector)))).toBe(vector.textHex);
    if (body !== undefined) {
      expect(toHex(new TextEncoder().encode(signedText(timestamp, nonce, body)))).toBe(vector.textHex);
    }
  });

  it.each(vectors)('is this HMAC: $name', async (vector) => {
    const key = await importPrivateKey(vector.key);
    const { timestamp, nonce, body } = vector;
    expect(toHex(await hmac(key, signedBytes(timestamp, nonce, bodyOf(vector))))).toBe(vector.hmac);
    if (body !== undefined) expect(toHex(await hmac(key, signedText(timestamp, nonce, body)))).toBe(vector.hmac);
  });

  it.each(vectors)('is accepted where it is valid only: $name', async (vector) => {
    const given = decodeSignature(vector.signature);
    const expected = await hmac(
      await importPrivateKey(vector.key),
      signedBytes(vector.timestamp, vector.nonce, bodyOf(vector)),
    );
    expect(given !== null && equalBytes(given, expected)).toBe(vector.valid);
  });

  it.each(vectors)('comes in a request of the right form, so that nothing else refuses it: $name', (vector) => {
    expect(timestampProblem(vector.timestamp)).toBeNull();
    expect(isNonce(vector.nonce)).toBe(true);
  });

  it.each(vectors.filter(({ valid, encoding }) => valid && encoding !== 'none'))(
    'is written like this: $name',
    (vector) => {
      const { signature, encoding } = vector;
      const written = encodeSignature(Uint8Array.from(Buffer.from(vector.hmac, 'hex')), encoding as 'hex' | 'base64');
      expect(written).toBe(encoding === 'hex' ? signature.toLowerCase() : signature);
    },
  );
});

function toolsMissing(): string | null {
  // Windows has a bash of its own kind, for which the path would have another form.
  if (process.platform === 'win32') return 'vectors.sh is not run on Windows';
  try {
    const version = execFileSync('bash', ['-c', 'echo $BASH_VERSINFO && openssl version && od --version'], {
      encoding: 'utf8',
    });
    if (Number.parseInt(version, 10) < 4) return 'vectors.sh needs bash 4';
    return null;
  } catch {
    return 'vectors.sh needs bash 4, openssl and od';
  }
}
