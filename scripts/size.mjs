// What a page loads, in gzip, with all dependencies, and what it is made of. Run on a build; exits with 1 where a limit is
// passed, or where a package is missing that should be in it.
// Vite is what most web games are built with, and its figure is the one that is promised; esbuild's, which minifies less
// well, is printed beside it.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build as buildByEsbuild } from 'esbuild';
import { build as buildByVite } from 'vite';
import { bundleParts, missingPackages } from './bundle-parts.mjs';
import { languageLevel, oldestBrowsers } from './oldest-browsers.mjs';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * Limits in bytes of gzip; `names` is what a page imports, all where it is left out. `beside` are the folders of an entry that
 * comes to a page which has the client already, and its framework: of the package, nothing else is counted.
 */
const entries = [
  { title: 'savepoint, with everything', file: 'index.js', limit: 47_000 },
  { title: 'savepoint, createClient alone', file: 'index.js', names: '{ createClient }' },
  { title: 'savepoint/react, beside savepoint', file: 'react/index.js', limit: 2_000, beside: ['react', 'bindings'] },
  {
    title: 'savepoint/svelte, beside savepoint',
    file: 'svelte/index.js',
    limit: 2_000,
    beside: ['svelte', 'bindings'],
  },
  { title: 'savepoint/vue, beside savepoint', file: 'vue/index.js', limit: 2_000, beside: ['vue', 'bindings'] },
  { title: 'savepoint/server', file: 'server/index.js' },
  { title: 'savepoint/backend', file: 'backend/index.js' },
  { title: 'savepoint/backend/platforms', file: 'backend/platforms/index.js' },
  { title: 'savepoint/elements, beside savepoint', file: 'elements/index.js', limit: 14_000, beside: ['elements'] },
];
const frameworks = ['react', 'svelte', 'svelte/store', 'vue'];
const scriptFile = { title: 'savepoint.global.js, for a <script> tag', file: 'savepoint.global.js', limit: 47_000 };

/**
 * The operators' console, as it is built: limits in bytes of gzip. `all` is every file of the page, in both languages. What the
 * service itself says in German is no file of the page: whoever reads German is answered it, and it has a row of its own.
 */
const consoleLimits = { untilFirstView: 60_000, all: 250_000 };

/** Bytes of gzip of each entry: as Vite builds it, as esbuild does, and as it is; `parts` is what Vite's is made of. */
export async function measureSizes() {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-size-'));
  try {
    const rows = [];
    for (const { title, file, names = '*', limit, beside } of entries) {
      const page = join(folder, 'page.js');
      writeFileSync(page, `export ${names} from ${JSON.stringify(join(dist, file))};`);
      const isCounted = (id) => beside === undefined || beside.some((room) => id.startsWith(join(dist, room)));
      const isOutside = (id) => frameworks.includes(id) || (id.startsWith(dist) && !isCounted(id));
      const { code, modules } = await byVite(folder, page, isOutside);
      rows.push({
        title,
        limit,
        bytes: gzip(code),
        ...(beside === undefined ? { esbuild: gzip(await byEsbuild(page)) } : {}),
        parts: bundleParts(modules),
      });
    }
    rows.push({ ...scriptFile, bytes: gzip(readFileSync(join(dist, scriptFile.file))) });
    rows.push(...consoleSizes(), await germanWordsSize());
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a browser loads of the console before it shows something, in English, and all that it can load. */
function consoleSizes() {
  const folder = join(dist, 'console');
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
  const first = new Set(['index.html']);
  const visit = (name) => {
    const { file, css = [], imports = [] } = manifest[name];
    for (const one of [file, ...css]) first.add(one);
    for (const one of imports) visit(one);
  };
  for (const name of ['index.html', 'src/texts/en.ts']) visit(name);
  const all = ['index.html', 'icon.svg', ...readdirSync(join(folder, 'assets')).map((name) => `assets/${name}`)];
  const sum = (files) => files.reduce((bytes, file) => bytes + gzip(readFileSync(join(folder, file))), 0);
  return [
    { title: 'console, until the first view', bytes: sum([...first]), limit: consoleLimits.untilFirstView },
    { title: 'console, everything', bytes: sum(all), limit: consoleLimits.all },
  ];
}

/** What the console's server answers a page in German besides: the service's sentences, presets and limits. */
async function germanWordsSize() {
  const source = fileURLToPath(new URL('../src/cli/console/words/german.ts', import.meta.url));
  const code = Buffer.from(await byEsbuild(source)).toString('base64');
  const { german } = await import(`data:text/javascript;base64,${code}`);
  return { title: 'console, what the service says in German', bytes: gzip(JSON.stringify(german)) };
}

async function byVite(root, input, isOutside) {
  const { output } = await buildByVite({
    configFile: false,
    logLevel: 'error',
    root,
    plugins: [leavingOut(isOutside)],
    build: {
      write: false,
      target: oldestBrowsers,
      modulePreload: false,
      rolldownOptions: {
        input,
        preserveEntrySignatures: 'strict',
        external: /^node:/,
      },
    },
  });
  return output[0];
}

/** Leaves modules out under names that are as long wherever the repository is. */
function leavingOut(isOutside) {
  return {
    name: 'leave-out',
    enforce: 'pre',
    resolveId(id, importer = '') {
      const path = id.startsWith('.') ? resolve(dirname(importer), id) : id;
      return isOutside(path) ? { id: path.replace(dist, 'savepoint'), external: true } : null;
    },
  };
}

async function byEsbuild(input) {
  const { outputFiles } = await buildByEsbuild({
    entryPoints: [input],
    bundle: true,
    minify: true,
    format: 'esm',
    target: languageLevel,
    external: ['node:*'],
    write: false,
  });
  return outputFiles[0].contents;
}

function gzip(code) {
  return gzipSync(code, { level: 9 }).length;
}

const inKilobytes = (bytes) => (bytes === undefined ? '' : `${(bytes / 1_000).toFixed(2)} kB`);

export function printSizes(rows) {
  console.log(`${''.padEnd(44)}${'gzip'.padStart(10)}${'limit'.padStart(12)}${'by esbuild'.padStart(14)}`);
  for (const { title, bytes, limit, esbuild } of rows) {
    const columns = [
      inKilobytes(bytes).padStart(10),
      inKilobytes(limit).padStart(12),
      inKilobytes(esbuild).padStart(14),
    ];
    console.log(title.padEnd(44) + columns.join(''));
  }
}

export function printParts({ title, parts }) {
  console.log(`\n${title} is made of, in bytes before minifying:`);
  for (const { name, bytes } of parts) console.log(`${`  ${name}`.padEnd(44)}${String(bytes).padStart(10)}`);
}

/** Everything that is wrong with these figures; the first row is the client's. */
export function problemsOf(rows) {
  const over = rows.filter(({ bytes, limit }) => bytes > limit);
  return [
    ...over.map(({ title, bytes, limit }) => `${title} is ${bytes - limit} bytes over its limit.`),
    ...missingPackages(rows[0].parts).map((name) => `${name} is not in ${rows[0].title}.`),
  ];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = await measureSizes();
  printSizes(rows);
  printParts(rows[0]);
  const problems = problemsOf(rows);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
