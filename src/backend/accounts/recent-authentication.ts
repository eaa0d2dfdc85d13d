import type { LinkMethod } from '../../protocol/conflict.js';
import { Refusal } from '../refusal.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import type { ShownSession } from '../sessions/sessions.js';
import { type LinkRecord, ownerOf, type SessionRecord } from '../stores/records.js';
import { isGuest } from '../stores/rules/guests.js';
import type { LoginMethod } from './login-methods.js';

/**
 * The session of an access token whose player has shown a login method lately; null where that session has ended. Spec
 * gap: an access token alone makes no lasting way into an account. Refuses with `reauthentication_required`, and with
 * `unauthorized` where the session has ended and the token is not recent.
 */
export async function findRecentSession(service: Service, shown: ShownSession): Promise<SessionRecord | null> {
  const session = await service.store.findSession(shown);
  const isRecent = service.now() - shown.authTime * 1000 <= service.recentAuthenticationMs;
  if (session === null) {
    if (isRecent) return null;
    throw new Refusal('unauthorized');
  }
  // What counts is what the token says: one that was stolen before the player has shown a login method once more
  // is no more recent by that.
  if (isRecent && shown.authMethod !== 'device') return session;
  const links = (await service.store.readAccount(ownerOf(session)))?.links ?? [];
  if (isRecent && wasGuest(links, shown.authTime * 1000)) return session;
  throw new Refusal('reauthentication_required', { methods: methodsToShow(links) });
}

/** The same for what a session must live for. */
export async function requireRecentSession(service: Service, shown: ShownSession): Promise<SessionRecord> {
  const session = await findRecentSession(service, shown);
  if (session === null) throw new Refusal('unauthorized');
  return session;
}

/**
 * Shows a login method of the session's account once more: the session comes from it from now on. What leads nowhere,
 * or to another account, is refused as a wrong credential is. Where the link has changed since its credential was
 * checked, it is checked again.
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
    return showLink(service, link, session);
  });
}

/** Takes a link of the session's account, whose credential was checked, for shown; null where it has changed since. */
export async function showLink(
  { store, now }: Service,
  link: LinkRecord,
  session: SessionRecord,
): Promise<SessionRecord | null> {
  const shown = await store.reauthenticate({ session, link, now: now() });
  if (shown.outcome === 'no_session') throw new Refusal('unauthorized');
  return shown.outcome === 'authenticated' ? shown.session : null;
}

/** Whether an account had nothing better than its device at a time: then the device was enough. */
function wasGuest(links: readonly LinkRecord[], at: number): boolean {
  return isGuest(links.filter(({ linkedAt }) => linkedAt < at));
}

function methodsToShow(links: readonly LinkRecord[]): LinkMethod[] {
  const methods = [...new Set(links.map(({ method }) => method))];
  return isGuest(links) ? methods : methods.filter((method) => method !== 'device');
}
