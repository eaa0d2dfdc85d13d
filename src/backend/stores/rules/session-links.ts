import type { LinkKey, SessionRecord } from '../records.js';

type ShownLink = Pick<LinkKey, 'method' | 'subject'>;
type SessionLinks = Pick<SessionRecord, 'method' | 'subject' | 'formerLinks'>;

/**
 * What a session has come from once it comes from a link that was shown: whoever takes one of those links away ends the
 * session too, or a thief who has shown a method of his own would stay. A device is no credential: who has shown a
 * better method needs it no more.
 */
export function formerLinksAfter(session: SessionLinks, shown: ShownLink): [method: string, subject: string][] {
  const { method, subject, formerLinks = [] } = session;
  const all = method === 'device' ? formerLinks : [...formerLinks, [method, subject] as const];
  const isOther = ([other, of]: readonly [string, string]): boolean => other !== shown.method || of !== shown.subject;
  const byText = new Map(all.filter(isOther).map(([other, of]) => [JSON.stringify([other, of]), [other, of] as const]));
  return [...byText.values()].map(([other, of]) => [other, of]);
}

/** Whether a session comes from a link, or came from it before the player has shown another one. */
export function comesFrom({ method, subject, formerLinks = [] }: SessionLinks, link: ShownLink): boolean {
  if (method === link.method && subject === link.subject) return true;
  return formerLinks.some(([former, of]) => former === link.method && of === link.subject);
}
