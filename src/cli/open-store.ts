import { createMemoryStore } from '../backend/index.js';
import type { PostgresLimits } from '../backend/stores/postgres/limits.js';
import type { PoolLoad } from '../backend/stores/postgres/pool.js';
import type { Store } from '../backend/stores/store.js';
import { whyNoFile } from './file-place.js';
import { adapters } from './store-adapters.js';
import { fileBytes } from './store-size.js';
import { UsageError } from './usage-error.js';

export interface OpenStore {
  store: Store;
  kind: 'memory' | 'sqlite' | 'postgres';
  /** The connections to PostgreSQL; null where the store has none of its own. */
  connections(): PoolLoad | null;
  /** How large it is, in bytes, with its indexes; null where nobody knows. */
  bytes(): Promise<number | null>;
  close(): Promise<void>;
}

/** What is said of a store that is nobody's file and nobody's database. */
const ofNobody = { connections: () => null, bytes: async () => null, close: async () => {} };

/** What a description means: `memory`, the address of a PostgreSQL database, or a file. */
export function storeKind(description: string): OpenStore['kind'] {
  if (description === 'memory') return 'memory';
  if (/^postgres(ql)?:\/\//i.test(description)) return 'postgres';
  if (description.trim() === '' || /^[a-z][a-z\d+.-]+:\/\//i.test(description)) {
    throw new UsageError('a store is a file such as ./savepoint.db, postgres://…, or memory');
  }
  return 'sqlite';
}

/** Opens a store by its description; what it needs besides is loaded only now. `limits` are for PostgreSQL alone. */
export async function openStore(description: string, limits: PostgresLimits = {}): Promise<OpenStore> {
  const kind = storeKind(description);
  if (kind === 'sqlite') checkPlace(description);
  if (kind === 'memory') return { store: createMemoryStore(), kind, ...ofNobody };
  const store = await opening(description, () => adapters[kind](description, limits));
  return {
    store,
    kind,
    connections: () => store.connections?.() ?? null,
    bytes: async () => (kind === 'sqlite' ? fileBytes(description) : ((await store.bytes?.()) ?? null)),
    close: async () => store.close(),
  };
}

/** What goes wrong as a store is opened is for the caller to set right. */
export async function opening<Opened>(description: string, open: () => Promise<Opened>): Promise<Opened> {
  try {
    return await open();
  } catch (error) {
    throw new UsageError(`the store cannot be opened: ${withoutPassword(messageOf(error), description)}`);
  }
}

/** Opens what a configuration names; a store that is open already stays its owner's. */
export async function openGiven(
  given: string | Store,
  limits: PostgresLimits = {},
): Promise<Omit<OpenStore, 'kind'> & { kind: string }> {
  if (typeof given === 'string') return openStore(given, limits);
  return { store: given, kind: 'given', ...ofNobody };
}

/** Whether an address carries a password, which has no place on the command line. */
export function hasPassword(description: string): boolean {
  return passwordOf(description) !== '';
}

/** What the drivers say of it differs, and names no way out. */
function checkPlace(file: string): void {
  const problem = whyNoFile(file);
  if (problem !== null) throw new UsageError(`the store cannot be opened: ${problem}`);
}

/** The way out of what goes wrong most, by the driver's code or words. */
const waysOut: readonly (readonly [what: RegExp, wayOut: string])[] = [
  [/^(ECONNREFUSED|57P03)$/, 'is PostgreSQL running there?'],
  [/^(ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT)$/, 'check the host in the address'],
  [/^28/, 'check the user and the password in the address'],
  [/password must be a string/, 'it wants a password, which the address has not'],
  [/^3D000$/, 'make the database first (createdb), or name another one'],
  [/^42501$/, 'give this user USAGE on the schema, and SELECT, INSERT, UPDATE and DELETE on its tables'],
  [
    /^ERR_INVALID_URL$/,
    'an address is postgres://user:password@host:5432/database, and in a password / is written as %2F, @ as %40, # as %23',
  ],
  [/^55P03$/, 'somebody else is using it; end that first (a store cannot be moved to itself, either)'],
  [/not a database/, 'give another file'],
  [/is in use by process/, 'end that one first, or give another file'],
];

function messageOf(error: unknown): string {
  const said = wordsOf(error);
  const { code = '' } = error as NodeJS.ErrnoException;
  const wayOut = waysOut.find(([what]) => what.test(code) || what.test(said))?.[1];
  return wayOut === undefined ? said : `${said.replace(/\.$/, '')}: ${wayOut}`;
}

function wordsOf(error: unknown): string {
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
