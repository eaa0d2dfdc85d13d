import { rm } from 'node:fs/promises';
import { type Answer, problem } from '../../backend/http/answers.js';
import type { App } from '../../backend/http/app.js';
import type { Backend } from '../../backend/index.js';
import { Refusal } from '../../backend/refusal.js';
import type { Store } from '../../backend/stores/store.js';
import { busyRetryMs } from '../../protocol/gaps/retry-hints.js';
import type { openGiven } from '../open-store.js';

type Opened = Awaited<ReturnType<typeof openGiven>>;

/** The service of `savepoint dev`, which can begin anew while its port stays. */
export interface DevService {
  readonly answer: App;
  /** The service that answers now. */
  current(): Backend;
  /**
   * Empties the store and begins anew. What comes meanwhile waits. Refuses with `invalid_request` a store that is
   * somebody else's. Where it fails, answers are `unavailable` until another reset succeeds.
   */
  reset(): Promise<void>;
  /** How large the store is, in bytes; null where nobody knows. */
  bytes(): Promise<number | null>;
  close(): Promise<void>;
}

export interface DevServiceOptions {
  open(): Promise<Opened>;
  /** The path of the store's file; null where there is none. */
  file: string | null;
  /** Makes the service, ready to be asked. */
  create(store: Store): Promise<Backend>;
}

export async function startDevService({
  open,
  file,
  create,
}: DevServiceOptions): Promise<DevService & { kind: string }> {
  let opened: Opened | null = await open();
  const { kind, close } = opened;
  let backend = await create(opened.store).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  /** Settles, and never rejects, when the reset that was asked for last has succeeded or failed. */
  let beginning: Promise<unknown> = Promise.resolve();

  async function beginAnew(): Promise<void> {
    const former = opened;
    opened = null;
    await former?.close();
    if (file !== null) await Promise.all(['', '-wal', '-shm'].map((end) => rm(file + end, { force: true })));
    const next = await open();
    try {
      backend = await create(next.store);
    } catch (error) {
      await next.close();
      throw error;
    }
    opened = next;
  }

  return {
    kind,
    current: () => backend,
    bytes: async () => opened?.bytes() ?? null,

    async answer(request, arrival) {
      await beginning;
      return opened === null ? noStore() : backend.core.answer(request, arrival);
    },

    async reset() {
      if (kind !== 'memory' && kind !== 'sqlite') {
        const detail =
          'Only a store in memory or in a file can be emptied here: drop the schema of the database instead.';
        throw new Refusal('invalid_request', { detail });
      }
      const reset = beginning.then(beginAnew);
      beginning = reset.catch(() => {});
      await reset;
    },

    async close() {
      await beginning;
      await opened?.close();
    },
  };
}

/** The answer while there is no store, because the last reset has failed. */
function noStore(): Answer {
  const detail = 'The store could not be emptied. Reset it again, or start the service anew.';
  return problem(new Refusal('unavailable', { detail, retryAfterMs: busyRetryMs }), crypto.randomUUID());
}
