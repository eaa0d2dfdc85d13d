import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { serveFiles } from './game-files.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const game = join(root, 'examples/web-game');
const usualPort = 4874;

const port = readPort();
await Promise.all([buildPackage(), buildGame()]);
const served = await serveGame();

console.log(`
  Magpie is ready, and so is the service behind it.

  Play           ${served.url}
  Two devices    ${served.url}two-devices.html   a conflict in three clicks
  Stop           Ctrl-C

  Saves live in the memory of this process: when it stops, they are gone.
  Look next at   examples/web-game/README.md      the three files that use the SDK
                 node dist/cli/savepoint.js dev   the service alone, for a game of yours
`);

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

function readPort() {
  let asked;
  try {
    const { values } = parseArgs({ options: { port: { type: 'string' } } });
    asked = values.port ?? process.env.PORT ?? String(usualPort);
  } catch {
    end('Use: npm start -- [--port <number>]');
  }
  const number = /^\d{1,5}$/.test(asked) ? Number(asked) : Number.NaN;
  if (!(number <= 65_535)) end('The port must be a number from 0 to 65535: npm start -- --port 4875');
  return number;
}

async function buildPackage() {
  const sources = [join(root, 'src'), join(root, 'tsup.config.ts'), join(root, 'package.json')];
  const built = ['backend/index.js', 'backend/node.js'].map((file) => join(root, 'dist', file));
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
  const backend = createBackend({ games: [{ id: gameId, privateKeys: [randomBytes(32).toString('hex')] }] });
  try {
    const { url, close } = await serve(backend, {
      port,
      host: '127.0.0.1',
      fallback: serveFiles(join(game, 'dist')),
    });
    return { url: url.endsWith('/') ? url : `${url}/`, close };
  } catch (error) {
    if (error.code === 'EADDRINUSE') {
      end(`Port ${port} is taken. Take another one: npm start -- --port ${port === 65_535 ? usualPort : port + 1}`);
    }
    if (error.code === 'EACCES') {
      end(`Port ${port} is not allowed to you. Take another one: npm start -- --port ${usualPort}`);
    }
    throw error;
  }
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
