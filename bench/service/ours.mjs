// The service, behind a port, on the store whose place is in BENCH_PLACE: in memory without one. It is of the build in the folder
// BENCH_BUILD, else of this one. With BENCH_OBSERVED it has the metrics of `savepoint serve`.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { gameId } from './load.mjs';
import { report } from './reporting.mjs';
import { openStore, partOf } from './store.mjs';

const { createBackend } = await partOf('index');
const { serve } = await partOf('node');
const games = [{ id: gameId, privateKeys: ['a key of nobody'] }];
const store = await openStore(JSON.parse(process.env.BENCH_PLACE ?? '{}'));
const backend = createBackend({ games, ...(store === undefined ? {} : { store }), ...(await observed()) });
const { port } = await serve(backend, { port: 0 });
report(port);

async function observed() {
  if (!process.env.BENCH_OBSERVED) return {};
  const metrics = fileURLToPath(new URL('../../.cache/bench-metrics.mjs', import.meta.url));
  // The program is built as one; this part of it alone is no file of the build.
  const entryPoints = [fileURLToPath(new URL('../../src/cli/serve/metrics.ts', import.meta.url))];
  await build({ entryPoints, outfile: metrics, bundle: true, platform: 'node', format: 'esm', packages: 'external' });
  const { createMetrics, loadPrometheus } = await import(metrics);
  return {
    observer: createMetrics(await loadPrometheus(), { version: 'bench', now: () => performance.now() }).observer,
  };
}
