import type { EntryQuotas } from '../../../src/backend/stores/entry-requests.js';
import type { LinkKey, NewLink, Owner, SessionRecord } from '../../../src/backend/stores/records.js';
import type { LoginQuotas } from '../../../src/backend/stores/session-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { quotaDefaults } from '../../../src/protocol/gaps/quotas.js';

export const gameId = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
export const scope = { gameId, environment: 0 as const };
export const minute = 60_000;

export const owner = (accountId: string): Owner => ({ ...scope, accountId });
export const key = (method: LinkKey['method'], subject: string): LinkKey => ({ ...scope, method, subject });
export const newLink = (method: LinkKey['method'], subject: string, more: Partial<NewLink> = {}): NewLink => ({
  ...key(method, subject),
  label: null,
  credential: null,
  ...more,
});
/** What an account has that nothing happened to. */
export const untouched = { orphanedAt: null, deletedAt: null, deletedBy: null, ban: null };
export const token = (jti: string) => ({ jti, iat: 1, exp: 10_000, usedAt: null });
/** How many devices and sessions an account may have; no test reaches them but for those of quotas. */
export const loginQuotas: LoginQuotas = { devices: quotaDefaults.devices, sessions: quotaDefaults.sessions };
export const newSession = (sessionId: string) => ({
  sessionId,
  openedAt: 1,
  authenticatedAt: 1,
  expiresAt: 10_000_000,
  refreshTokens: [token(`${sessionId}-0`)],
});
export const snapshot = (snapshotId: string, more: { expiresAt?: number; max?: number; maxBytes?: number } = {}) => ({
  snapshotId,
  expiresAt: 5_000,
  max: 100,
  maxBytes: 1_000_000,
  ...more,
});
/** Quotas that no test reaches but for the one that is given. */
export const quotas = (entries: number, more: Partial<EntryQuotas> = {}): EntryQuotas => ({
  values: 1_000_000_000,
  entries,
  collections: 10_000,
  ...more,
});
export const sessionOf = (accountId: string, sessionId: string, via: LinkKey, device = 'device-a'): SessionRecord => ({
  ...owner(accountId),
  ...newSession(sessionId),
  method: via.method,
  subject: via.subject,
  device,
  revision: 0,
});

/** Opens a session by its link as it is now, as a sign-in does that nothing comes between. */
export async function openSession(store: Store, session: SessionRecord): Promise<boolean> {
  const link = await store.findLink({ ...scope, method: session.method, subject: session.subject });
  return store.openSession({ session, linkRevision: link?.revision ?? 0, quotas: loginQuotas });
}

/** The player of `localId` shows the name `ada`, which leads to another account: a conflict. */
export async function meetAda(
  store: Store,
  conflict: { ticket: string; localId: string; sessionId: string; device: string; expiresAt: number },
): Promise<void> {
  const link = await store.findLink(key('name', 'ada'));
  await store.openTicket({
    ...key('name', 'ada'),
    ...conflict,
    linkRevision: link?.revision ?? 0,
    cloudId: link?.accountId ?? '',
    choice: null,
    resolvedSessionId: null,
  });
}

/** What many tests do with a store that each test makes anew. */
export function stepsOn(store: () => Store) {
  const account = (accountId: string, link: NewLink, now = 1) => store().ensureAccount({ link, accountId, now });
  const methodsOf = async (accountId: string) =>
    (await store().readAccount(owner(accountId)))?.links.map((link) => [link.method, link.subject]);
  /** Leaves an account whose only link is this device. */
  const orphan = (device: string, now: number) =>
    store()
      .ensureAccount({ link: newLink('custom', 'elsewhere'), accountId: 'elsewhere', now })
      .then(() =>
        store().restoreAccount({
          owner: owner('elsewhere'),
          link: newLink('device', device),
          now,
          quotas: loginQuotas,
        }),
      );
  const orphanedAt = async (accountId: string) => (await store().readAccount(owner(accountId)))?.account.orphanedAt;

  return { account, methodsOf, orphan, orphanedAt };
}
