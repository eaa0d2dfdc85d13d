import type { AccountLink, SessionRecord } from '../records.js';

// Spec gap: for one device or session too many, the one goes that was unused for longest.

/** The sessions that end so that another one may begin: those that were refreshed longest ago. */
export function sessionsInTheWay<Session extends Pick<SessionRecord, 'refreshTokens'>>(
  sessions: readonly Session[],
  max: number,
): Session[] {
  return inTheWay(sessions, sessions.length + 1 - max, usedAt);
}

/** When a session was last refreshed, in seconds since 1970. */
export function usedAt({ refreshTokens }: Pick<SessionRecord, 'refreshTokens'>): number {
  return refreshTokens.at(-1)?.iat ?? 0;
}

/** The devices that leave so that another one may be linked; never the one that asks for that. */
export function devicesInTheWay(links: readonly AccountLink[], max: number, asking: string | null): AccountLink[] {
  const devices = links.filter(({ method }) => method === 'device');
  const others = devices.filter(({ subject }) => subject !== asking);
  return inTheWay(others, devices.length + 1 - max, ({ lastUsedAt }) => lastUsedAt);
}

function inTheWay<Item>(items: readonly Item[], count: number, lastUse: (item: Item) => number): Item[] {
  return [...items].sort((left, right) => lastUse(left) - lastUse(right)).slice(0, Math.max(0, count));
}
