import { rm } from 'node:fs/promises';
import type { App } from '../../backend/http/app.js';
import type { Backend } from '../../backend/index.js';
import { Refusal } from '../../backend/refusal.js';
import type { Store } from '../../backend/stores/store.js';
import type { openGiven } from '../open-store.js';

type Opened = Awaited<ReturnType<typeof openGiven>>;

/** The service of `savepoint dev`, which can begin anew while its port stays. */
export interface DevService {
  readonly answer: App;
  /** The service that answers now. */
  current(): Backend;
  /** Empties the store and begins anew. What comes meanwhile waits. Refuses with `invalid_request` a store that is somebody else's. */
  reset(): Promise<void>;
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
  let opened = await open();
  let backend = await create(opened.store).catch(async (error: unknown) => {
    await opened.close();
    throw error;
  });
  let beginning: Promise<void> = Promise.resolve();

  async function beginAnew(): Promise<void> {
    await opened.close();
    if (file !== null) await Promise.all(['', '-wal', '-shm'].map((end) => rm(file + end, { force: true })));
    opened = await open();
    backend = await create(opened.store);
  }

  return {
    kind: opened.kind,
    current: () => backend,

    async answer(request, arrival) {
      await beginning;
      return backend.core.answer(request, arrival);
    },

    async reset() {
      const { kind } = opened;
      if (kind !== 'memory' && kind !== 'sqlite') {
        const detail =
          'Only a store in memory or in a file can be emptied here: drop the schema of the database instead.';
        throw new Refusal('invalid_request', { detail });
      }
      beginning = beginning.then(beginAnew);
      await beginning;
    },

    close: async () => opened.close(),
  };
}
