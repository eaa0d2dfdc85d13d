import { postgresConnections } from '../../protocol/gaps/postgres-timeouts.js';
import type { ExitCode, Io } from '../io.js';
import { openStore } from '../open-store.js';
import { readConnectionsLimit } from '../store-adapters.js';
import { createProcesses } from './cluster.js';
import { eventLine } from './json-log.js';
import { loadPrometheus, metricsOfAll } from './metrics.js';
import { openMetrics } from './metrics-port.js';
import { superviseProcesses } from './processes.js';
import type { ServeSettings } from './settings.js';

/** What a process needs to end once what it had to wait for is over. */
const lastStepsMs = 10_000;

/** `savepoint serve --processes`: several on one port. This process serves nobody itself. */
export async function serveOnProcesses(
  { processes: count, store, postgresLimits, metrics: shown, drain }: ServeSettings,
  { io, piped }: { io: Io; piped(): Promise<Uint8Array | null> },
): Promise<ExitCode> {
  const address = store as string;
  // Brings the schema up to date, once and before any of them serves.
  await (await openStore(address, { ...postgresLimits, maxConnections: 1 })).close();
  await tellConnections(address, count * (postgresLimits.maxConnections ?? postgresConnections), { count, io });
  const start = createProcesses(await piped());
  const processes = superviseProcesses({
    count,
    start,
    out: io.out,
    now: Date.now,
    wait: io.wait,
    stop: io.stop,
    endWithinMs: drain.noticeMs + drain.maxMs + lastStepsMs,
  });
  io.onHangUp(() => processes.ask('reload'));
  const prometheus = shown === null ? null : await loadPrometheus();
  const all = prometheus === null ? null : metricsOfAll(prometheus, { collect: processes.metrics, count });
  const shownAt = all === null || shown === null ? null : await openMetrics(all, shown);
  if (shownAt !== null) io.out(eventLine(Date.now(), 'metrics', { url: shownAt.url }));
  try {
    const code = await processes.run();
    if (code === 0) io.out(eventLine(Date.now(), 'stopped'));
    return code === 0 || code === 2 ? code : 1;
  } finally {
    await shownAt?.close();
  }
}

/** Says how many connections there may be, and warns where the database has fewer: behind a pooler it may have. */
async function tellConnections(
  address: string,
  connections: number,
  { count, io }: { count: number; io: Io },
): Promise<void> {
  const databaseTakes = await readConnectionsLimit(address);
  io.out(
    eventLine(Date.now(), 'processes', {
      ...(databaseTakes !== null && connections > databaseTakes ? { level: 'warn' } : {}),
      processes: count,
      connections,
      databaseTakes,
    }),
  );
}
