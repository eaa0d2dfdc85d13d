import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, it } from 'vitest';
import { type Program, start, untilSaid } from '../cli/program.js';
import { runNode } from './run.js';

const consumer = inject('consumer');
const program = join(consumer, 'node_modules/savepoint/dist/cli/savepoint.js');
const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
const running: Program[] = [];

afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

/** As the types of the package have it, and as a JavaScript file can. */
const typed = `
  import { createSignedTokenVerifier, defineConfig, type ServiceConfig } from 'savepoint/backend';
  const limits: ServiceConfig['limits'] = { rates: false };
  const portal = createSignedTokenVerifier({ issuer: 'https://a.example', audience: 'b', keys: 'https://a.example/keys' });
  export default defineConfig({
    games: [{ id: '${gameId}', privateKeys: [{ env: 'ARCADE_KEY' }], socialPlatforms: { portal } }],
    signingKey: { env: 'ARCADE_SIGNING_KEY' },
    store: 'memory',
    limits,
  });
`;
const plain = typed.replace(', type ServiceConfig', '').replace(": ServiceConfig['limits']", '');

/** A folder of a game that has installed the package, with a configuration. */
function folderWith(name: string, text: string): string {
  const folder = join(consumer, name.replaceAll('.', '-'));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return folder;
}

async function serve(cwd: string): Promise<Program> {
  const env = { ARCADE_KEY: 'a-private-key', ARCADE_SIGNING_KEY: await runNode([program, 'new-key', 'signing'], cwd) };
  const started = start(program, ['serve', '--port', '0'], { cwd, env });
  running.push(started);
  return started;
}

const readsTypeScript = 'typescript' in process.features && Boolean(process.features.typescript);

describe('the configuration of a game that has the package installed', () => {
  it('is read from savepoint.config.mjs, with what it imports', async () => {
    const started = await serve(folderWith('savepoint.config.mjs', plain));
    await untilSaid(started, '"listening"');
    expect(JSON.parse(started.stdout())).toMatchObject({ store: 'memory', games: [gameId] });
  });

  it.each(['savepoint.config.ts', 'savepoint.config.mts'])(
    'is read from %s where this Node reads TypeScript, and else refused with the way out',
    async (name) => {
      const started = await serve(folderWith(name, typed));
      if (readsTypeScript) {
        await untilSaid(started, '"listening"');
        expect(JSON.parse(started.stdout())).toMatchObject({ store: 'memory', games: [gameId] });
      } else {
        expect(await started.ended).toBe(2);
        expect(started.stderr()).toMatch(
          /cannot read savepoint\.config\.m?ts: make it savepoint\.config\.mjs .*22\.18/,
        );
      }
    },
  );
});
