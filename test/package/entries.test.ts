import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, extname, join, relative } from 'node:path';
import { expect, inject, it } from 'vitest';
import { repository, run, runNode } from './run.js';

const consumer = inject('consumer');
const installed = join(consumer, 'node_modules/savepoint');
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as {
  version: string;
  exports: Record<string, unknown>;
};

/** One name of each entry that a game would look for. */
const entries: readonly (readonly [entry: string, name: string, kind?: string])[] = [
  ['savepoint', 'createClient'],
  ['savepoint/server', 'createServerClient'],
  ['savepoint/backend', 'createBackend'],
  ['savepoint/backend/msw', 'createHandlers'],
  ['savepoint/backend/node', 'serve'],
  ['savepoint/backend/sqlite', 'createSqliteStore'],
  ['savepoint/backend/postgres', 'createPostgresStore'],
  ['savepoint/backend/platforms', 'steam'],
  ['savepoint/react', 'useSave'],
  ['savepoint/svelte', 'useSave'],
  ['savepoint/vue', 'useSave'],
  ['savepoint/elements', 'defineElements'],
  ['savepoint/elements/texts', 'german', 'object'],
];

/** Runs a module's text in the consumer's folder and gives back what it printed, as JSON. */
async function evaluate(text: string, type: 'module' | 'commonjs'): Promise<unknown> {
  return JSON.parse(await runNode([`--input-type=${type}`, '--eval', text], consumer));
}

it('every entry of `exports` is tried here', () => {
  const named = Object.keys(manifest.exports).filter((path) => !path.endsWith('.json'));
  expect(named.map((path) => path.replace('.', 'savepoint'))).toEqual(entries.map(([entry]) => entry));
});

it.each(entries)('%s is imported as an ES module and has %s', async (entry, name, kind = 'function') => {
  const text = `import { ${name} } from '${entry}'; console.log(JSON.stringify(typeof ${name}))`;
  expect(await evaluate(text, 'module')).toBe(kind);
});

it.each(entries)('%s is loaded by require() and has %s', async (entry, name, kind = 'function') => {
  const text = `const { ${name} } = require('${entry}'); console.log(JSON.stringify(typeof ${name}))`;
  expect(await evaluate(text, 'commonjs')).toBe(kind);
});

it("the package's own package.json can be imported", async () => {
  const text = `console.log(JSON.stringify(require('savepoint/package.json').version))`;
  expect(await evaluate(text, 'commonjs')).toBe(manifest.version);
});

it('the OpenAPI document can be imported', async () => {
  const text = `console.log(JSON.stringify(require('savepoint/openapi.json').openapi))`;
  expect(await evaluate(text, 'commonjs')).toMatch(/^3\.1\./);
});

it('an import from the inside of the package is refused', async () => {
  await expect(evaluate(`import 'savepoint/dist/index.js'`, 'module')).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
});

it('both sides share one class of errors', async () => {
  const text = `
    import { SdkError } from 'savepoint';
    import * as server from 'savepoint/server';
    console.log(JSON.stringify(SdkError === server.SdkError));
  `;
  expect(await evaluate(text, 'module')).toBe(true);
});

it('the program is installed under its name', async () => {
  const program = join(consumer, 'node_modules/.bin', process.platform === 'win32' ? 'savepoint.cmd' : 'savepoint');
  expect((await run(program, ['--version'], consumer)).trim()).toBe(manifest.version);
});

it('in Node the client is a few files, none of another package: reading 250 took longer than running them', () => {
  const files = new Set<string>();
  const others: string[] = [];
  function follow(file: string): void {
    if (files.has(file)) return;
    files.add(file);
    for (const [, to = ''] of readFileSync(file, 'utf8').matchAll(
      /^(?:import|export|\} from)\b[^;'"]*["']([^'"]+)["']/gm,
    )) {
      if (to.startsWith('.')) follow(join(file, '..', to));
      else others.push(to);
    }
  }
  follow(join(installed, 'dist/node/index.js'));
  expect([others, files.size > 1, files.size <= 25]).toEqual([[], true, true]);
});

it('importing the client asks for no timer, storage, channel, listener or network, and leaves no global', async () => {
  const text = `
    new Request('http://game.test'); // Node makes some of its globals when they are first looked at.
    const asked = [];
    const watched = ['localStorage', 'sessionStorage', 'indexedDB', 'document', 'location', 'BroadcastChannel', 'fetch',
      'setTimeout', 'setInterval', 'addEventListener', 'process', 'XMLHttpRequest', 'WebSocket'];
    for (const name of watched) {
      const value = globalThis[name];
      Object.defineProperty(globalThis, name, { get: () => (asked.push(name), value) });
    }
    const before = new Set(Reflect.ownKeys(globalThis));
    await import('savepoint');
    const during = [...new Set(asked)];
    const added = Reflect.ownKeys(globalThis).filter((key) => !before.has(key)).map(String);
    console.log(JSON.stringify({ asked: during, added: added.filter((key) => !key.startsWith('__zod_')) }));
  `;
  expect(await evaluate(text, 'module')).toEqual({ asked: [], added: [] });
});

it('the tarball holds the build, the OpenAPI document, what there is to read, and the examples that it leads to', () => {
  const top = readdirSync(installed).filter((name) => name !== 'node_modules');
  expect(top.sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'deploy',
    'dist',
    'docs',
    'examples',
    'package.json',
    'templates',
  ]);
  const others = filesBelow(join(installed, 'dist')).filter((path) => !/\.(js|d\.ts)$/.test(path));
  const isOfConsole = (path: string): boolean => relative(join(installed, 'dist'), path).startsWith('console');
  expect(others.filter((path) => !isOfConsole(path)).map((path) => basename(path))).toEqual(['openapi.json']);
  const kinds = new Set(others.filter(isOfConsole).map((path) => extname(path)));
  expect([...kinds].sort()).toEqual(['.css', '.html', '.svg']);
});

it.each(['game-server', 'social-verifier'])('the packed example %s runs as it is', async (name) => {
  const story = await runNode([join(installed, 'examples', name, 'main.mjs')], consumer);
  expect(story.trim().split('\n').length).toBeGreaterThan(3);
});

it('the build names no path of the machine that made it', () => {
  // What is not built is packed as it stands in the repository: a template may well serve its own `/src/`.
  const machine = [repository.replace(/\/$/, ''), join(consumer, '..'), process.env['HOME'] ?? repository];
  const telling = filesBelow(join(installed, 'dist')).filter((path) => {
    const text = readFileSync(path, 'utf8');
    return machine.some((folder) => text.includes(`${folder}/`));
  });
  expect(telling).toEqual([]);
});

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .filter((path) => statSync(path).isFile());
}
