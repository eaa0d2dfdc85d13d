import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveFiles } from './game-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const game = join(root, 'examples/web-game');
const usualPort = 4874;

const { port, file } = readOptions();
await Promise.all([buildPackage(), buildGame()]);
const served = await serveGame();

let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    // The second time the player means it.
    if (isStopping) process.exit(1);
    isStopping = true;
    served.close().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  });
}

console.log(`
  Magpie is ready, and so is the service behind it.

  Play           ${served.url}
  Two devices    ${served.url}two-devices.html   a conflict in three clicks
  Stop           Ctrl-C

  ${file === null ? 'Saves live in the memory of this process: when it stops, they are gone.' : `Saves are kept in ${relative('.', file)}; remove that file to start anew.`}
  Look next at   examples/web-game/README.md      the three files that use the SDK
                 node dist/cli/savepoint.js dev   the service alone, for a game of yours
`);

function readOptions() {
  let values;
  try {
    ({ values } = parseArgs({ options: { port: { type: 'string' }, store: { type: 'string' } } }));
  } catch {
    end('Use: npm start -- [--port <number>] [--store <file> | --store memory]');
  }
  const asked = values.port ?? process.env.PORT ?? String(usualPort);
  const number = /^\d{1,5}$/.test(asked) ? Number(asked) : Number.NaN;
  if (!(number <= 65_535)) end('The port must be a number from 0 to 65535: npm start -- --port 4875');
  const { store = join(root, '.savepoint/magpie.db') } = values;
  if (store === '') end('The store must be a file, or memory: npm start -- --store memory');
  return { port: number, file: store === 'memory' ? null : resolve(store) };
}

async function buildPackage() {
  const sources = [join(root, 'src'), join(root, 'tsup.config.ts'), join(root, 'package.json')];
  const built = ['backend/index.js', 'backend/node.js', 'backend/sqlite.js'].map((file) => join(root, 'dist', file));
  if (isFresh(built, sources)) return;
  console.log('Building the service …');
  await run('npm', ['run', '--silent', 'build:js']);
}

async function buildGame() {
  const sources = ['src', 'index.html', 'two-devices.html', 'demo.json', 'vite.config.ts'].map((name) =>
    join(game, name),
  );
  const built = ['index.html', 'two-devices.html'].map((file) => join(game, 'dist', file));
  if (isFresh(built, [...sources, join(root, 'src')])) return;
  console.log('Building the game …');
  const { build } = await import('vite');
  try {
    await build({ configFile: join(game, 'vite.config.ts'), logLevel: 'warn' });
  } catch (error) {
    end(`The game could not be built: ${error.message}`);
  }
}

async function serveGame() {
  // By the package's own names, as its users import it.
  const [{ createBackend }, { serve }] = await Promise.all([
    import('savepoint/backend'),
    import('savepoint/backend/node'),
  ]);
  const { gameId } = JSON.parse(readFileSync(join(game, 'demo.json'), 'utf8'));
  const kept = file === null ? {} : await openKept();
  const games = [{ id: gameId, privateKeys: [randomBytes(32).toString('hex')] }];
  const backend = createBackend({ ...kept, games });
  try {
    const { url, close } = await serve(backend, {
      port,
      host: '127.0.0.1',
      fallback: serveFiles(join(game, 'dist')),
    });
    return {
      url: url.endsWith('/') ? url : `${url}/`,
      async close() {
        await close();
        await kept.store?.close();
      },
    };
  } catch (error) {
    await kept.store?.close();
    if (error.code === 'EADDRINUSE') {
      end(`Port ${port} is taken. Take another one: npm start -- --port ${port === 65_535 ? usualPort : port + 1}`);
    }
    if (error.code === 'EACCES') {
      end(`Port ${port} is not allowed to you. Take another one: npm start -- --port ${usualPort}`);
    }
    throw error;
  }
}

/** The store, and beside it the key that tokens are signed with: players stay signed in when it starts again. */
async function openKept() {
  const { createSqliteStore } = await import('savepoint/backend/sqlite');
  try {
    mkdirSync(dirname(file), { recursive: true });
    return { store: await createSqliteStore({ file }), signingKey: await readSigningKey(`${file}.signing-key.json`) };
  } catch (error) {
    end(`The saves cannot be opened: ${error.message} Without them: npm start -- --store memory`);
  }
}

async function readSigningKey(path) {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey('jwk', pair.privateKey);
  try {
    writeFileSync(path, JSON.stringify({ kty, crv, x, y, d }), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  return JSON.parse(readFileSync(path, 'utf8'));
}

/** True where each built file is there, and younger than every source. */
function isFresh(built, sources) {
  const times = built.map((file) => statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Math.min(...times) > Math.max(...sources.map(newest));
}

function newest(path) {
  const found = statSync(path);
  if (!found.isDirectory()) return found.mtimeMs;
  // A folder's own time tells of files that were removed.
  return Math.max(found.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      output += chunk;
    });
    child.on('error', (error) => end(`The service could not be built: ${error.message}`));
    child.on('close', (code) => (code === 0 ? resolve() : end(`${output}\nThe service could not be built.`)));
  });
}

function end(line) {
  console.error(line);
  process.exit(1);
}
