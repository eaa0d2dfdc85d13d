import type { Client, JsonObject } from 'savepoint';
import { type AdminClient, createAdminClient, createServerClient, type ServerClient } from 'savepoint/server';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/backend/openapi/document.js';
import type { OperationName } from '../../src/protocol/operations.js';
import { createContract, watchedFetch } from '../support/contract.js';
import { testOperatorKey } from '../support/operators.js';
import { testGameId } from '../support/service.js';
import { createSigningKey, keySet } from '../support/token-issuer.js';
import { createMemoryStorage, createWorld, meetConflict, ok, until, type World } from './world.js';

/** Where a case plays. */
interface Stage {
  world: World;
  /** A player whose name is ada, with an entry. */
  ada(): Promise<Client>;
  server: ServerClient;
  admin: AdminClient;
  idToken(): Promise<string>;
}

/** What the SDKs never ask. A game reads a snapshot by restoring it; the document is for those who have no SDK. */
type NotAsked = 'readSnapshot' | 'readApiDocument';

const named = { method: 'name', username: 'ada', password: 'correct horse' } as const;
const entry = { collection: 'progress', key: 'main' };
const here = { gameId: testGameId, environment: 0 } as const;
const surf = { ...here, name: 'surf', preset: 'wave', settings: { app: 'one', appSecret: 'a secret' } } as const;

/** Every operation, and how a game or its back end comes to ask it. */
const asked: { readonly [operation in Exclude<OperationName, NotAsked>]: (stage: Stage) => Promise<unknown> } = {
  authenticate: ({ server }) => server.authenticate({ customUserId: '4', deviceId: '2', ip: '203.0.113.7' }),
  readUserCollection: async ({ ada, server }) =>
    server.readCollection({ collection: 'progress', userId: userOf(await ada()) }),
  updateUserEntry: async ({ ada, server }) => {
    const userId = userOf(await ada());
    await server.updateEntry({ ...entry, userId, value: { level: 8 }, version: -1 });
    await server.editEntry({ ...entry, userId }, (value) => ({ ...value, coins: 5 }));
    await server.editEntry({ ...entry, key: 'fresh', userId }, () => ({ coins: 5 }));
    const late = server.updateEntry({ ...entry, userId, value: {}, version: 0 });
    await expect(late).rejects.toMatchObject({ code: 'version_mismatch' });
  },
  readUserUsage: async ({ ada, server }) => server.usage({ userId: userOf(await ada()) }),
  readPublicKeys: async ({ ada, server }) => server.verifyPlayer(await (await ada()).auth.getAccessToken()),
  listGames: ({ admin }) => admin.games(),
  listOperatorKeys: async ({ admin }) => {
    await admin.makeKey({ name: 'grace', scope: 'read' });
    expect(await admin.listKeys()).toHaveLength(1);
  },
  makeOperatorKey: ({ admin }) => admin.makeKey({ name: 'grace', scope: 'support' }),
  revokeOperatorKey: async ({ admin }) => {
    const { id } = await admin.makeKey({ name: 'grace', scope: 'read' });
    await admin.revokeKey(id);
    await expect(admin.revokeKey(id)).rejects.toMatchObject({ code: 'not_found' });
  },
  readAuditLog: async ({ admin }) => {
    await admin.makeKey({ name: 'grace', scope: 'read' });
    await admin.makeKey({ name: 'ada', scope: 'read' });
    const { cursor } = await admin.audit({ limit: 1 });
    expect((await admin.audit({ cursor })).entries).toHaveLength(1);
  },
  listPlayers: async ({ ada, admin }) => {
    const players = admin.players(here);
    const id = userOf(await ada());
    for (const list of [undefined, 'newest', 'last_seen', 'orphaned', 'deleted', 'banned'] as const)
      await players.list({ list });
    for (const who of [{ id }, { name: 'ADA' }, { customId: '4' }]) await players.find(who);
    expect(await players.find({ method: 'social', provider: 'wave', subject: 'bob' })).toEqual([]);
    expect((await players.find({ name: 'Ada' }))[0]?.userId).toBe(id);
  },
  readCounts: async ({ ada, admin }) => {
    await ada();
    expect((await admin.counts(here)).at(-1)).toMatchObject({ new: 1, active: 1 });
    const late = admin.counts({ ...here, from: '2999-01-01' });
    await expect(late).rejects.toMatchObject({ code: 'invalid_request' });
  },
  listConflicts: async ({ admin }) => {
    expect(await admin.conflicts({ ...here, limit: 1 })).toEqual({ conflicts: [] });
  },
  listChoices: async ({ admin }) => {
    expect(await admin.choices({ ...here, limit: 1 })).toEqual({ choices: [] });
  },
  readWebhooks: async ({ admin }) => {
    expect(await admin.webhooks({ gameId: here.gameId, limit: 1 })).toMatchObject({ waiting: 0, events: [] });
  },
  retryWebhooks: async ({ admin }) => {
    expect(await admin.retryWebhooks({ gameId: here.gameId })).toEqual({ retried: 0, hasMore: false });
    const none = admin.retryWebhooks({ gameId: here.gameId, id: here.gameId });
    await expect(none).rejects.toMatchObject({ code: 'not_found' });
  },
  listPlatformPresets: async ({ admin }) => {
    expect((await admin.platformPresets()).map(({ name }) => name)).toEqual(['wave', 'tide']);
  },
  listPlatforms: async ({ admin }) => {
    await admin.savePlatform(surf);
    const found = await admin.platforms(here);
    expect(found.map(({ name, source }) => [name, source])).toEqual([
      ['wave', 'configuration'],
      ['https://id.example', 'configuration'],
      ['surf', 'store'],
    ]);
  },
  savePlatform: async ({ admin }) => {
    expect(await admin.savePlatform(surf)).toMatchObject({ version: 1, secrets: ['appSecret'] });
    const late = admin.savePlatform(surf);
    await expect(late).rejects.toMatchObject({ code: 'version_mismatch', currentVersion: 1 });
    const wave = admin.savePlatform({ ...surf, name: 'wave' });
    await expect(wave).rejects.toMatchObject({ code: 'platform_configured' });
    const settings = { issuer: 'https://id.example', client: 'game' };
    const provider = admin.savePlatform({ ...surf, name: 'tide', preset: 'tide', settings });
    await expect(provider).rejects.toMatchObject({ code: 'issuer_taken' });
  },
  removePlatform: async ({ admin }) => {
    await admin.savePlatform(surf);
    const late = admin.removePlatform({ ...surf, version: 2 });
    await expect(late).rejects.toMatchObject({ code: 'version_mismatch', currentVersion: 1 });
    await admin.removePlatform({ ...surf, version: 1 });
    await expect(admin.removePlatform({ ...surf, version: 1 })).rejects.toMatchObject({ code: 'not_found' });
    const wave = admin.removePlatform({ ...surf, name: 'wave', version: 1 });
    await expect(wave).rejects.toMatchObject({ code: 'platform_configured' });
  },
  tryPlatform: async ({ admin }) => {
    const { preset, settings } = surf;
    const unsaved = { preset, settings };
    const trial = await admin.tryPlatform({ ...surf, token: 'ada:a secret', unsaved });
    expect(trial).toMatchObject({ player: { id: 'ada' }, steps: [{ result: 'passed' }] });
    await expect(admin.tryPlatform({ ...surf, token: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await admin.savePlatform(surf);
    expect(await admin.tryPlatform({ ...surf, token: 'ada:x' })).toMatchObject({ player: null });
    expect(await admin.tryPlatform({ ...surf, name: 'wave', token: 'ada' })).toMatchObject({ player: { id: 'ada' } });
  },
  readPlayer: async ({ world, admin }) => {
    const { first } = await meetConflict(world);
    const player = await admin.players(here).get(userOf(first));
    expect(player.conflicts).toHaveLength(1);
    const nobody = admin.players(here).get(here.gameId);
    await expect(nobody).rejects.toMatchObject({ code: 'user_not_found' });
  },
  readPlayerTimeline: async ({ ada, admin, server }) => {
    const userId = userOf(await ada());
    await server.updateEntry({ ...entry, userId, value: { level: 8 }, version: -1 });
    const players = admin.players(here);
    const { events } = await players.timeline(userId);
    const kinds = ['written', 'kept', 'signed_in', 'linked', 'made'] as const;
    expect(new Set(events.map(({ kind }) => kind))).toEqual(new Set(kinds));
    const { cursor } = await players.timeline(userId, { limit: 2 });
    expect((await players.timeline(userId, { cursor })).events).toEqual(events.slice(2));
  },
  readPlayerAudit: async ({ ada, admin }) => admin.players(here).audit(userOf(await ada())),
  listPlayerEntries: async ({ ada, admin }) => admin.players(here).entries(userOf(await ada()), { limit: 1 }),
  readPlayerEntry: async ({ ada, admin }) => {
    const user = userOf(await ada());
    expect(await admin.players(here).entry(user, entry)).toMatchObject({ value: { level: 7 }, version: 0 });
    const none = admin.players(here).entry(user, { ...entry, key: 'none' });
    await expect(none).rejects.toMatchObject({ code: 'not_found' });
  },
  listPlayerSnapshots: async ({ ada, admin }) => admin.players(here).snapshots(userOf(await ada())),
  readPlayerSnapshot: async ({ world, admin }) => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [snapshot] = await admin.players(here).snapshots(userOf(second));
    expect((await admin.players(here).snapshot(userOf(second), snapshot?.id as string)).content).toHaveLength(1);
  },
  exportPlayer: async ({ ada, admin }) => admin.players(here).export(userOf(await ada())),
  updatePlayerEntry: async ({ ada, admin }) => {
    const [user, players] = [userOf(await ada()), admin.players(here)];
    await players.updateEntry(user, { ...entry, value: { level: 8 }, version: 0 });
    await players.updateEntry(user, { ...entry, key: 'fresh', value: {}, version: -1 });
    const late = players.updateEntry(user, { ...entry, value: {}, version: 0 });
    await expect(late).rejects.toMatchObject({ code: 'version_mismatch', currentVersion: 1 });
    expect((await players.audit(user)).entries).toHaveLength(2);
  },
  restorePlayerSnapshot: async ({ world, admin }) => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [user, players] = [userOf(second), admin.players(here)];
    const [snapshot] = await players.snapshots(user);
    await players.restoreSnapshot(user, snapshot?.id as string);
    // The running client has it by its next look.
    expect(await second.profile.collection('progress').load()).toMatchObject([{ value: { level: 2 } }]);
    await expect(players.restoreSnapshot(user, here.gameId)).rejects.toMatchObject({ code: 'not_found' });
  },
  signOutPlayer: async ({ ada, admin }) => admin.players(here).signOut(userOf(await ada())),
  unlinkPlayerMethod: async ({ ada, admin }) => admin.players(here).unlink(userOf(await ada()), 'name'),
  revokePlayerDevice: async ({ ada, admin }) => {
    const [user, players] = [userOf(await ada()), admin.players(here)];
    await players.revokeDevice(user, (await players.get(user)).devices[0]?.id as string);
    await expect(players.revokeDevice(user, 'none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(players.unlink(user, 'name')).rejects.toMatchObject({ code: 'would_orphan' });
  },
  banPlayer: async ({ ada, admin }) => {
    const [player, players] = [await ada(), admin.players(here)];
    const user = userOf(player);
    await players.ban(user, { reason: 'cheating' });
    expect((await players.list({ list: 'banned' })).players).toMatchObject([{ ban: { until: null } }]);
    await expect(players.ban(user, { until: 0, reason: 'x' })).rejects.toMatchObject({ code: 'invalid_request' });
  },
  unbanPlayer: async ({ ada, admin }) => {
    const [user, players] = [userOf(await ada()), admin.players(here)];
    await players.ban(user, { reason: 'cheating' });
    await players.unban(user);
    await expect(players.unban(user)).rejects.toMatchObject({ code: 'not_found' });
  },
  deletePlayer: async ({ ada, admin }) => {
    const user = userOf(await ada());
    await admin.players(here).delete(user);
    await expect(admin.players(here).delete(user)).rejects.toMatchObject({ code: 'account_deleted' });
  },
  restorePlayer: async ({ ada, admin }) => {
    const [user, players] = [userOf(await ada()), admin.players(here)];
    await expect(players.restore(user)).rejects.toMatchObject({ code: 'not_found' });
    await players.delete(user);
    await players.restore(user);
    await players.restore(user, { deviceId: 'another-device' });
    expect((await players.get(user)).devices).toHaveLength(1);
  },
  signInAsGuest: ({ world }) => world.player(),
  signInWithName: async ({ ada, world }) => {
    const { auth } = await ada();
    ok(await auth.link(named));
    const other = await world.player({ autoLogin: false });
    expect(await other.auth.withName('ada', 'a wrong horse')).toMatchObject({ success: false });
    ok(await other.auth.switchTo(named));
  },
  signInWithIdentityToken: async ({ world, idToken }) =>
    ok(await (await world.player()).auth.withIdentityToken(await idToken())),
  signInWithSocialToken: async ({ world }) => {
    ok(await (await world.player()).auth.withSocialToken('ada', { platform: 'wave' }));
    ok(await (await world.player({ socialPlatform: 'wave' })).auth.withSocialToken('bob'));
  },
  requestReset: async ({ ada }) => {
    const client = await ada();
    for (const name of ['ada', 'nobody']) ok(await client.auth.requestReset(name));
  },
  resetPassword: async ({ ada, admin }) => {
    const client = await ada();
    const { code } = await admin.players(here).makeResetCode(userOf(client));
    ok(await client.auth.reset('ada', code, 'another password'));
    expect(await client.auth.reset('ada', '123456', 'another password')).toMatchObject({
      error: { code: 'invalid_credentials' },
    });
  },
  setAddress: async ({ ada, world }) => {
    const { account } = await ada();
    await account.setAddress('ada@mail.example', { language: 'nl' });
    await account.setAddress(null);
    await until(() => world.delivered.length > 0);
  },
  verifyAddress: async ({ ada, world }) => {
    const { account } = await ada();
    await account.setAddress('ada@mail.example');
    await until(() => world.delivered.length > 0);
    await account.verifyAddress(world.delivered[0]?.code as string);
    expect(await account.methods()).toMatchObject([{}, { address: 'ada@mail.example' }]);
    await expect(account.verifyAddress('123')).rejects.toMatchObject({ code: 'invalid_credentials' });
  },
  mergePlayers: async ({ world, ada, admin }) => {
    const guest = await world.player({ storage: createMemoryStorage() });
    await write(guest, { level: 3 });
    const [from, into, players] = [userOf(guest), userOf(await ada()), admin.players(here)];
    const merged = await players.merge(from, { into, entries: 'take' });
    expect(merged).toEqual({ userId: into, methods: [], deviceCount: 1, written: 1 });
    await expect(players.merge(into, { into })).rejects.toMatchObject({ code: 'invalid_request' });
  },
  undoPlayerChoice: async ({ world, admin }) => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [user, players] = [userOf(second), admin.players(here)];
    const { choice } = await players.get(user);
    expect(await players.undoChoice(user, choice?.id as string)).toMatchObject({ methods: ['device'], written: 0 });
    await expect(players.undoChoice(user, here.gameId)).rejects.toMatchObject({ code: 'not_found' });
  },
  makeResetCode: async ({ ada, admin }) => {
    expect((await admin.players(here).makeResetCode(userOf(await ada()))).name).toBe('ada');
  },
  makeSignInCode: async ({ ada, admin, world }) => {
    const userId = userOf(await ada());
    const { code } = await admin.players(here).makeSignInCode(userId);
    const client = await world.player({ storage: createMemoryStorage() });
    expect(await client.auth.switchTo({ method: 'recovery', code })).toEqual({ success: true, userId });
  },
  signInWithRecoveryCode: async ({ ada, world }) => {
    const code = await (await ada()).account.recoveryCode();
    ok(await (await world.player()).auth.switchTo({ method: 'recovery', code }));
  },
  peek: async ({ ada, world }) => {
    await ada();
    const { auth } = await world.player();
    expect(ok(await auth.peek(named)).outcome).toBe('other');
    await auth.peek({ method: 'social', token: 'bob', platform: 'wave' });
    await auth.peek({ method: 'recovery', code: 'none' });
    await auth.peek({ method: 'identity', token: 'a.b.c' });
  },
  resolveConflict: async ({ world }) => {
    const { conflict, pending } = await meetConflict(world, {
      conflictFields: [{ ...entry, field: 'level' }],
    });
    ok(await conflict.resolve('local'));
    ok(await pending);
  },
  readConflictSides: async ({ world }) => {
    const { second, conflict } = await meetConflict(world);
    second.profile.collection('progress', { merge: { level: 'max' } });
    ok(await conflict.resolve('merge'));
  },
  refreshSession: async ({ world, ada }) => {
    const { account } = await ada();
    world.backend.control.advance(2 * 3_600_000);
    await account.methods();
  },
  signOut: async ({ ada }) => {
    const client = await ada();
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    await client.account.signOutEverywhere();
  },
  signOutOthers: async ({ ada }) => (await ada()).account.signOutEverywhere({ unlinkSince: 0 }),
  readAccount: async ({ ada }) => (await ada()).account.methods(),
  listDevices: async ({ ada }) => expect(await (await ada()).account.devices()).toHaveLength(1),
  revokeDevice: async ({ ada }) => {
    const { account } = await ada();
    const [own] = await account.devices();
    await account.revokeDevice(own?.id as string);
    await expect(account.revokeDevice('none')).rejects.toMatchObject({ code: 'not_found' });
  },
  readUsage: async ({ ada }) => (await ada()).account.usage(),
  deleteAccount: async ({ ada, world }) => {
    const { recoveryCode } = await (await ada()).account.delete();
    const { auth } = await world.player();
    expect(await auth.switchTo(named)).toMatchObject({ error: { code: 'account_deleted' } });
    ok(await auth.switchTo({ method: 'recovery', code: recoveryCode }, { restore: true }));
  },
  exportAccount: async ({ ada }) => (await ada()).account.export(),
  changePassword: async ({ ada }) => (await ada()).account.changePassword('correct horse', 'battery staple'),
  makeRecoveryCode: async ({ ada }) => (await ada()).account.recoveryCode(),
  unlinkMethod: async ({ ada }) => (await ada()).account.unlink('name'),
  listSnapshots: async ({ world }) => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    expect(await second.account.snapshots()).toHaveLength(1);
  },
  addSnapshot: async ({ world, ada }) => {
    const one = await ada();
    const two = await world.player();
    ok(await two.auth.switchTo(named));
    await two.profile.collection('progress').load();
    await write(one, { level: 8 });
    await write(two, { level: 9 });
    await until(() => two.profile.status === 'synced');
  },
  restoreSnapshot: async ({ world }) => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [snapshot] = await second.account.snapshots();
    await second.account.restore(snapshot?.id as string);
    await expect(second.account.restore('none')).rejects.toMatchObject({ code: 'not_found' });
  },
  listCollections: async ({ ada, server }) => {
    const { auth, profile } = await ada();
    const progress = profile.collection('progress');
    await server.updateEntry({ ...entry, userId: auth.userId ?? '', value: { level: 9 }, version: -1 });
    profile.follow();
    await until(() => progress.get('main')?.['level'] === 9);
  },
  readCollection: async ({ ada }) => (await ada()).profile.collection('progress').load(),
  updateEntry: async ({ ada }) => {
    const client = await ada();
    const counted = client.profile.collection('purse', { merge: { coins: 'sum' } });
    for (const coins of [1, 2]) {
      await counted.set('main', { coins });
      await client.profile.flush();
    }
  },
};

const userOf = ({ auth }: Client): string => auth.userId as string;

async function write(client: Client, value: JsonObject): Promise<void> {
  const progress = client.profile.collection('progress');
  await progress.set('main', value);
  await progress.flush();
}

/** A service that is told apart from the document by nothing that crosses, and what crossed. */
async function createStage() {
  const portal = await createSigningKey('portal');
  const world = createWorld({
    socialPlatforms: { wave: (token) => ({ id: token }) },
    identityProviders: [{ issuer: 'https://id.example', audience: 'game', keys: keySet(portal) }],
  });
  const contract = createContract(openApiDocument(), { looksAtRefused: true });
  const problems: string[] = [];
  const fetch = watchedFetch(world.backend.fetch, (crossing) => problems.push(...contract.problemsOf(crossing)));
  Object.assign(world.backend, { fetch });
  const { gameId, privateKey, baseUrl } = world.service;
  const stage: Stage = {
    world,
    async ada() {
      const client = await world.player({ storage: createMemoryStorage() });
      ok(await client.auth.withName('ada', 'correct horse'));
      await write(client, { level: 7 });
      return client;
    },
    server: createServerClient({ gameId, privateKey, baseUrl, environment: 0, fetch: (request) => fetch(request) }),
    admin: createAdminClient({ key: testOperatorKey, baseUrl, fetch: (request) => fetch(request) }),
    idToken: () => {
      const iat = Math.floor(Date.now() / 1000);
      return portal.sign({ iss: 'https://id.example', aud: 'game', sub: 'ada', iat, exp: iat + 60 });
    },
  };
  return { stage, contract, problems };
}

describe('what both SDKs send, and what they are answered, fits the OpenAPI document', () => {
  it.each(Object.entries(asked))('%s', async (operation, ask) => {
    const { stage, contract, problems } = await createStage();
    await ask(stage);
    stage.world.end();
    expect(problems).toEqual([]);
    expect(contract.succeeded).toContain(operation);
  });

  it('for every operation that the document has', () => {
    const documented = Object.values(openApiDocument().paths).flatMap((item) =>
      Object.values(item as { [method: string]: { operationId: string } }).map(({ operationId }) => operationId),
    );
    const notAsked: NotAsked[] = ['readSnapshot', 'readApiDocument'];
    expect([...Object.keys(asked), ...notAsked].sort()).toEqual(documented.sort());
  });
});
