import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { repository, run, runNode } from './run.js';

// The oldest framework of each kind that the package says it takes, as npm installs it beside the packed package.

const oldest = { react: '18.0.0', svelte: '4.0.0', vue: '3.4.0' } as const;
const client = `
  import { createClient } from 'savepoint';
  const client = createClient({
    gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', environment: 0, baseUrl: 'http://saves.test',
    fetch: () => { throw new Error('asked'); },
  });
`;
const pages = {
  react: `${client}
    import { createElement } from 'react';
    import { renderToString } from 'react-dom/server';
    import { SavepointProvider, useAccount, useConflict, useSave, useSyncStatus } from 'savepoint/react';
    const Game = () => [useSave('progress', 'main').status, useAccount().state, useSyncStatus(), useConflict()].join();
    console.log(renderToString(createElement(SavepointProvider, { client }, createElement(Game))));`,
  vue: `${client}
    import { createSSRApp } from 'vue';
    import { renderToString } from 'vue/server-renderer';
    import { savepoint, useAccount, useConflict, useSave, useSyncStatus } from 'savepoint/vue';
    const setup = () => {
      const all = [useSave('progress', 'main').status, useAccount(), useSyncStatus(), useConflict()];
      return () => all.map(({ value }) => value?.state ?? value).join();
    };
    console.log(await renderToString(createSSRApp({ setup }).use(savepoint, { client })));`,
  svelte: `${client}
    import { writeFileSync } from 'node:fs';
    import { compile } from 'svelte/compiler';
    const { js } = compile(\`
      <script>
        import { setClient, useAccount, useConflict, useSave, useSyncStatus } from 'savepoint/svelte';
        export let client;
        setClient(client);
        const { status } = useSave('progress', 'main');
        const [account, sync, conflict] = [useAccount(), useSyncStatus(), useConflict()];
      </script>
      {[$status, $account.state, $sync, $conflict].join()}\`, { generate: 'ssr' });
    writeFileSync('game.mjs', js.code);
    const { default: Game } = await import('./game.mjs');
    console.log(Game.render({ client }).html.trim());`,
};
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-peers-'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "a-game", "private": true, "type": "module" }\n');
  const frameworks = Object.entries({ ...oldest, 'react-dom': oldest.react }).map(([name, one]) => `${name}@${one}`);
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...options, inject('tarball'), ...frameworks], folder);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('these are the oldest that the package promises', () => {
  const { peerDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const { react, svelte, vue } = peerDependencies;
  expect({ react, svelte, vue }).toEqual({ react: '>=18', svelte: '>=4', vue: '^3.4.0' });
});

it.each(Object.entries(oldest))(
  '%s %s renders what is known before the start',
  { timeout: 60_000 },
  async (name, version) => {
    const installed = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    expect(installed.version).toBe(version);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}.mjs`), pages[name as 'react']);
    expect((await runNode([`${name}.mjs`], folder)).trim()).toBe('loading,starting,synced,');
  },
);
