import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { runNode } from './run.js';

const require = createRequire(import.meta.url);
const folder = join(inject('consumer'), 'jest');

const suite = `
  import { createClient } from 'savepoint';
  import { createBackend } from 'savepoint/backend';

  it('a guest signs in and saves', async () => {
    const id = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
    const backend = createBackend({ games: [{ id, privateKeys: ['a private key for one game only'] }] });
    const fetch = (request) => backend.fetch(request);
    const client = createClient({ gameId: id, environment: 0, baseUrl: 'https://saves.test', fetch });
    expect(await client.init()).toMatchObject({ success: true });
    expect(client.auth.state).toBe('guest');
    await client.profile.collection('progress').set('main', { level: 2 });
    expect(await client.profile.collection('progress').get('main')).toMatchObject({ level: 2 });
    client.dispose();
  });
`;

/**
 * Jest needs one thing for any package that is an ES module, in a project with `"type": "module"`:
 * `"test": "node --experimental-vm-modules node_modules/jest/bin/jest.js"`.
 */
it('Jest runs a test of a game on the packed package', { timeout: 60_000 }, async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'game.test.js'), suite);
  const jest = require.resolve('jest/bin/jest');
  const result = await runNode(['--experimental-vm-modules', jest, '--rootDir', folder, '--json'], folder);
  expect(JSON.parse(result)).toMatchObject({ numPassedTests: 1, numFailedTests: 0, openHandles: [] });
});
