import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { build } from 'esbuild';
import { findBun } from '../../scripts/bun.mjs';

// Where the steps are carried out, and how. A place is a folder of a game that has savepoint installed, `packages` the folder
// of the runtimes, and `service` the address of a service.

const steps = fileURLToPath(new URL('steps.mjs', import.meta.url));
const run = promisify(execFile);
const limits = { timeout: 60_000, maxBuffer: 2 ** 24 };

const both = `
  import * as client from 'savepoint';
  import * as backend from 'savepoint/backend';
  import { playInProcess, playOverHttp } from ${JSON.stringify(steps)};
  const playBoth = async (service) => ({
    client: await playOverHttp(client, service),
    core: await playInProcess(client, backend),
  });
`;

/** Writes a file of the game, and gives its path. */
function written({ place }, name, text) {
  const folder = join(place, 'runtimes', name.replace(/\..*/, ''));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

/** A program that runs both, and prints what came of it. */
function onProgram(programOf, args = []) {
  return async (where) => {
    const text = `${both}console.log(JSON.stringify(await playBoth(process.argv[2])));`;
    const file = written(where, `${args.length}-program.mjs`, text);
    const { stdout } = await run(programOf(where), [...args, file, where.service], { cwd: where.place, ...limits });
    return JSON.parse(stdout.trim().split('\n').at(-1));
  };
}

const ofPackage = (path) => (where) => join(where.packages, 'node_modules', path);

/** One script of the game and all that it imports, as a runtime that is no Node is given it. */
async function bundled(where, { name, text, format, conditions }) {
  const { outputFiles } = await build({
    entryPoints: [written(where, name, text)],
    bundle: true,
    write: false,
    format,
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions,
    external: ['node:*'],
    logLevel: 'error',
  });
  return outputFiles[0].text;
}

const fromPackages = (where, path) => import(pathToFileURL(join(where.packages, 'node_modules', path)).href);
const answered = `async (request) => Response.json(await playBoth(new URL(request.url).searchParams.get('service')))`;
const question = ({ service }) => `http://game.test/?service=${encodeURIComponent(service)}`;

function onWorkerd(compatibilityFlags) {
  return async (where) => {
    const contents = await bundled(where, {
      name: 'workerd.mjs',
      text: `${both}export default { fetch: ${answered} };`,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
    });
    const { Miniflare } = await fromPackages(where, 'miniflare/dist/src/index.js');
    const modules = [{ type: 'ESModule', path: 'worker.mjs', contents }];
    const worker = new Miniflare({ modules, compatibilityDate: '2026-04-01', compatibilityFlags });
    try {
      return await (await worker.dispatchFetch(question(where))).json();
    } finally {
      await worker.dispose();
    }
  };
}

async function onEdgeRuntime(where) {
  const initialCode = await bundled(where, {
    name: 'edge.mjs',
    text: `${both}const answer = ${answered};
      addEventListener('fetch', (event) => event.respondWith(answer(event.request)));`,
    format: 'iife',
    conditions: ['edge-light', 'worker', 'browser'],
  });
  const { EdgeRuntime } = await fromPackages(where, 'edge-runtime/dist/index.js');
  const runtime = new EdgeRuntime({ initialCode });
  return (await runtime.dispatchFetch(question(where))).json();
}

const suite = (result) => `
  import { writeFileSync } from 'node:fs';
  ${both}
  it('plays', async () => {
    writeFileSync(${JSON.stringify(result)}, JSON.stringify(await playBoth(process.env.SERVICE)));
  }, 50_000);
`;

/** A test of a game in an environment that stands for a page. */
function inTest(name, command) {
  return async (where) => {
    const result = written(where, `${name}.json`, '');
    const folder = join(result, '..');
    rmSync(result);
    const file = written(where, `${name}.test.js`, suite(result));
    const args = command(where, { folder, file });
    const env = { ...process.env, SERVICE: where.service, NODE_OPTIONS: '--experimental-vm-modules --no-warnings' };
    await run(process.execPath, args, { cwd: folder, env, ...limits });
    return JSON.parse(readFileSync(result, 'utf8'));
  };
}

/** The set-up that docs/runtimes.md tells to give jsdom where the service runs in the same process. */
export const jestSetup = `import { webcrypto } from 'node:crypto';

Object.defineProperty(globalThis, 'crypto', { value: webcrypto });
`;

const jestOn =
  (environment, ...args) =>
  (where, { folder }) => {
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
    writeFileSync(join(folder, 'jest.setup.js'), jestSetup);
    return [ofPackage('jest/bin/jest.js')(where), '--rootDir', folder, '--env', environment(where, folder), ...args];
  };

const vitestOn =
  (environment) =>
  (where, { folder }) => [
    ofPackage('vitest/vitest.mjs')(where),
    ...['run', '--root', folder, '--globals', '--environment', environment, '--pool', 'threads'],
  ];

/** The least that the client needs; besides them the language alone. */
export const leastGlobals = [
  ...['AbortController', 'AbortSignal', 'Headers', 'Request', 'Response', 'TextEncoder', 'URL'],
  ...['clearTimeout', 'fetch', 'queueMicrotask', 'setTimeout'],
];

async function onLeastGlobals(where) {
  const text = await bundled(where, {
    name: 'least.mjs',
    text: `import * as client from 'savepoint';
      import { playOverHttp } from ${JSON.stringify(steps)};
      globalThis.played = playOverHttp(client, service);`,
    format: 'iife',
    conditions: ['react-native', 'browser'],
  });
  const globals = Object.fromEntries(leastGlobals.map((name) => [name, globalThis[name]]));
  const crypto = { getRandomValues: (bytes) => globalThis.crypto.getRandomValues(bytes) };
  const context = vm.createContext({ ...globals, crypto, service: where.service });
  vm.runInContext(text, context);
  return { client: await context.played };
}

/** Each row of docs/runtimes.md: where, its version, how, and whether the service runs there in process. */
export const runtimes = [
  ...['20.20', '22.23', '24.21'].map((version) => ({
    title: `Node ${version}`,
    hasCore: true,
    play: onProgram(ofPackage(`node${version.slice(0, 2)}/bin/node`)),
  })),
  {
    title: 'Deno 2.9',
    hasCore: true,
    play: onProgram(ofPackage('deno/deno'), ['run', '--allow-all', '--node-modules-dir=manual']),
  },
  { title: 'Bun 1.2', hasCore: true, play: onProgram(() => findBun() ?? 'bun') },
  { title: 'workerd', hasCore: true, play: onWorkerd([]) },
  { title: 'workerd with `nodejs_compat`', hasCore: true, play: onWorkerd(['nodejs_compat']) },
  { title: 'edge-runtime 4', hasCore: true, play: onEdgeRuntime },
  {
    title: 'Jest 30 with happy-dom',
    hasCore: true,
    play: inTest('jest-happy-dom', jestOn(ofPackage('@happy-dom/jest-environment/lib/index.js'))),
  },
  {
    title: 'Jest 30 with jsdom, [set up](#jest)',
    hasCore: true,
    play: inTest('jest-jsdom', jestOn(ofPackage('jest-fixed-jsdom/index.js'), '--setupFiles', './jest.setup.js')),
  },
  { title: 'Vitest 4 with jsdom', hasCore: true, play: inTest('vitest-jsdom', vitestOn('jsdom')) },
  { title: 'Vitest 4 with happy-dom', hasCore: true, play: inTest('vitest-happy-dom', vitestOn('happy-dom')) },
  { title: '[The least](#without-web-apis) that it needs', hasCore: false, play: onLeastGlobals },
];
