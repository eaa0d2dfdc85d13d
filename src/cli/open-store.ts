import { createMemoryStore } from '../backend/index.js';
import type { Store } from '../backend/stores/store.js';
import { adapters } from './store-adapters.js';
import { UsageError } from './usage-error.js';

export interface OpenStore {
  store: Store;
  kind: 'memory' | 'sqlite' | 'postgres';
  close(): Promise<void>;
}

/** What a description means: `memory`, the address of a PostgreSQL database, or a file. */
export function storeKind(description: string): OpenStore['kind'] {
  if (description === 'memory') return 'memory';
  if (/^postgres(ql)?:\/\//i.test(description)) return 'postgres';
  if (description.trim() === '' || /^[a-z][a-z\d+.-]+:\/\//i.test(description)) {
    throw new UsageError('a store is a file such as ./savepoint.db, postgres://…, or memory');
  }
  return 'sqlite';
}

/** Opens a store by its description; what it needs besides is loaded only now. */
export async function openStore(description: string): Promise<OpenStore> {
  const kind = storeKind(description);
  if (kind === 'memory') return { store: createMemoryStore(), kind, close: async () => {} };
  try {
    const store = await adapters[kind](description);
    return { store, kind, close: async () => store.close() };
  } catch (error) {
    throw new UsageError(`the store cannot be opened: ${withoutPassword(messageOf(error), description)}`);
  }
}

/** Opens what a configuration names; a store that is open already stays its owner's. */
export async function openGiven(given: string | Store): Promise<Omit<OpenStore, 'kind'> & { kind: string }> {
  if (typeof given === 'string') return openStore(given);
  return { store: given, kind: 'given', close: async () => {} };
}

/** Whether an address carries a password, which has no place on the command line. */
export function hasPassword(description: string): boolean {
  return passwordOf(description) !== '';
}

function messageOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const missing = code === 'ERR_MODULE_NOT_FOUND' ? /'([^']+)'/.exec(message)?.[1] : undefined;
  if (missing !== undefined && !/[\\/]/.test(missing)) return `it needs the package ${missing}: npm install ${missing}`;
  return message === '' ? (code ?? 'it failed') : message;
}

function withoutPassword(text: string, description: string): string {
  const password = passwordOf(description);
  if (password === '') return text;
  return text.replaceAll(password, '***').replaceAll(decodeURIComponent(password), '***');
}

function passwordOf(description: string): string {
  return URL.canParse(description) ? new URL(description).password : '';
}
