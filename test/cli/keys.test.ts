import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createBackend } from '../../src/backend/index.js';
import { sealingKeyName } from '../../src/backend/registry/sealing.js';
import { otherSealingKey as otherSealing, sealingKey as sealing } from '../support/platforms.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';

const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function file(name: string, content: string, writtenAt?: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  if (writtenAt !== undefined) utimesSync(path, new Date(writtenAt), new Date(writtenAt));
  return path;
}

async function configured(): Promise<{ config: string; secrets: string[]; kids: string[] }> {
  const made = await Promise.all([0, 1, 2].map(async () => JSON.parse((await runCommand(['new-key', 'signing'])).out)));
  const [signing, former, publicOnly] = made;
  const config = {
    games: [{ id: gameId, privateKeys: [{ file: file('old', 'geheim-old-0123456789', '2024-05-01') }, 'geheim-new'] }],
    signingKey: { file: file('signing.json', JSON.stringify({ ...signing, iat: Date.parse('2025-01-02') / 1000 })) },
    formerSigningKeys: [
      {
        file: file(
          'former.json',
          JSON.stringify([
            { ...former, iat: undefined },
            { ...publicOnly, iat: undefined, d: undefined },
          ]),
          '2023-03-04',
        ),
      },
    ],
  };
  const backend = createBackend({
    games: [{ id: gameId, privateKeys: ['geheim'] }],
    signingKey: signing,
    formerSigningKeys: [former, { ...publicOnly, d: undefined }],
  });
  const published = await (await backend.fetch(new Request('http://a/.well-known/jwks.json'))).json();
  return {
    config: file('keys.config.json', JSON.stringify(config)),
    secrets: ['geheim', ...made.map(({ d }) => d)],
    kids: published.keys.map(({ kid }: { kid: string }) => kid),
  };
}

describe('savepoint keys', () => {
  it('lists the keys that seal by the names that what they sealed has of them', async () => {
    const [sealingKey, former] = [sealing, otherSealing];
    const env = {
      SAVEPOINT_SEALING_KEY: sealingKey,
      SAVEPOINT_FORMER_SEALING_KEYS: former,
      SAVEPOINT_SIGNING_KEY: (await runCommand(['new-key', 'signing'])).out,
      SAVEPOINT_PRIVATE_KEY: 'a-private-key',
    };
    const { out } = await runCommand(['keys', '--game-id', gameId, '--json'], { env });
    const { keys } = JSON.parse(out);
    expect(keys.slice(2)).toEqual([
      { id: await sealingKeyName(sealingKey), kind: 'sealing', game: null, since: null },
      { id: await sealingKeyName(former), kind: 'former sealing', game: null, since: null },
    ]);
    expect(out).not.toContain(sealingKey);
    const wrong = await runCommand(['keys', '--game-id', gameId], { env: { ...env, SAVEPOINT_SEALING_KEY: 'short' } });
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('savepoint new-key sealing makes one')]);
  });

  it('lists the keys of a configuration with their age, and never one of them', async () => {
    const { config, secrets, kids } = await configured();
    const inJson = await runCommand(['keys', '--config', config, '--json']);
    expect(inJson).toMatchObject({ code: 0, err: '' });
    const { keys } = JSON.parse(inJson.out);
    expect(keys).toEqual([
      { id: kids[0], kind: 'signing', game: null, since: Date.parse('2025-01-02') },
      { id: kids[1], kind: 'former', game: null, since: Date.parse('2023-03-04') },
      { id: kids[2], kind: 'former, public only', game: null, since: Date.parse('2023-03-04') },
      { id: expect.stringMatching(/^[0-9a-f]{8}$/), kind: 'private', game: gameId, since: Date.parse('2024-05-01') },
      { id: expect.stringMatching(/^[0-9a-f]{8}$/), kind: 'private', game: gameId, since: null },
    ]);
    expect(keys[3].id).not.toBe(keys[4].id);
    const asTable = await runCommand(['keys', '--config', config]);
    const rows = asTable.out.trimEnd().split('\n');
    expect(rows[0]).toMatch(/^ID +KIND +GAME +SINCE +DAYS$/);
    expect(rows[1]).toMatch(/signing +- +2025-01-02 00:00:00 +\d+$/);
    expect(rows[5]).toMatch(/private +3fa85f64-\S+ +- +-$/);
    for (const secret of secrets) expect(inJson.out + asTable.out).not.toContain(secret);
  });

  it('says what is missing, as serve does', async () => {
    const { code, out, err } = await runCommand(['keys', '--config', file('empty.config.json', '{}')]);
    expect([code, out]).toEqual([2, '']);
    for (const name of ['SAVEPOINT_GAME_ID', 'SAVEPOINT_PRIVATE_KEY', 'SAVEPOINT_SIGNING_KEY'])
      expect(err).toContain(name);
  });
});
