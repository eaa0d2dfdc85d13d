import type { LinkKey, SessionRecord } from '../records.js';

type ShownLink = Pick<LinkKey, 'method' | 'subject'>;
type SessionLinks = Pick<SessionRecord, 'method' | 'subject' | 'formerLinks'>;

/**
 * What a session has come from once it comes from a link that was shown; undefined where that is nothing. Whoever takes one of
 * those links away ends the session too, or a thief who has shown a method of his own would stay. A device is no credential:
 * who has shown a better method needs it no more.
 */
export function formerLinksAfter(session: SessionLinks, shown: ShownLink): SessionRecord['formerLinks'] {
  const { method, subject, formerLinks = [] } = session;
  const all = method === 'device' ? formerLinks : [...formerLinks, [method, subject] as const];
  const others = all.filter(([other, of]) => other !== shown.method || of !== shown.subject);
  return others.length === 0 ? undefined : others;
}

/** Whether a session comes from a link, or came from it before the player has shown another one. */
export function comesFrom({ method, subject, formerLinks = [] }: SessionLinks, link: ShownLink): boolean {
  return [[method, subject], ...formerLinks].some(([of, named]) => of === link.method && named === link.subject);
}
