// Carries the steps of test/runtimes out everywhere, and with --write puts what came of it into docs/runtimes.md. It needs a
// build, and the runtimes: node scripts/runtimes.mjs --install, node scripts/bun.mjs --install.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRuntimes, howToInstallRuntimes } from './runtimes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const page = join(root, 'docs/runtimes.md');
const [begin, end] = ['<!-- written by scripts/runtimes-page.mjs -->\n', '<!-- until here -->\n'];

/** The table of what came of it: for each runtime `client` and `core`, each with the steps that were done. */
export function tableOf(rows, steps) {
  const cell = (played) => {
    if (played === undefined) return '–';
    return played.failed === null ? `${played.done.length} of ${steps.length}` : `not \`${played.failed.step}\``;
  };
  const lines = rows.map(({ title, client, core }) => `| ${title} | ${cell(client)} | ${cell(core)} |`);
  return ['| where | the client, over HTTP | the service, in process |', '|---|---|---|', ...lines, ''].join('\n');
}

/** The table as the page has it. */
export function writtenTable() {
  const text = readFileSync(page, 'utf8');
  return text.slice(text.indexOf(begin) + begin.length, text.indexOf(end));
}

async function playEverywhere() {
  const packages = findRuntimes();
  if (packages === null) throw new Error(howToInstallRuntimes);
  const { runtimes } = await import('../test/runtimes/matrix.mjs');
  const place = mkdtempSync(join(tmpdir(), 'savepoint-runtimes-'));
  mkdirSync(join(place, 'node_modules'));
  symlinkSync(root, join(place, 'node_modules/savepoint'), 'dir');
  const program = join(root, 'dist/cli/savepoint.js');
  const child = spawn(process.execPath, [program, 'dev', '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  try {
    const { url } = JSON.parse(String(await new Promise((resolve) => child.stdout.once('data', resolve))));
    const rows = [];
    for (const { title, play } of runtimes) {
      const played = await play({ place, packages, service: url });
      console.log(title, JSON.stringify(played));
      rows.push({ title, ...played });
    }
    return rows;
  } finally {
    child.kill();
    rmSync(place, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { clientSteps } = await import('../test/runtimes/steps.mjs');
  const table = tableOf(await playEverywhere(), clientSteps);
  if (process.argv.includes('--write')) {
    writeFileSync(
      page,
      readFileSync(page, 'utf8').replace(begin + writtenTable(), () => begin + table),
    );
  } else console.log(table);
}
