import type { Store } from '../backend/stores/store.js';

type Adapter = (description: string) => Promise<Store & { close(): void | Promise<void> }>;

/** The stores that outlive the process. */
export const adapters: { readonly [kind in 'sqlite' | 'postgres']: Adapter } = {
  sqlite: async () => missing('savepoint/backend/sqlite'),
  postgres: async () => missing('savepoint/backend/postgres'),
};

function missing(name: string): never {
  throw new Error(`this version has no ${name}`);
}
