import { decodeJwt, type JWK } from 'jose';
import { createBackend } from 'savepoint/backend';
import { type Text, wholeText } from '../../../../src/backend/http/answers.js';
import type { Store } from '../../../../src/backend/stores/store.js';
import { testPrivateKey } from '../../../support/service.js';
import { limits } from './limits.js';
import type { Refusal } from './network.js';
import { freshUuid } from './randomness.js';
import type { Turns } from './turns.js';
import type { Value } from './values.js';

/** What was stored for an account, or kept as a snapshot of it. */
export interface Kept {
  account: string;
  collection: string;
  key: string;
  /** Null in a snapshot. */
  version: number | null;
  value: Value;
  /** Why there is the snapshot. */
  reason?: string;
}

/** What of one account came into another, or back into the same: not by a write of a game. */
export interface Jump {
  readonly account: string;
  /** The first of the history that came with it or after it. */
  readonly at: number;
  /** The account that was merged into this one; null where a snapshot was written back. */
  readonly from: string | null;
  readonly changes: readonly {
    collection: string;
    key: string;
    before: Value | undefined;
    after: Value | undefined;
    /** What the other account had. */
    added: Value | undefined;
  }[];
}

/** The service, and all that ever was in it: what a write is held against. */
export interface WatchedService {
  readonly gameId: string;
  readonly baseUrl: string;
  /** In the order in which it was stored. */
  readonly history: readonly Kept[];
  readonly jumps: readonly Jump[];
  /** The entries that the service refuses, by `collection/key`. */
  readonly refusals: Map<string, Refusal>;
  refusalOf(request: Request): Refusal | null;
  /** Carries out a request with its body, and looks at what it changed. */
  answer(request: Request, asked: string, by?: object): Promise<Response>;
  /** The accounts whose data may be found in this one: itself, and what lost to it or was merged into it. */
  sources(account: string): ReadonlySet<string>;
  /** A device has given an account what it had of a guest to whom nothing leads any more. */
  united(guest: string, heir: string): void;
  /** Whether an account has got anything in that way, and nobody has noted what of it counts. */
  isUnited(account: string): boolean;
  /** Whom devices have given what they had of a guest, by the guest. */
  readonly heirs: ReadonlyMap<string, string>;
  /** Accounts in which a snapshot was written back: their older values are newer ones again. */
  readonly undone: ReadonlySet<string>;
  /** Accounts that were deleted, and not taken back. */
  readonly deleted: ReadonlySet<string>;
  /** Accounts that were ever deleted, which ended their sessions. */
  readonly everDeleted: ReadonlySet<string>;
  /**
   * The choice that was carried out in a conflict, by its name, and the page that asked for it. Undefined where there was none, and where several
   * conflicts have that name: a game does not see which one is its own.
   */
  choiceOf(name: string): CarriedOut | undefined;
  accounts(): string[];
  /** Whom the service has signed in, and the page that asked for it, in that order. */
  readonly signedIn: readonly { readonly userId: string; readonly by: object | undefined }[];
  /** As it is stored now. */
  value(account: string, collection: string, key: string): Promise<Value | undefined>;
  /** As it was stored when it was last looked at. */
  lastValue(account: string, collection: string, key: string): Value | undefined;
  /** The account that a name leads to. */
  ownerOf(name: string): Promise<string | undefined>;
}

/** A choice, and the page by whose request it was carried out. */
interface CarriedOut {
  readonly choice: string;
  readonly by: object | undefined;
}

interface ConflictText {
  ticket: string;
  expiresAt: number;
  local: { userId: string };
  cloud: { userId: string };
}

/** Names a conflict as a game sees it: without its ticket. */
export function conflictName({ local, cloud, expiresAt }: Omit<ConflictText, 'ticket'>): string {
  return `${local.userId} ${cloud.userId} ${expiresAt}`;
}

export function watchService(store: Store, turns: Turns): WatchedService {
  const gameId = freshUuid();
  const scope = { gameId, environment: 0 as const };
  const backend = createBackend({
    games: [{ id: gameId, privateKeys: [testPrivateKey] }],
    clock: () => Date.now(),
    insecureFastPasswordsForTests: true,
    limits: { valueBytes: limits.valueBytes, quotas: { entries: limits.entriesPerCollection } },
    store,
    ...signing,
  });
  const watched = createWatch(store, scope);

  async function carryOut(request: Request, asked: string, by: object | undefined): Promise<Response> {
    const { method, url, headers } = request;
    const mutates = method !== 'GET';
    const account = accountOf(headers) ?? /\/saves\/([^/]+)\//.exec(url)?.[1] ?? null;
    const before = await watched.before(url, asked);
    // The body has been read. So the service is asked as its own port asks it, which costs less than another Request.
    const answer = await backend.core.answer(request, { read: async () => encoder.encode(asked) });
    // No operation of this world answers with a stream.
    const answered = answer.body && wholeText(answer.body as Text);
    if (mutates)
      await watched.after({ method, url, asked, answered: answered ?? '', account, before, status: answer.status, by });
    return new Response(answered, { status: answer.status, headers: [...answer.headers] });
  }

  return {
    ...watched.seen,
    gameId,
    baseUrl: 'http://saves.test',
    refusals: new Map(),
    refusalOf(request) {
      if (request.method !== 'PATCH' || this.refusals.size === 0) return null;
      const [, entry = ''] = /\/collections\/([^?]+)\?/.exec(request.url) ?? [];
      return this.refusals.get(entry) ?? null;
    },
    answer: (request, asked, by) => turns.serve(() => carryOut(request, asked, by)),
    value: async (accountId, collection, key) => {
      const profile = await turns.serve(() => store.readProfile({ ...scope, accountId }));
      const found = profile?.entries.find((entry) => entry.collection === collection && entry.key === key);
      return found === undefined ? undefined : (JSON.parse(found.text) as Value);
    },
    ownerOf: async (name) => {
      for (const accountId of watched.seen.accounts()) {
        const { links = [] } = (await turns.serve(() => store.readAccount({ ...scope, accountId }))) ?? {};
        if (links.some(({ method, label }) => method === 'name' && label === name)) return accountId;
      }
      return undefined;
    },
  };
}

const encoder = new TextEncoder();

let signing: { signingKey?: JWK } = {};

/** Makes the key that signs the tokens of all services here: a new one for each would take longer than all the rest. */
export async function prepareSigningKey(): Promise<void> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const { kty, crv, x, y, d } = (await crypto.subtle.exportKey('jwk', pair.privateKey)) as JWK;
  signing = { signingKey: { kty, crv, x, y, d } as JWK };
}

/** What there was before a request. */
interface Before {
  readonly values: ReadonlyMap<string, Value>;
  /** How much of the history. */
  readonly at: number;
}

interface Answered {
  method: string;
  url: string;
  asked: string;
  answered: string;
  account: string | null;
  before: Before | null;
  status: number;
  /** The page that asked. */
  by: object | undefined;
}

/** Looks at what a store holds after each request that may have changed something. */
function createWatch(store: Store, scope: { gameId: string; environment: 0 }) {
  const history: Kept[] = [];
  const jumps: Jump[] = [];
  const known = new Set<string>();
  const last = new Map<string, Value>();
  const accounts = new Set<string>();
  const sources = new Map<string, Set<string>>();
  const tickets = new Map<string, ConflictText>();
  const undone = new Set<string>();
  const heirs = new Map<string, string>();
  const deleted = new Set<string>();
  const everDeleted = new Set<string>();
  /** By ticket. */
  const choices = new Map<string, CarriedOut>();
  const signedIn: { userId: string; by: object | undefined }[] = [];

  const sourcesOf = (account: string): Set<string> => {
    const found = sources.get(account) ?? new Set([account]);
    sources.set(account, found);
    return found;
  };

  function note(name: string, place: Omit<Kept, 'value'>, text: string): void {
    if (known.has(name)) return;
    known.add(name);
    const value = JSON.parse(text) as Value;
    history.push({ ...place, value });
    if (place.version !== null) last.set(`${place.account}/${place.collection}/${place.key}`, value);
  }

  async function look(account: string, withSnapshots: boolean): Promise<void> {
    const owner = { ...scope, accountId: account };
    for (const { collection, key, version, text } of (await store.readProfile(owner))?.entries ?? []) {
      note(`${account}/${collection}/${key}/${version}`, { account, collection, key, version }, text);
    }
    if (!withSnapshots) return;
    const now = Date.now();
    for (const { snapshotId, reason } of (await store.listSnapshots({ owner, now })).reverse()) {
      if (known.has(snapshotId)) continue;
      known.add(snapshotId);
      const { entries = [] } = (await store.readSnapshot({ key: { ...owner, snapshotId }, now })) ?? {};
      for (const { collection, key, text } of entries) {
        note(`${snapshotId}/${collection}/${key}`, { account, collection, key, version: null, reason }, text);
      }
    }
  }

  async function noteChoice(met: ConflictText, { choice, by }: CarriedOut, before: Before): Promise<void> {
    const [local, cloud] = [met.local.userId, met.cloud.userId];
    choices.set(met.ticket, { choice, by });
    const [loser, winner] = choice === 'local' ? [cloud, local] : [local, cloud];
    for (const account of sourcesOf(loser)) sourcesOf(winner).add(account);
    for (const account of [local, cloud]) await look(account, true);
    if (choice === 'merge') noteJump(cloud, local, before);
  }

  function noteJump(account: string, from: string | null, { values, at }: Before): void {
    const changes = [...last].flatMap(([place, after]) => {
      const [owner, collection = '', entry = ''] = place.split('/');
      const added = values.get(`${from}/${collection}/${entry}`);
      return owner === account ? [{ collection, key: entry, before: values.get(place), after, added }] : [];
    });
    jumps.push({ account, at, from, changes });
  }

  return {
    seen: {
      history,
      jumps,
      undone,
      deleted,
      everDeleted,
      signedIn,
      choiceOf: (name: string) => {
        const [one, ...others] = [...tickets.values()].filter((conflict) => conflictName(conflict) === name);
        return one === undefined || others.length > 0 ? undefined : choices.get(one.ticket);
      },
      sources: sourcesOf,
      united: (guest: string, heir: string) => {
        heirs.set(guest, heir);
        // What came to the heir may have been noted after the heir lost to somebody, or was merged.
        sourcesOf(heir);
        for (const found of sources.values()) {
          if (found.has(heir)) for (const account of sourcesOf(guest)) found.add(account);
        }
      },
      isUnited: (account: string) => [...heirs.values()].some((heir) => sourcesOf(account).has(heir)),
      heirs,
      accounts: () => [...accounts],
      lastValue: (account: string, collection: string, entry: string) => last.get(`${account}/${collection}/${entry}`),
    },
    /** What there is before a request, where that matters. */
    before: async (url: string, asked: string): Promise<Before | null> => {
      const { ticket } = JSON.parse(asked || '{}') as { ticket?: string };
      const met = ticket === undefined ? undefined : tickets.get(ticket);
      for (const account of met === undefined ? [] : [met.local.userId, met.cloud.userId]) await look(account, false);
      return met !== undefined || url.includes('/restore') ? { values: new Map(last), at: history.length } : null;
    },
    after: async ({ method, url, asked, answered, account, before, status, by }: Answered): Promise<void> => {
      const body = (status < 300 || status === 409) && answered !== '' ? JSON.parse(answered) : {};
      if (typeof body.userId === 'string') {
        accounts.add(body.userId);
        if (body.accessToken !== undefined) signedIn.push({ userId: body.userId, by });
        // Whoever signs in to it has taken it back.
        deleted.delete(body.userId);
      }
      if (method === 'DELETE' && url.endsWith('/account') && status < 300 && account !== null) {
        for (const set of [deleted, everDeleted]) set.add(account);
      }
      if (body.conflict !== undefined) tickets.set(body.conflict.ticket, body.conflict);
      const { ticket, choice, version } = JSON.parse(asked || '{}');
      const met = ticket === undefined || choice === undefined || status !== 200 ? undefined : tickets.get(ticket);
      if (met !== undefined) {
        // Asked again, it has the same outcome.
        if (!choices.has(met.ticket)) await noteChoice(met, { choice, by }, before as Before);
      } else if (account !== null) {
        const isRestored = url.includes('/restore') && status === 200;
        await look(account, url.includes('/snapshots') || version === -1);
        if (isRestored) {
          undone.add(account);
          noteJump(account, null, before as Before);
        }
      }
    },
  };
}

function accountOf(headers: Headers): string | null {
  const [, token = ''] = (headers.get('authorization') ?? '').split(' ');
  return token.includes('.') ? (decodeJwt(token).sub ?? null) : null;
}
