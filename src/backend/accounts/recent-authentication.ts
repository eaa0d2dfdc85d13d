import { Refusal } from '../refusal.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import type { ShownSession } from '../sessions/sessions.js';
import { type LinkRecord, ownerOf, type SessionRecord } from '../stores/records.js';
import { isGuest } from '../stores/rules/guests.js';
import { countsAsRecent } from '../stores/rules/recent-methods.js';
import type { LoginMethod } from './login-methods.js';

/**
 * The session of an access token whose player has shown a login method lately; null where that session has ended. Spec
 * gap: an access token alone makes no lasting way into an account. Refuses with `reauthentication_required`, and with
 * `unauthorized` where the session has ended and the token is not recent.
 */
export async function findRecentSession(service: Service, shown: ShownSession): Promise<SessionRecord | null> {
  const session = await service.store.findSession(shown);
  const now = service.now();
  const isRecent = now - shown.authTime * 1000 <= service.recentAuthenticationMs;
  if (session === null) {
    if (isRecent) return null;
    throw new Refusal('unauthorized');
  }
  const links = await linksOf(service, session);
  // What counts is what the token says: one that was stolen before the player has shown a login method once more
  // is no more recent by that.
  if (isRecent && shown.authMethod !== undefined && countsAsRecent(links, shown.authMethod, now)) return session;
  if (isRecent && wasGuest(links, shown.authTime * 1000)) return session;
  throw reauthenticationRequired(links, now);
}

/** The same for what a session must live for. */
export async function requireRecentSession(service: Service, shown: ShownSession): Promise<SessionRecord> {
  const session = await findRecentSession(service, shown);
  if (session === null) throw new Refusal('unauthorized');
  return session;
}

/**
 * Shows a login method of the session's account once more: the session comes from it from now on. What leads nowhere,
 * or to another account, is refused as a wrong credential is, and what does not count as a recent authentication with
 * `reauthentication_required`. Where the link has changed since its credential was checked, it is checked again.
 */
export function reauthenticate(
  service: Service,
  loginMethod: LoginMethod,
  session: SessionRecord,
): Promise<SessionRecord> {
  return retryOnRace(async () => {
    const link = await service.store.findLink(loginMethod.link);
    if (link === null) throw await loginMethod.unknownRefusal(false);
    await loginMethod.checkCredential(link);
    if (link.accountId !== session.accountId) throw new Refusal('invalid_credentials');
    const shown = await showLink(service, link, session);
    if (shown === null || shown.counts) return shown?.session ?? null;
    throw reauthenticationRequired(await linksOf(service, session), service.now());
  });
}

/**
 * Takes a link of the session's account, whose credential was checked, for shown; null where it has changed since.
 * Where the link does not count as a recent authentication the session stays as it was.
 */
export async function showLink(
  { store, now }: Service,
  link: LinkRecord,
  session: SessionRecord,
): Promise<{ session: SessionRecord; counts: boolean } | null> {
  const shown = await store.reauthenticate({ session, link, now: now() });
  if (shown.outcome === 'no_session') throw new Refusal('unauthorized');
  if (!('session' in shown)) return null;
  return { session: shown.session, counts: shown.outcome === 'authenticated' };
}

async function linksOf({ store }: Service, session: SessionRecord): Promise<readonly LinkRecord[]> {
  return (await store.readAccount(ownerOf(session)))?.links ?? [];
}

/** Whether an account had nothing better than its device at a time: then the device was enough. */
function wasGuest(links: readonly LinkRecord[], at: number): boolean {
  return isGuest(links.filter(({ linkedAt }) => linkedAt < at));
}

/** With the kinds of the login methods that would count. */
function reauthenticationRequired(links: readonly LinkRecord[], now: number): Refusal {
  const methods = [...new Set(links.map(({ method }) => method))];
  return new Refusal('reauthentication_required', {
    methods: methods.filter((method) => countsAsRecent(links, method, now)),
  });
}
