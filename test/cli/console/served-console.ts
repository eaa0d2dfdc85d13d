import type { Backend, BackendOptions, Store } from 'savepoint/backend';
import { createBackend } from 'savepoint/backend';
import { serve } from 'savepoint/backend/node';
import type { RequestWatch } from '../../../src/cli/console/request-watch.js';
import { newSigningKey } from '../../../src/cli/new-key.js';
import { createServedConsole, createServedWatch } from '../../../src/cli/serve/served-console.js';
import { testOperatorKey } from '../../support/operators.js';
import { pageFolder } from './page.js';

export const gameId = '3fa85f64-5717-4562-b3fc-2c963f66afa6';
export const privateKey = 'private-geheim-0123456789';

export interface ServedConsole {
  url: string;
  /** What went wrong that nobody expects. */
  errors: string[];
  /** What it says of itself. */
  said: { [name: string]: unknown }[];
  options: BackendOptions;
  backend: Backend;
  watch: RequestWatch;
  advance(ms: number): void;
  close(): Promise<void>;
}

/** A service with the console of `savepoint serve` on a port of its own, by a clock of the test's. */
export async function serveConsole({
  folder = pageFolder(),
  ...given
}: Partial<BackendOptions> & { store?: Store; folder?: string } = {}): Promise<ServedConsole> {
  let time = Date.parse('2026-11-23T08:00:00Z');
  const now = (): number => time;
  const options: BackendOptions = {
    games: [{ id: gameId, privateKeys: [privateKey] }],
    signingKey: await newSigningKey(),
    operatorKey: testOperatorKey,
    clock: now,
    ...given,
  };
  const errors: string[] = [];
  const said: ServedConsole['said'] = [];
  const watched = createServedWatch({
    storeKind: 'memory',
    storeBytes: async () => null,
    version: '1.2.3',
    others: null,
    now,
  });
  const backend = createBackend({ ...options, log: watched.take });
  const console = createServedConsole({
    service: {
      current: () => backend,
      settings: () => ({ backend: options, drain: { noticeMs: 0, maxMs: 0 } }) as never,
    },
    front: backend,
    watch: watched.watch,
    atStart: { port: {}, postgres: null },
    folder,
    log: (record) => {
      if (record.kind === 'error') errors.push(record.message);
    },
    say: (kind, more) => void said.push({ kind, ...more }),
    now,
  });
  const served = await serve(backend, {
    port: 0,
    fallback: (request, from) => console.answer(request, from) ?? backend.fetch(request, from),
  });
  return {
    url: served.url,
    errors,
    said,
    options,
    backend,
    watch: watched.watch,
    advance(ms) {
      time += ms;
    },
    async close() {
      watched.watch.end();
      await served.close();
    },
  };
}
