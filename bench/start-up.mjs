// How long a fresh Node takes to import each entry, beside what is imported in the same place for other services. Run by
// `npm run bench:start-up`, which builds first. Figures are medians in ms; compare ratios, machines differ. What it is
// compared with is installed by itself, into .cache.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { measureInTurns, median, ratio } from './profile/rounds.mjs';

/** The newest that all supported versions of Node can have. */
const peer = { name: '@supabase/supabase-js', version: '2.109.0' };
/** The client takes at most so many times as long as the peer. */
const limit = 2;

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.cache/bench-start-up');

function installPeer() {
  if (existsSync(join(folder, 'node_modules', peer.name))) return;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', `${peer.name}@${peer.version}`];
  const { status } = spawnSync('npm', args, { stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) throw new Error(`${peer.name} could not be installed`);
}

/** Milliseconds that the import takes in a process of its own. */
function importing(specifier) {
  const text = `const began = performance.now();
    await import(${JSON.stringify(specifier)});
    console.log(performance.now() - began);`;
  return () => {
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', text], {
      cwd: folder,
      encoding: 'utf8',
    });
    if (stdout === '') throw new Error(stderr);
    return Number(stdout);
  };
}

installPeer();
const built = (path) => importing(pathToFileURL(join(root, 'dist', path)).href);
const measured = await measureInTurns({
  [peer.name]: importing(peer.name),
  savepoint: built('node/index.js'),
  'savepoint, as bundlers get it': built('index.js'),
  'savepoint/server': built('node/server/index.js'),
  'savepoint/backend': built('node/backend/index.js'),
});

console.log(`Node ${process.version}`.padEnd(34), 'ms'.padStart(6), 'ratio'.padStart(7));
for (const [name, times] of Object.entries(measured)) {
  const share = ratio(times, measured[peer.name]);
  console.log(name.padEnd(34), median(times).toFixed(0).padStart(6), share.toFixed(2).padStart(7));
}
if (ratio(measured.savepoint, measured[peer.name]) > limit) {
  console.error(`savepoint takes more than ${limit} times as long as ${peer.name}.`);
  process.exitCode = 1;
}
