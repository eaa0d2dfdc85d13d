import type { Registry } from 'prom-client';
import type { Backend, Observer, ServiceEvent } from '../../backend/index.js';
import type { PoolLoad } from '../../backend/stores/postgres/pool.js';
import { isStoreUnavailable } from '../../backend/stores/unavailable.js';
import { conflictChoices } from '../../protocol/conflict.js';
import { signingDefaults } from '../../protocol/gaps/signing.js';
import type { OperationName } from '../../protocol/operations.js';
import { signInOperations } from '../../protocol/player-operations.js';
import { UsageError } from '../usage-error.js';
import type { Health } from './health.js';

type Prometheus = typeof import('prom-client');

/** What there is to see only once the service stands. */
export interface Watched {
  load: Backend['load'];
  health: Health;
  connections(): PoolLoad | null;
  isDraining(): boolean;
  warnings(): readonly string[];
  noncesPerGame?(): number | undefined;
}

export interface Metrics {
  observer: Observer;
  /** Counts a request that was refused before the service had it, because it drains. */
  turnedAway(): void;
  /** Shows what the service tells only when it is asked. */
  watch(watched: Watched): void;
  /** All metrics, as Prometheus reads them. */
  text(): Promise<string>;
  /** All metrics, for `metricsOfAll`. */
  json(): Promise<unknown>;
  contentType: string;
}

/** In seconds: from a read in memory to where the SDKs give a try up. */
const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const storeBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 2.5, 10];

/** The methods of the sign-ins, by their operations. */
const signInMethods: { readonly [operation in OperationName]?: string } = {
  ...Object.fromEntries(Object.entries(signInOperations).map(([method, operation]) => [operation, method])),
  authenticate: 'custom',
};
const writers: { readonly [operation in OperationName]?: string } = { updateEntry: 'player', updateUserEntry: 'game' };

/** Loads prom-client, which only `savepoint serve` does, and only where a port is given for it. */
export async function loadPrometheus(): Promise<Prometheus> {
  try {
    return await import('prom-client');
  } catch {
    throw new UsageError('metrics need the package prom-client: npm install prom-client');
  }
}

/** Metrics of a service. No label has a value that a request has brought along. `now` gives ms, and never goes back. */
export function createMetrics(
  prometheus: Prometheus,
  { version, now, process }: { version: string; now: () => number; process?: number | undefined },
): Metrics {
  const registry = new prometheus.Registry();
  if (process !== undefined) registry.setDefaultLabels({ process });
  prometheus.collectDefaultMetrics({ register: registry });
  const tallies: Tallies = new Map();
  let running = 0;
  const counted = createCounters(prometheus, registry);
  addTallies(prometheus, registry, { tallies, running: () => running });
  for (const choice of conflictChoices) counted.choices.inc({ choice }, 0);
  new prometheus.Gauge({
    name: 'savepoint_build_info',
    help: 'The version that runs; always 1.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1);

  const observer: Observer = {
    async request(request, answer) {
      const startedAt = now();
      running += 1;
      try {
        return await answer();
      } finally {
        running -= 1;
        const { operation, status, code } = request;
        const name = operation ?? 'none';
        count(tallies, { operation: name, status: String(status ?? 'none'), code: code ?? 'none' });
        counted.requestSeconds.observe({ operation: name }, (now() - startedAt) / 1000);
      }
    },
    async store(operation, run) {
      const startedAt = now();
      try {
        return await run();
      } catch (error) {
        counted.storeFailures.inc({ operation, reason: isStoreUnavailable(error) ? 'unavailable' : 'unknown' });
        throw error;
      } finally {
        counted.storeSeconds.observe({ operation }, (now() - startedAt) / 1000);
      }
    },
    happened: (event) => countEvent(counted, event),
  };
  return {
    observer,
    turnedAway() {
      count(tallies, { operation: 'none', status: '503', code: 'unavailable' });
    },
    watch: (watched) => addGauges(prometheus, registry, watched),
    text: () => registry.metrics(),
    json: () => registry.getMetricsAsJSON(),
    contentType: registry.contentType,
  };
}

/**
 * The metrics of several processes, each of whose values has the label `process`: so a counter of one that begins
 * anew is read as what it is.
 */
export function metricsOfAll(
  prometheus: Prometheus,
  { collect, count }: { collect(): Promise<unknown[]>; count: number },
): Pick<Metrics, 'text' | 'contentType'> {
  const { AggregatorRegistry, Gauge, Registry } = prometheus;
  return {
    contentType: new Registry().contentType,
    async text() {
      const told = await collect();
      const registry = AggregatorRegistry.aggregate(told as object[]);
      new Gauge({
        name: 'savepoint_processes',
        help: 'Processes on this port: how many there should be, and how many answer.',
        labelNames: ['state'],
        registers: [registry],
        collect() {
          this.set({ state: 'wanted' }, count);
          this.set({ state: 'answering' }, told.length);
        },
      });
      return registry.metrics();
    },
  };
}

type Counters = ReturnType<typeof createCounters>;

function createCounters({ Counter, Histogram }: Prometheus, registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  return {
    requestSeconds: new Histogram({
      name: 'savepoint_request_duration_seconds',
      help: 'How long answers took.',
      labelNames: ['operation'],
      buckets: requestBuckets,
      registers,
    }),
    choices: counter('savepoint_conflict_choices_total', 'Choices of players in conflicts.', ['choice']),
    nonces: counter('savepoint_nonces_total', 'Nonces of rightly signed requests.', ['game', 'outcome']),
    removed: counter('savepoint_retention_removed_total', 'Records that were removed because they had expired.', []),
    storeSeconds: new Histogram({
      name: 'savepoint_store_duration_seconds',
      help: 'How long operations of the store took.',
      labelNames: ['operation'],
      buckets: storeBuckets,
      registers,
    }),
    storeFailures: counter('savepoint_store_failures_total', 'Operations of the store that failed.', [
      'operation',
      'reason',
    ]),
  };
}

interface Answered {
  operation: string;
  status: string;
  code: string;
}

/**
 * How often a request was answered so, by all three. All that is counted of requests is made of it when somebody asks.
 */
type Tallies = Map<string, Answered & { times: number }>;

/** All that a request pays for: to count in the library takes it ten times as long. */
function count(tallies: Tallies, answered: Answered): void {
  const key = `${answered.operation} ${answered.status} ${answered.code}`;
  const known = tallies.get(key);
  if (known === undefined) tallies.set(key, { ...answered, times: 1 });
  else known.times += 1;
}

function addTallies(
  { Counter, Gauge }: Prometheus,
  registry: Registry,
  { tallies, running }: { tallies: Tallies; running(): number },
): void {
  const registers = [registry];
  /** Counts those that `labelsOf` has labels for. */
  const counter = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    labelsOf: (answered: Answered) => { [label in Label]: string } | null,
  ) =>
    new Counter({
      name,
      help,
      labelNames: labelNames as string[],
      registers,
      collect() {
        this.reset();
        for (const answered of tallies.values()) {
          const labels = labelsOf(answered);
          if (labels !== null) this.inc(labels, answered.times);
        }
      },
    });
  counter(
    'savepoint_requests_total',
    'Requests that were answered, or whose answer was dropped.',
    ['operation', 'status', 'code'],
    ({ operation, status, code }) => ({ operation, status, code }),
  );
  counter('savepoint_refusals_total', 'Requests that were refused.', ['code'], ({ code }) =>
    code === 'none' ? null : { code },
  );
  counter(
    'savepoint_sign_ins_total',
    'Sign-ins and links: ok, or the code of the refusal.',
    ['method', 'result'],
    (answered) => withResult('method', signInMethods, answered),
  );
  counter(
    'savepoint_writes_total',
    'Updates of an entry: ok, or the code of the refusal.',
    ['by', 'result'],
    (answered) => withResult('by', writers, answered),
  );
  new Gauge({
    name: 'savepoint_requests_running',
    help: 'Requests that run at this moment.',
    registers,
    collect() {
      this.set(running());
    },
  });
}

function withResult<Label extends string>(
  label: Label,
  names: { readonly [operation: string]: string },
  { operation, status, code }: Answered,
): ({ [name in Label]: string } & { result: string }) | null {
  const name = names[operation];
  if (name === undefined) return null;
  const result = code !== 'none' ? code : status === 'none' ? 'dropped' : 'ok';
  return { [label]: name, result } as { [name in Label]: string } & { result: string };
}

function countEvent(counted: Counters, event: ServiceEvent): void {
  if (event.kind === 'choice') counted.choices.inc({ choice: event.choice });
  else if (event.kind === 'nonce') counted.nonces.inc({ game: event.gameId, outcome: event.outcome });
  else counted.removed.inc(event.removed);
}

/** Adds a gauge that is set as often as somebody asks. */
type AddGauge = (
  name: string,
  help: string,
  labelNames: string[],
  collect: (set: (labels: { [label: string]: string }, value: number) => void) => void | Promise<void>,
) => void;

/** What is looked at when somebody asks for the metrics. */
function addGauges({ Gauge }: Prometheus, registry: Registry, watched: Watched): void {
  const gauge: AddGauge = (name, help, labelNames, collect) => {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        return collect((labels, value) => this.set(labels, value));
      },
    });
  };
  const { load, health, connections } = watched;
  // They come before what asks the store: its questions would wait in the pool for a moment, and be counted there.
  if (connections() !== null) addPoolGauges(gauge, connections);
  gauge('savepoint_passwords', 'Passwords that are hashed, or wait for it.', ['state'], (set) => {
    const { running, waiting } = load().passwords;
    set({ state: 'running' }, running);
    set({ state: 'waiting' }, waiting);
  });
  gauge('savepoint_retention_backlog_seconds', 'How long there has been more to remove than is removed.', [], (set) =>
    set({}, load().retentionBacklogMs / 1000),
  );
  gauge('savepoint_webhooks', "Events that a game's back end has not been told.", ['game', 'state'], (set) => {
    for (const { gameId: game, waiting, dead } of load().webhooks) {
      set({ game, state: 'waiting' }, waiting);
      set({ game, state: 'dead' }, dead);
    }
  });
  gauge('savepoint_webhooks_oldest_seconds', 'How long the oldest event has waited.', ['game'], (set) => {
    for (const { gameId: game, oldestAgeMs } of load().webhooks) set({ game }, oldestAgeMs / 1000);
  });
  gauge('savepoint_webhooks_lost', 'Events of the last 30 days of which there were too many.', ['game'], (set) => {
    for (const { gameId: game, lost } of load().webhooks) set({ game }, lost);
  });
  gauge('savepoint_store_up', 'Whether the store answers, by what is asked of it.', ['access'], async (set) => {
    const [reads, writes] = await Promise.all([health.reads(), health.writes()]);
    set({ access: 'reads' }, Number(reads));
    set({ access: 'writes' }, Number(writes));
  });
  gauge('savepoint_draining', 'Whether the service ends.', [], (set) => set({}, Number(watched.isDraining())));
  gauge('savepoint_warnings', 'Warnings, by what should be set in another way.', ['code'], (set) => {
    for (const code of watched.warnings()) set({ code }, 1);
  });
  gauge('savepoint_nonces_limit', 'How many nonces of a game are held at most.', [], (set) =>
    set({}, watched.noncesPerGame?.() ?? signingDefaults.maxNoncesPerGame),
  );
}

/** What the pool of connections tells of itself at the moment in which it is looked at. */
function addPoolGauges(gauge: AddGauge, connections: Watched['connections']): void {
  gauge('savepoint_postgres_connections', 'Connections to PostgreSQL.', ['state'], (set) => {
    const { idle = 0, busy = 0 } = connections() ?? {};
    set({ state: 'idle' }, idle);
    set({ state: 'busy' }, busy);
  });
  gauge('savepoint_postgres_connections_limit', 'How many connections there may be.', [], (set) =>
    set({}, connections()?.max ?? 0),
  );
  gauge('savepoint_postgres_waiting', 'Calls that wait for a connection.', [], (set) =>
    set({}, connections()?.waiting ?? 0),
  );
}
