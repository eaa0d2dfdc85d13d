import { beforeEach, describe, expect, it } from 'vitest';
import type { AdminPlayers, TimelineEvent } from '../../../src/server/index.js';
import {
  adminOf,
  createOperatedService,
  here,
  nobody,
  operatorOf,
  otherGame,
  testOperatorKey,
  twoGames,
} from '../../support/operators.js';
import {
  makeDivergedConflict,
  post,
  send,
  signInGuest,
  type TestService,
  testGameId,
  testStart,
  useName,
  writeEntry,
} from '../../support/service.js';

const day = 86_400_000;
const at = { collection: 'progress', key: 'main' };
const ada = { username: 'Ada', password: 'correct horse' };

let service: TestService;
let players: AdminPlayers;
beforeEach(() => {
  service = createOperatedService({ games: twoGames });
  players = adminOf(service).players(here);
});

const later = (ms = 1_000) => service.backend.control.advance(ms);
const timeline = async (userId: string) => (await players.timeline(userId, { limit: 200 })).events;
const kinds = (events: readonly TimelineEvent[]) => events.map(({ kind }) => kind);

/** All pages, so many events each. */
async function pages(userId: string, limit: number, between: () => Promise<unknown> = async () => {}) {
  const seen: TimelineEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await players.timeline(userId, { limit, cursor });
    expect(page.events.length).toBeLessThanOrEqual(limit);
    seen.push(...page.events);
    cursor = page.cursor;
    if (cursor !== undefined) await between();
  } while (cursor !== undefined);
  return seen;
}

/** A player to whom everything has happened that leaves something behind. */
async function busyPlayer(pass: () => void) {
  const { cloud, ticket } = await makeDivergedConflict(service);
  pass();
  await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
  pass();
  const again = await useName(service, ada, { deviceId: 'device-three' });
  await writeEntry(service, again, { key: 'main', value: { coins: 11 } });
  pass();
  await players.updateEntry(cloud.userId, { ...at, value: { coins: 12 }, version: 1 });
  const { userId: guest } = await signInGuest(service, 'device-nine');
  await players.updateEntry(guest, { ...at, value: { coins: 1 }, version: -1 });
  pass();
  await players.merge(guest, { into: cloud.userId, entries: 'take' });
  await players.ban(cloud.userId, { reason: 'cheating' });
  await players.unban(cloud.userId);
  await useName(service, ada, { deviceId: 'device-four' });
  await players.signOut(cloud.userId);
  await useName(service, ada, { deviceId: 'device-five' });
  return cloud.userId;
}

describe('the timeline of a player', () => {
  it('has the account before the session that it was made for, also where time passes between the two', async () => {
    let time = testStart;
    const passing = createOperatedService({ games: twoGames, clock: () => time++ });
    const { userId } = await signInGuest(passing);
    const { events } = await adminOf(passing).players(here).timeline(userId);
    expect(kinds(events)).toEqual(['signed_in', 'linked', 'made']);
  });

  it('tells what happened with all that is known of it, newest first', async () => {
    const guest = await signInGuest(service);
    later();
    await useName(service, ada, { token: guest.accessToken });
    later();
    await writeEntry(service, guest, { value: { level: 1 } });
    later();
    await writeEntry(service, guest, { value: { level: 2 } });
    later();
    await players.signOut(guest.userId);
    const { userId } = await useName(service, ada, { deviceId: 'device-two' });
    const [{ id: device } = { id: '' }] = (await players.get(userId)).devices;
    const [snapshot] = await players.snapshots(userId);
    const [session] = (await players.get(userId)).sessions;
    const [deed] = (await players.audit(userId)).entries;
    const [entry] = (await players.entries(userId)).entries;
    expect(await timeline(userId)).toEqual([
      { kind: 'operator', at: testStart + 4_000, deed },
      {
        kind: 'signed_in',
        at: testStart + 4_000,
        session: session?.id,
        method: 'name',
        device: session?.device,
        authenticatedAt: testStart + 4_000,
        refreshedAt: testStart + 4_000,
        expiresAt: session?.expiresAt,
      },
      { kind: 'written', at: testStart + 3_000, entry },
      { kind: 'kept', at: testStart + 3_000, snapshot },
      { kind: 'linked', at: testStart + 1_000, method: 'name', label: 'Ada', lastUsedAt: testStart + 1_000 },
      { kind: 'linked', at: testStart, method: 'device', device, lastUsedAt: testStart },
      { kind: 'made', at: testStart },
    ]);
    expect([snapshot?.reason, entry?.version, deed?.action]).toEqual(['overwrite', 1, 'signOutPlayer']);
  });

  it('has a conflict on both sides while it is open, and then the choice, with the way back', async () => {
    const { cloud, local, ticket } = await makeDivergedConflict(service);
    later();
    const sides = { method: 'name', localUserId: local.userId, cloudUserId: cloud.userId };
    const conflict = { kind: 'conflict', at: testStart, ...sides, expiresAt: testStart + 600_000 };
    for (const { userId } of [cloud, local]) expect(await timeline(userId)).toContainEqual(conflict);
    await post(service, '/v2/auth/conflict', { ticket, choice: 'cloud' }, { deviceId: 'device-two' });
    const [snapshot] = await players.snapshots(cloud.userId);
    const { choice } = await players.get(cloud.userId);
    const undo = { id: choice?.id, methods: ['device'], expiresAt: choice?.expiresAt };
    const chosen = { kind: 'chosen', at: testStart + 1_000, choice: 'cloud', fromUserId: local.userId, undo, snapshot };
    const events = await timeline(cloud.userId);
    expect(events.filter(({ kind }) => kind === 'conflict' || kind === 'chosen' || kind === 'kept')).toEqual([chosen]);
    expect(await timeline(local.userId)).toContainEqual({
      kind: 'orphaned',
      at: testStart + 1_000,
      removedAt: testStart + 1_000 + 30 * day,
    });
    later();
    await players.undoChoice(cloud.userId, choice?.id ?? '');
    const { undo: _, ...former } = chosen;
    const after = await timeline(cloud.userId);
    expect(after).toContainEqual(former);
    for (const events of [after, await timeline(local.userId)]) {
      expect(events[0]).toMatchObject({ kind: 'operator', deed: { action: 'undoPlayerChoice' } });
    }
  });

  it('has a choice over an account that had nothing, of which there is no snapshot', async () => {
    const cloud = await signInGuest(service);
    await useName(service, ada, { token: cloud.accessToken });
    await writeEntry(service, cloud, { value: { level: 1 } });
    const local = await signInGuest(service, 'device-two');
    const other = { token: local.accessToken, deviceId: 'device-two' };
    const { body } = await post(service, '/v2/auth/name', ada, other);
    const asked = { ticket: body.conflict.ticket, choice: 'cloud' };
    await post(service, '/v2/auth/conflict', asked, { deviceId: 'device-two' });
    const chosen = (await timeline(cloud.userId)).find(({ kind }) => kind === 'chosen');
    expect(chosen).toMatchObject({ choice: 'cloud', fromUserId: local.userId, undo: { methods: ['device'] } });
    expect(chosen).not.toHaveProperty('snapshot');
  });

  it('leads back: what an event kept is restored, and what that overwrote is kept by the next one', async () => {
    const guest = await signInGuest(service);
    await writeEntry(service, guest, { value: { level: 1 } });
    later();
    await writeEntry(service, guest, { value: { level: 2 } });
    const value = async () => (await players.entry(guest.userId, at)).value;
    const back = async () => {
      const latest = (await timeline(guest.userId)).find(({ kind }) => kind === 'kept' || kind === 'undone');
      const snapshot = latest !== undefined && 'snapshot' in latest ? latest.snapshot : undefined;
      later();
      await players.restoreSnapshot(guest.userId, snapshot?.id ?? '');
      return [latest?.kind, snapshot?.reason];
    };
    expect([await back(), await value()]).toEqual([['kept', 'overwrite'], { level: 1 }]);
    expect([await back(), await value()]).toEqual([['undone', 'restore'], { level: 2 }]);
  });

  it("tells of a player's own undo", async () => {
    const guest = await signInGuest(service);
    await writeEntry(service, guest, { value: { level: 1 } });
    await writeEntry(service, guest, { value: { level: 2 } });
    const [kept] = await players.snapshots(guest.userId);
    later();
    await post(service, `/v2/auth/account/snapshots/${kept?.id}/restore`, {}, { token: guest.accessToken });
    const [undone] = (await timeline(guest.userId)).filter(({ kind }) => kind === 'undone');
    expect(undone).toMatchObject({ at: testStart + 1_000, snapshot: { reason: 'restore', entries: 1 } });
  });

  it('tells of a merge in both accounts, and what the one that stays held before', async () => {
    const { userId: into } = await signInGuest(service);
    await players.updateEntry(into, { ...at, value: { coins: 1 }, version: -1 });
    const { userId: from } = await signInGuest(service, 'device-two');
    await players.updateEntry(from, { ...at, value: { coins: 2 }, version: -1 });
    later();
    await players.merge(from, { into, entries: 'take' });
    const [deed, written, own, chosen, linked] = await timeline(into);
    expect(kinds([deed, written, own, chosen, linked] as TimelineEvent[])).toEqual([
      'operator',
      'written',
      'kept',
      'chosen',
      'linked',
    ]);
    expect(own).toMatchObject({ snapshot: { reason: 'merge', fromUserId: into, entries: 1 } });
    expect(chosen).toMatchObject({ choice: 'support', fromUserId: from, snapshot: { fromUserId: from } });
    expect(kinds(await timeline(from))).toEqual(['orphaned', 'operator', 'operator', 'written', 'made']);
  });

  it.each([
    ['player', (token: string) => send(service, '/v2/auth/account', { method: 'DELETE', token })],
    ['operator', (_: string, userId: string) => players.delete(userId)],
  ] as const)('tells that a deletion was begun by the %s, until it is taken back', async (by, begin) => {
    const { accessToken, userId } = await signInGuest(service);
    await useName(service, ada, { token: accessToken });
    later();
    await begin(accessToken, userId);
    const deleted = { kind: 'deleted', at: testStart + 1_000, by, removedAt: testStart + 1_000 + 30 * day };
    expect((await timeline(userId))[0]).toEqual(deleted);
    await players.restore(userId);
    expect(kinds(await timeline(userId))).not.toContain('deleted');
  });

  it('of an account that is gone has what operators have done, and of one that never was nothing', async () => {
    const { userId } = await signInGuest(service);
    await players.delete(userId);
    later(30 * day + 1);
    await service.backend.sweep();
    expect(await timeline(userId)).toMatchObject([{ kind: 'operator', deed: { action: 'deletePlayer' } }]);
    await expect(players.timeline(nobody)).rejects.toMatchObject({ code: 'user_not_found' });
  });

  it('of an account without anything has that it was made', async () => {
    const { userId, accessToken } = await signInGuest(service);
    await useName(service, ada, { token: accessToken });
    await send(service, '/v2/auth/account', { method: 'DELETE', token: accessToken });
    await players.restore(userId);
    await signInGuest(service, 'device-two').then(({ userId: into }) => players.merge(userId, { into }));
    expect(kinds(await timeline(userId))).toEqual(['orphaned', 'operator', 'operator', 'made']);
  });

  it('tells nothing that has ended or expired', async () => {
    const { cloud } = await makeDivergedConflict(service);
    await writeEntry(service, cloud, { value: { coins: 9 } });
    expect(kinds(await timeline(cloud.userId))).toEqual(expect.arrayContaining(['conflict', 'kept', 'signed_in']));
    later(31 * day);
    expect(new Set(kinds(await timeline(cloud.userId)))).toEqual(new Set(['written', 'linked', 'made']));
  });

  it('holds nothing that lets anybody in, and no value of the player', async () => {
    const guest = await signInGuest(service, 'a-device-to-keep');
    await useName(service, ada, { token: guest.accessToken, deviceId: 'a-device-to-keep' });
    await writeEntry(service, guest, { value: { secret: 'of the player' } });
    await writeEntry(service, guest, { value: { secret: 'of the player, too' } });
    const { body } = await send(service, '/v2/auth/account/recovery-code', {
      method: 'POST',
      token: guest.accessToken,
    });
    const { code } = await players.makeResetCode(guest.userId);
    const text = JSON.stringify(await timeline(guest.userId));
    expect(text).toContain('"recovery"');
    for (const secret of ['a-device-to-keep', 'of the player', body.code, code, guest.refreshToken]) {
      expect(text).not.toContain(secret);
    }
    expect(text).not.toMatch(/credential|scrypt|pbkdf2|"subject"/);
  });
});

describe('the pages of a timeline', () => {
  it.each([
    ['at different times', () => later()],
    ['all at once', () => {}],
  ])('have each event once, in one order, however many a page has: %s', async (_, pass) => {
    const userId = await busyPlayer(pass);
    const whole = await timeline(userId);
    expect(new Set(kinds(whole))).toEqual(
      new Set(['operator', 'written', 'kept', 'chosen', 'signed_in', 'linked', 'made']),
    );
    expect(whole.length).toBeGreaterThan(15);
    const times = whole.map((event) => event.at);
    expect(times).toEqual([...times].sort((one, other) => other - one));
    for (const limit of [1, 2, 3, 7]) expect(await pages(userId, limit)).toEqual(whole);
  });

  it('miss and repeat nothing while new things happen', async () => {
    const userId = await busyPlayer(() => later());
    const whole = await timeline(userId);
    later();
    let turn = 0;
    const seen = await pages(userId, 2, async () => {
      turn += 1;
      const { userId: same } = await useName(service, ada, { deviceId: `device-of-turn-${turn}` });
      await players.updateEntry(same, { collection: 'later', key: `k${turn}`, value: {}, version: -1 });
      later();
    });
    expect(turn).toBeGreaterThan(5);
    expect(seen).toEqual(whole);
  });

  it('have writes of one moment by the bytes of their names, whatever a cursor stands at', async () => {
    const { userId } = await signInGuest(service);
    for (const key of ['a', '\ue000', '💾']) {
      await players.updateEntry(userId, { collection: 'c', key, value: {}, version: -1 });
    }
    const seen = (await pages(userId, 1)).flatMap((event) => (event.kind === 'written' ? [event.entry.key] : []));
    expect(seen).toEqual(['💾', '\ue000', 'a']);
  });

  const junk = (...place: unknown[]) => `cursor=${encodeURIComponent(btoa(JSON.stringify(place)))}`;
  it.each([
    'limit=0',
    'limit=201',
    'cursor=x',
    junk('audit', testStart, nobody),
    junk('timeline', testStart, 'sung', 'a'),
    junk('timeline', String(testStart), 'made', ''),
    junk('timeline', Number.MAX_SAFE_INTEGER, 'written', 'a', 'b'),
    junk('timeline', 1.5, 'made', ''),
    junk('timeline', testStart, 'made', 1),
    junk('timeline', testStart, 'made', 'a', 'b'),
    junk('timeline', testStart, 'operator', 'a\u0000'),
    junk('timeline', testStart, 'written', 'a'),
    junk('timeline', testStart, 'written', 'a\u0000', 'b'),
    junk('timeline', testStart, 'written', 'a', 'b', 'c'),
    junk('timeline', testStart, 'written', 'a', '\ud800'),
  ])('are refused as a form: %s', async (query) => {
    const { userId } = await signInGuest(service);
    const path = `/v2/admin/games/${testGameId}/players/${userId}/timeline?env=0&${query}`;
    const { status, body } = await send(service, path, { token: testOperatorKey });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });
});

describe('whoever asks for a timeline', () => {
  it('has a key that may read, and sees no more than there is', async () => {
    const guest = await signInGuest(service);
    const reader = (await operatorOf(service, 'read')).players(here);
    expect(kinds((await reader.timeline(guest.userId)).events)).toEqual(['signed_in', 'linked', 'made']);
    const path = `/v2/admin/games/${testGameId}/players/${guest.userId}/timeline?env=0`;
    for (const token of ['x', guest.accessToken, undefined]) {
      expect((await send(service, path, { token })).body.code).toBe('unauthorized');
    }
  });

  it('finds nobody in another game or environment', async () => {
    const { userId } = await signInGuest(service);
    await players.signOut(userId);
    for (const [gameId, environment] of [
      [otherGame.id, 0],
      [testGameId, 1],
    ] as const) {
      const elsewhere = adminOf(service).players({ gameId, environment });
      await expect(elsewhere.timeline(userId)).rejects.toMatchObject({ code: 'user_not_found' });
    }
  });
});
