// What a page loads, in gzip, with all dependencies. Run on a build; exits with 1 where a limit is passed.
// Vite is what most web games are built with, and its figure is the one that is promised; esbuild's, which minifies less
// well, is printed beside it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build as buildByEsbuild } from 'esbuild';
import { build as buildByVite } from 'vite';

const dist = fileURLToPath(new URL('../dist', import.meta.url));

/** Limits in bytes of gzip; `names` is what a page imports, all where it is left out. */
const entries = [
  { title: 'savepoint, with everything', file: 'index.js', limit: 20_000 },
  { title: 'savepoint, createClient alone', file: 'index.js', names: '{ createClient }' },
  { title: 'savepoint/server', file: 'server/index.js' },
  { title: 'savepoint/backend', file: 'backend/index.js' },
];
const scriptFile = { title: 'savepoint.global.js, for a <script> tag', file: 'savepoint.global.js', limit: 20_000 };

/** Bytes of gzip of each entry: as Vite builds it, as esbuild does, and as it is. */
export async function measureSizes() {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-size-'));
  try {
    const rows = [];
    for (const { title, file, names = '*', limit } of entries) {
      const page = join(folder, 'page.js');
      writeFileSync(page, `export ${names} from ${JSON.stringify(join(dist, file))};`);
      rows.push({ title, limit, bytes: gzip(await byVite(folder, page)), esbuild: gzip(await byEsbuild(page)) });
    }
    rows.push({ ...scriptFile, bytes: gzip(readFileSync(join(dist, scriptFile.file))) });
    return rows;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function byVite(root, input) {
  const { output } = await buildByVite({
    configFile: false,
    logLevel: 'error',
    root,
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: { input, preserveEntrySignatures: 'strict', external: [/^node:/] },
    },
  });
  return output[0].code;
}

async function byEsbuild(input) {
  const { outputFiles } = await buildByEsbuild({
    entryPoints: [input],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const rows = await measureSizes();
  printSizes(rows);
  const over = rows.filter(({ bytes, limit }) => bytes > limit);
  for (const { title, bytes, limit } of over) console.error(`${title} is ${bytes - limit} bytes over its limit.`);
  process.exitCode = over.length === 0 ? 0 : 1;
}
