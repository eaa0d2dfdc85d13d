import type { AccountLink, LinkKey, NewSession, SessionRecord } from '../records.js';

/** The links that leave: those that were made since a moment, but for the one that the asking player has shown. */
export function linksSince(links: readonly AccountLink[], since: number, shown: LinkKey): AccountLink[] {
  return links.filter(
    ({ method, subject, linkedAt }) => linkedAt >= since && (method !== shown.method || subject !== shown.subject),
  );
}

/**
 * The links whose e-mail address goes: it was verified since a moment, or nobody knows when. By the codes that are sent
 * there its reader would get in again.
 */
export function addressedSince<Link extends AccountLink>(links: Iterable<Link>, since: number): Link[] {
  return [...links].filter(
    ({ mailAddress, mailAddressAt }) => mailAddress !== null && (mailAddressAt ?? since) >= since,
  );
}

/** The session that takes another one's place. The player has shown nothing by that. */
export function successorOf(session: SessionRecord, next: NewSession): SessionRecord {
  return { ...session, ...next, authenticatedAt: session.authenticatedAt, revision: 0 };
}
