import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram, missing, type Program, type Ready, startDev } from './program.js';

let dev: Program & { ready: Ready };

beforeAll(async () => {
  dev = await startDev(await bundleProgram());
});
afterAll(async () => {
  dev.child.kill('SIGTERM');
  await dev.ended;
});

function runClient(command: string, file: string): string {
  const { authUrl, baseUrl, gameId, privateKey } = dev.ready;
  const path = fileURLToPath(new URL(file, import.meta.url));
  return execFileSync(command, [path, authUrl, baseUrl, gameId, privateKey], { encoding: 'utf8', timeout: 20_000 });
}

describe('a client written from the spec alone works against savepoint dev', () => {
  // Windows has a bash of its own kind, for which the path would have another form.
  const noBash =
    process.platform === 'win32'
      ? 'it is not tried on Windows'
      : missing(['bash', ['--version']], ['curl', ['--version']], ['openssl', ['version']]);
  it(`in bash${noBash === null ? '' : `: not tried, ${noBash}`}`, () => {
    if (noBash !== null) return;
    expect(runClient('bash', 'spec-client.sh').trim().split('\n')).toEqual([
      'signed in: 36 characters of user id',
      'the same once more: 401',
      '{"version":0}',
      '{"version":1}',
      '[{"key":"stats","value":{"name":"Zoë","coins":1.50},"version":1}]',
    ]);
  });

  const noPython = missing(['python3', ['--version']]);
  it(`in Python${noPython === null ? '' : `: not tried, ${noPython}`}`, () => {
    if (noPython !== null) return;
    expect(runClient('python3', 'spec-client.py').trim().split('\n')).toEqual([
      "signed in: 200 ['accessToken', 'country', 'refreshToken', 'status', 'time', 'userId']",
      'signed in with base64: 200 True',
      'saved: 200 0',
      'saved: 200 1',
      'saved: 409 1',
      'read: 200 [{"key":"stats/Ω","value":{"level": 2, "coins": 1.5},"version":1}]',
    ]);
  });
});
