import { createMemoryStore } from '../../../../src/backend/stores/memory/store.js';
import { createTestService, type TestService } from '../../../support/service.js';

/** What was stored for an account, or kept as a snapshot of it. */
export interface Kept {
  account: string;
  collection: string;
  key: string;
  /** Null in a snapshot. */
  version: number | null;
  value: { [field: string]: unknown };
}

/** The service, and all that ever was in it: what a write is held against. */
export interface WatchedService {
  readonly test: TestService;
  /** In the order in which it was stored. */
  readonly history: readonly Kept[];
  /** Carries out a request with its body, and looks at what it changed. */
  answer(request: Request, asked: string): Promise<Response>;
  /** The accounts whose data may be found in this one: itself, and what lost to it or was merged into it. */
  sources(account: string): ReadonlySet<string>;
  /** Accounts in which a snapshot was written back: their older values are newer ones again. */
  readonly undone: ReadonlySet<string>;
  value(account: string, collection: string, key: string): Kept['value'] | undefined;
  /** Where a name leads. */
  ownerOf(name: string): string | undefined;
}

interface ConflictText {
  ticket: string;
  local: { userId: string };
  cloud: { userId: string };
}

export function watchService(): WatchedService {
  const store = createMemoryStore();
  const test = createTestService({ clock: () => Date.now(), store });
  const history: Kept[] = [];
  const seen = new Set<string>();
  const sources = new Map<string, Set<string>>();
  const tickets = new Map<string, ConflictText>();
  const undone = new Set<string>();

  const sourcesOf = (account: string): Set<string> => {
    const found = sources.get(account) ?? new Set([account]);
    sources.set(account, found);
    return found;
  };

  function look(): void {
    for (const { accountId, entries, snapshots } of store.dump().accounts) {
      for (const { collection, key, version, text } of entries) {
        note(`${accountId}/${collection}/${key}/${version}`, { account: accountId, collection, key, version }, text);
      }
      for (const { snapshotId, entries: lost } of snapshots) {
        for (const { collection, key, text } of lost) {
          const place = { account: accountId, collection, key, version: null };
          note(`${accountId}/${snapshotId}/${collection}/${key}`, place, text);
        }
      }
    }
  }

  function note(name: string, place: Omit<Kept, 'value'>, text: string): void {
    if (seen.has(name)) return;
    seen.add(name);
    history.push({ ...place, value: JSON.parse(text) as Kept['value'] });
  }

  /** What of one account may be in the other from now on. */
  function noteConflict(asked: string, status: number, answered: string): void {
    if (status === 409) {
      const { conflict } = JSON.parse(answered) as { conflict?: ConflictText };
      if (conflict !== undefined) tickets.set(conflict.ticket, conflict);
    }
    const { ticket, choice } = JSON.parse(asked || '{}') as { ticket?: string; choice?: string };
    const met = ticket === undefined || choice === undefined || status !== 200 ? undefined : tickets.get(ticket);
    if (met === undefined) return;
    const [loser, winner] = choice === 'local' ? [met.cloud, met.local] : [met.local, met.cloud];
    for (const account of sourcesOf(loser.userId)) sourcesOf(winner.userId).add(account);
  }

  return {
    test,
    history,
    answer: async (request, asked) => {
      const { method, url, headers } = request;
      const body = asked === '' ? {} : { body: asked };
      const response = await test.backend.fetch(new Request(url, { method, headers, ...body }));
      const answered = await response.text();
      if (method !== 'GET') {
        look();
        noteConflict(asked, response.status, answered);
        const restored = /snapshots\/[^/]+\/restore/.test(url) && response.status === 200;
        if (restored) undone.add(accountOf(headers));
      }
      return new Response(answered === '' ? null : answered, { status: response.status, headers: response.headers });
    },
    sources: sourcesOf,
    undone,
    value: (account, collection, key) => {
      const { entries = [] } = store.dump().accounts.find(({ accountId }) => accountId === account) ?? {};
      const found = entries.find((entry) => entry.collection === collection && entry.key === key);
      return found === undefined ? undefined : (JSON.parse(found.text) as Kept['value']);
    },
    ownerOf: (name) => store.dump().links.find(({ method, label }) => method === 'name' && label === name)?.accountId,
  };
}

function accountOf(headers: Headers): string {
  const [, claims = ''] = (headers.get('authorization') ?? '').split('.');
  return (JSON.parse(Buffer.from(claims, 'base64url').toString()) as { sub: string }).sub;
}
