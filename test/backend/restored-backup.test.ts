import { decodeJwt } from 'jose';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../src/backend/stores/memory/store.js';
import type { SessionRecord } from '../../src/backend/stores/records.js';
import type { Store } from '../../src/backend/stores/store.js';
import { operations } from '../../src/protocol/operations.js';
import { chosenStore } from '../support/chosen-store.js';
import { createTestService, post, readEntries, signInGuest, type TestService, testStart } from '../support/service.js';

const hour = 3_600_000;

/** A service whose sessions can be put back to what a backup has of them. */
function createRestorable() {
  const store: Store = chosenStore().store ?? createMemoryStore();
  const service = createTestService({ store });
  const find = async (accessToken: string): Promise<SessionRecord> => {
    const { sub, sid } = decodeJwt(accessToken);
    const owner = { gameId: service.gameId, environment: 0, accountId: sub ?? '' } as const;
    const session = await store.findSession({ ...owner, sessionId: String(sid) });
    if (session === null) throw new Error('There is no such session.');
    return session;
  };
  return {
    service,
    find,
    async restore(backup: SessionRecord, accessToken: string): Promise<void> {
      const { revision } = await find(accessToken);
      expect(await store.updateSession({ ...backup, revision })).toBe(true);
    },
  };
}

const refresh = (service: TestService, token: string) =>
  post(service, operations.refreshSession.path, { refresh_token: token });

/** The tokens of a session, one for each rotation. */
async function rotate(service: TestService, token: string, rotations: number, apart = hour): Promise<string[]> {
  const tokens = [token];
  for (let count = 0; count < rotations; count += 1) {
    service.backend.control.advance(apart);
    const { body } = await refresh(service, tokens.at(-1) ?? '');
    tokens.push(body.refreshToken);
  }
  return tokens;
}

describe('a session of a restored backup', () => {
  it.each([
    ['an hour', hour],
    ['no time', 0],
  ])('goes on from a token that was issued after the backup, %s apart', async (_, apart) => {
    const { service, find, restore } = createRestorable();
    const player = await signInGuest(service);
    const [, inBackup = ''] = await rotate(service, player.refreshToken, 1, apart);
    const backup = await find(player.accessToken);
    const [, , , , latest = ''] = await rotate(service, inBackup, 4, apart);
    await restore(backup, player.accessToken);

    const { status, body } = await refresh(service, latest);
    expect(status).toBe(200);
    expect((await readEntries(service, body)).status).toBe(200);
    // The answer may have been lost, as any other.
    expect((await refresh(service, latest)).body.refreshToken).toBe(body.refreshToken);
    const later = await rotate(service, body.refreshToken, 3);
    expect((await refresh(service, later.at(-1) ?? '')).status).toBe(200);
  });

  it('ends where a token of before is used once the later one has been', async () => {
    for (const index of [0, 1, 2, 3]) {
      const { service, find, restore } = createRestorable();
      const player = await signInGuest(service);
      const [, inBackup = ''] = await rotate(service, player.refreshToken, 1);
      const backup = await find(player.accessToken);
      const after = await rotate(service, inBackup, 3);
      await restore(backup, player.accessToken);
      const { body: resumed } = await refresh(service, after[3] ?? '');
      const stolen = [player.refreshToken, ...after][index] ?? '';
      expect((await refresh(service, stolen)).body.code).toBe('refresh_token_reused');
      expect((await refresh(service, resumed.refreshToken)).status).toBe(401);
    }
  });

  it('ends where somebody has used the token of the backup, and its player brings a later one', async () => {
    const { service, find, restore } = createRestorable();
    const player = await signInGuest(service);
    const backup = await find(player.accessToken);
    const [stolen = '', latest = ''] = await rotate(service, player.refreshToken, 1);
    await restore(backup, player.accessToken);
    service.backend.control.advance(hour);
    expect((await refresh(service, stolen)).status).toBe(200);
    expect((await refresh(service, latest)).body.code).toBe('refresh_token_reused');
  });

  it('does not take a used token for a later one because the clock was wrong', async () => {
    let ahead = hour;
    const service = createTestService({ clock: () => testStart + ahead });
    const player = await signInGuest(service);
    ahead = 0;
    const tokens = await rotate(service, player.refreshToken, 6, 1_000);
    expect((await refresh(service, tokens[1] ?? '')).body.code).toBe('refresh_token_reused');
    expect((await refresh(service, tokens[6] ?? '')).status).toBe(401);
  });
});
