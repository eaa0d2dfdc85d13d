import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { key, newLink, owner, sessionOf } from './contract-records.js';
import { openWatchedSqlite } from './watched-sqlite.js';

const device = key('device', 'one');
const quotas = { devices: 3, sessions: 3 };

describe('a sign-in to an account in a database', () => {
  let sqlite: Awaited<ReturnType<typeof openWatchedSqlite>>;

  const session = (sessionId: string, usedAt: number, revision = 0) => {
    const refreshTokens = [{ jti: sessionId, iat: usedAt, exp: usedAt + 10, usedAt: null }];
    return { ...sessionOf('a', sessionId, device, 'one'), revision, refreshTokens };
  };
  const open = (sessionId: string, usedAt: number) =>
    sqlite.store.openSession({ session: session(sessionId, usedAt), linkRevision: 0, quotas });
  const sessions = async () => (await sqlite.store.listSessions(owner('a'))).map(({ sessionId }) => sessionId);

  beforeEach(async () => {
    sqlite = await openWatchedSqlite();
    await sqlite.store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    for (const [id, usedAt] of [
      ['b', 30],
      ['c', 10],
      ['d', 20],
    ] as const)
      await open(id, usedAt);
  });
  afterEach(() => sqlite.close());

  it('reads the tokens of no other session, and ends the one that was refreshed longest ago', async () => {
    expect(await sqlite.store.updateSession(session('c', 40))).toBe(true);
    sqlite.since();
    await open('e', 50);
    expect(sqlite.since().filter((text) => /SELECT[^;]*refresh_tokens/.test(text))).toEqual([]);
    expect(await sessions()).toEqual(['b', 'c', 'e']);
  });

  it('knows from their tokens when those were used that an earlier version has kept', async () => {
    await sqlite.run("UPDATE @sessions SET used_at = NULL WHERE session_id IN ('b', 'd')");
    await open('e', 50);
    await open('f', 60);
    expect(await sessions()).toEqual(['b', 'e', 'f']);
  });
});
