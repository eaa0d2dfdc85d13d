import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isSealingKey } from '../../src/backend/registry/sealing.js';
import { runCommand } from './in-process.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-new-key-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('savepoint new-key', () => {
  it('makes another key each time, in a form that serve takes', async () => {
    const [first, second] = [await runCommand(['new-key', 'signing']), await runCommand(['new-key', 'signing'])];
    expect(JSON.parse(first.out)).toEqual({
      kty: 'EC',
      crv: 'P-256',
      x: expect.any(String),
      y: expect.any(String),
      d: expect.any(String),
      iat: expect.any(Number),
    });
    expect(first.out).not.toBe(second.out);
    expect((await runCommand(['new-key', 'private'])).out).toMatch(/^[0-9a-f]{64}\n$/);
    const sealing = (await runCommand(['new-key', 'sealing'])).out;
    expect(isSealingKey(sealing.trimEnd())).toBe(true);
    expect((await runCommand(['new-key', 'sealing'])).out).not.toBe(sealing);
  });

  it('writes it where only its owner can read it, and never over another', async () => {
    const path = join(folder, 'new-key.json');
    expect(await runCommand(['new-key', 'signing', '--out', path])).toEqual({ code: 0, out: '', err: '' });
    const written = readFileSync(path, 'utf8');
    expect(JSON.parse(written)).toHaveProperty('d');
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0);
    const again = await runCommand(['new-key', 'signing', '--out', path]);
    expect([again.code, again.err]).toEqual([2, expect.stringMatching(/never overwritten: give another name/)]);
    const nowhere = await runCommand(['new-key', 'private', '--out', join(folder, 'nowhere/key')]);
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringMatching(/no such folder; make it first/)]);
    expect(readFileSync(path, 'utf8')).toBe(written);
  });
});
