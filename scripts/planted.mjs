// Negative controls: each planted bug must be caught by the tests that are named for it. The checkout itself is not touched.
// With --check nothing is run: it only looks whether each bug can still be planted. With --world it looks how many sequences the
// model of the world takes to find each bug that it must find by itself.
import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bugs, foundByWorld, misplaced } from './planted-bugs.mjs';
import { findPostgres } from './postgres.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
// A text that is no longer there must show before anything is run.
const unknown = foundByWorld.filter((name) => !bugs.some((bug) => bug.name === name));
const problems = [...misplaced(root), ...unknown.map((name) => `There is no bug of this name: ${name}`)];
for (const problem of problems) console.error(problem);
if (problems.length > 0 || process.argv.includes('--check')) process.exit(problems.length > 0 ? 1 : 0);

const copy = mkdtempSync(join(tmpdir(), 'planted-'));
// Some tests start a service as somebody who is not root.
chmodSync(copy, 0o755);
const runMs = 600_000;
/** A test that is skipped would catch nothing. */
const env = { ...process.env, REQUIRE_POSTGRES: '1' };

/** As vitest.config.ts has it. */
function isOnPostgres(test) {
  return /postgres/.test(test);
}

/** Those that can have a test; Vitest knows which of them does. */
function projectsOf(test) {
  const [folder] = test.split('/');
  if (folder === 'console' || folder === 'e2e') return [folder];
  if (folder === 'browser') return ['browser (chromium)'];
  return isOnPostgres(test) ? ['postgres'] : ['node', 'apart'];
}

/** Runs test files, as a rule to the first failure; gives the names of the tests that failed, or null where none could be run. */
function run(tests, toTheEnd = false) {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const files = tests.map((test) => join('test', test));
  const projects = [...new Set(tests.flatMap(projectsOf))];
  const options = ['--reporter', 'json', '--outputFile', report];
  if (!toTheEnd) options.push('--bail', '1');
  for (const project of projects) options.push('--project', project);
  spawnSync(process.execPath, [vitest, 'run', ...options, ...files], {
    cwd: copy,
    timeout: runMs * tests.length,
    stdio: 'ignore',
    env,
  });
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const results = testResults.flatMap(({ assertionResults }) => assertionResults);
    return results.length === 0
      ? null
      : results.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  } catch {
    return null;
  }
}

function plant({ file, from, to }) {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  writeFileSync(
    path,
    text.replace(from, () => to),
  );
  return () => writeFileSync(path, text);
}

const worldTest = 'client/profile/world.test.ts';
const isWorld = process.argv.includes('--world');
/** Of the model's first seed. */
const mostSequences = 5_000;

/** How many sequences the model has carried out when it finds something wrong; null where it does not. */
function sequencesUntilFound() {
  const report = join(copy, 'report.json');
  rmSync(report, { force: true });
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs');
  const options = [
    '--mode',
    'prove',
    '--project',
    'node',
    '-t',
    'memory',
    '--reporter',
    'json',
    '--outputFile',
    report,
  ];
  spawnSync(process.execPath, [vitest, 'run', ...options, join('test', worldTest)], {
    cwd: copy,
    stdio: 'ignore',
    env: { ...env, PROVE: '1', WORLD_RUNS: String(mostSequences), WORLD_SEEK: '.', MODEL: '1' },
  });
  const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const messages = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap((one) => one.failureMessages),
  );
  return (
    messages.map((message) => /failed after (\d+) tests?/.exec(message)?.[1]).find((count) => count !== undefined) ??
    null
  );
}

/** With words as arguments: only the bugs whose names hold one of them. */
const words = process.argv.slice(2).filter((word) => word !== '--world');
const known = isWorld ? bugs.filter(({ name }) => foundByWorld.includes(name)) : bugs;
const named = known.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
const hasPostgres = Boolean(process.env.TEST_DATABASE_URL) || findPostgres() !== null;
const chosen = named.filter(({ tests }) => hasPostgres || !tests.every(isOnPostgres));
if (chosen.length < named.length) console.log(`Left out, for want of a PostgreSQL: ${named.length - chosen.length}.`);
const rows = [];
/** Tests that fail without a bug, too: one of them need not cost what all others show. */
let unsound = [];

try {
  for (const part of [
    'src',
    'console',
    'test',
    'scripts',
    'site/.vitepress',
    'CHANGELOG.md',
    'docs',
    'deploy',
    'dist',
    'examples',
    'bench',
    'README.md',
    'ARCHITECTURE.md',
    'package.json',
    'tsconfig.json',
    'vitest.config.ts',
  ]) {
    const isOurs = (path) => !path.includes('node_modules');
    cpSync(join(root, part), join(copy, part), { recursive: true, filter: (path) => isOurs(relative(root, path)) });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'junction');
  for (const bug of isWorld ? chosen : []) {
    const unplant = plant(bug);
    const count = sequencesUntilFound();
    unplant();
    rows.push({ bug: bug.name, 'caught by': count ?? 'NOBODY' });
    console.log(`${count === null ? `not within ${mostSequences}` : `after ${count} sequences`}: ${bug.name}`);
  }
  unsound = isWorld ? [] : run([...new Set(chosen.flatMap(({ tests }) => tests))], true);
  if (unsound === null) throw new Error('Without a bug no test could be run.');
  for (const test of unsound) console.log(`Fails without a bug, and catches none: ${test}`);

  for (const bug of isWorld ? [] : chosen) {
    const start = performance.now();
    const unplant = plant(bug);
    // The first file that catches it is enough.
    let caught = [];
    for (const test of bug.tests) {
      if (caught.length === 0)
        caught = (run([test], unsound.length > 0) ?? []).filter((name) => !unsound.includes(name));
    }
    unplant();
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    rows.push({ bug: bug.name, 'caught by': caught[0] ?? 'NOBODY', seconds });
    console.log(`${caught.length > 0 ? 'caught' : 'MISSED'}  ${seconds.padStart(5)} s  ${bug.name}`);
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}

console.table(rows);
if (unsound.length > 0 || rows.some((row) => row['caught by'] === 'NOBODY')) process.exitCode = 1;
