import { beforeEach, describe, expect, it } from 'vitest';
import { deviceSubject } from '../../../src/backend/accounts/login-methods.js';
import type { OperatorChange } from '../../../src/backend/stores/operator-requests.js';
import { webhookDefaults } from '../../../src/protocol/gaps/webhooks.js';
import { operations } from '../../../src/protocol/operations.js';
import type { AdminClient, AdminPlayers } from '../../../src/server/index.js';
import { adminOf, here, operatorOf, testOperatorKey } from '../../support/operators.js';
import { addWave, createServiceWithPlatforms, secret } from '../../support/platforms.js';
import {
  post,
  signInGuest,
  type TestService,
  testGameId,
  testPrivateKey,
  testStart,
  useName,
  writeEntry,
} from '../../support/service.js';

const password = 'correct horse';
const saved = 'a value of the player';
const at = { collection: 'progress', key: 'main' };
const day = 86_400_000;

let service: TestService;
let admin: AdminClient;
let players: AdminPlayers;
let user: string;
beforeEach(async () => {
  const webhook = { url: 'https://game.example/hooks', fetch: async () => new Response(null, { status: 500 }) };
  service = createServiceWithPlatforms({ games: [{ id: testGameId, privateKeys: [testPrivateKey], webhook }] });
  admin = adminOf(service);
  players = admin.players(here);
  const guest = await signInGuest(service);
  await useName(service, { username: 'Ada', password }, { token: guest.accessToken });
  await writeEntry(service, guest, { value: { saved } });
  user = guest.userId;
});

const someId = expect.stringMatching(/^[0-9a-f-]{36}$/);
const aName = expect.stringMatching(/^[\w-]{22}$/);
const dayLater = testStart + day;
const name = { method: 'name', label: 'Ada' };

/** A change, as an operator makes it. */
interface Row {
  action: string;
  /** What has to be there; answers the id of what is to change, where that is not the player alone. */
  given?: () => Promise<unknown>;
  /** Answers what nobody may find in the log besides. */
  make: (by: AdminClient, id: string) => Promise<unknown>;
  /** What the log says of it: both sides where there is a state before and after, and one where it began or ended. */
  says: { what: object; before?: object; after?: object };
  /** Whether it is the change of a player; it is where left out. */
  isOfPlayer?: false;
}

const of = (by: AdminClient) => by.players(here);
const deviceOf = async () => (await players.get(user)).devices[0]?.id;

/** A second device signs in by the name, and its player chooses. */
async function choose(): Promise<unknown> {
  const other = await signInGuest(service, 'device-two');
  const request = { token: other.accessToken, deviceId: 'device-two' };
  const met = await post(service, operations.signInWithName.path, { username: 'Ada', password }, request);
  const choice = { ticket: met.body.conflict.ticket, choice: 'cloud' };
  await post(service, '/v2/auth/conflict', choice, { deviceId: 'device-two' });
  return (await players.get(user)).choice?.id;
}

const bannedBefore = () => players.ban(user, { reason: 'cheating' });
const ban = { at: testStart, until: null, reason: 'cheating' };
const wave = { preset: 'wave', isOn: true, settings: { app: 'one' }, secrets: ['appSecret'], version: 1 };

/** Each change that there is. The compiler asks for a new one. */
const rows: { readonly [Change in OperatorChange]: readonly Row[] } = {
  addOperatorKey: [
    {
      action: 'makeOperatorKey',
      make: async (by) => (await by.makeKey({ name: 'linus', scope: 'read' })).key.slice(-20),
      says: { what: { key: someId }, after: { name: 'linus', scope: 'read' } },
      isOfPlayer: false,
    },
  ],
  removeOperatorKey: [
    {
      action: 'revokeOperatorKey',
      given: async () => (await admin.makeKey({ name: 'linus', scope: 'read' })).id,
      make: (by, id) => by.revokeKey(id),
      says: { what: { key: someId }, before: { name: 'linus', scope: 'read' } },
      isOfPlayer: false,
    },
  ],
  updateEntry: [
    {
      action: 'updatePlayerEntry',
      make: (by) => of(by).updateEntry(user, { ...at, value: { saved }, version: 0 }),
      says: { what: at, before: { version: 0, snapshot: someId }, after: { version: 1, bytes: 33 } },
    },
    {
      action: 'updatePlayerEntry',
      make: (by) => of(by).updateEntry(user, { ...at, key: 'new', value: { saved }, version: -1 }),
      says: { what: { ...at, key: 'new' }, after: { version: 0, bytes: 33 } },
    },
  ],
  restoreSnapshot: [
    {
      action: 'restorePlayerSnapshot',
      given: async () => {
        await players.updateEntry(user, { ...at, value: {}, version: 0 });
        return (await players.snapshots(user))[0]?.id;
      },
      make: (by, id) => of(by).restoreSnapshot(user, id),
      says: { what: { snapshot: someId }, before: { snapshot: someId }, after: { entries: 1 } },
    },
  ],
  endSessions: [
    {
      action: 'signOutPlayer',
      make: (by) => of(by).signOut(user),
      says: { what: {}, before: { sessions: 1 }, after: { sessions: 0 } },
    },
  ],
  unlinkMethod: [
    {
      action: 'unlinkPlayerMethod',
      make: (by) => of(by).unlink(user, 'name'),
      says: {
        what: { method: 'name' },
        before: { sessions: 1, methods: [name] },
        after: { sessions: expect.any(Number), methods: [] },
      },
    },
    {
      action: 'revokePlayerDevice',
      given: deviceOf,
      make: (by, id) => of(by).revokeDevice(user, id),
      says: {
        what: { method: 'device', device: aName },
        before: { sessions: 1, methods: [{ method: 'device', device: aName }] },
        after: { sessions: 0, methods: [] },
      },
    },
  ],
  deleteAccount: [
    {
      action: 'deletePlayer',
      make: async (by) => (await of(by).delete(user)).recoveryCode,
      says: {
        what: {},
        before: { deletedAt: null, sessions: 1, methods: [{ method: 'device', device: aName }] },
        after: { deletedAt: testStart, sessions: 0, methods: [{ method: 'recovery' }] },
      },
    },
  ],
  restoreAccount: [
    {
      action: 'restorePlayer',
      given: async () => (await signInGuest(service, 'device-nine')).userId,
      make: (by) => of(by).restore(user, { deviceId: 'device-nine' }),
      says: {
        what: { device: aName, from: someId },
        before: { sessions: 1, methods: [] },
        after: { sessions: 1, methods: [{ method: 'device', device: aName }] },
      },
    },
  ],
  undelete: [
    {
      action: 'restorePlayer',
      given: () => players.delete(user),
      make: (by) => of(by).restore(user),
      says: { what: {}, before: { deletedAt: testStart, sessions: 0 }, after: { deletedAt: null, sessions: 0 } },
    },
  ],
  banAccount: [
    {
      action: 'banPlayer',
      make: (by) => of(by).ban(user, { reason: 'cheating' }),
      says: { what: {}, before: { ban: null, sessions: 1 }, after: { ban, sessions: 0 } },
    },
  ],
  unbanAccount: [
    {
      action: 'unbanPlayer',
      given: bannedBefore,
      make: (by) => of(by).unban(user),
      says: { what: {}, before: { ban }, after: { ban: null } },
    },
  ],
  makeCode: [
    {
      action: 'makeResetCode',
      given: () => players.makeResetCode(user),
      make: async (by) => (await of(by).makeResetCode(user)).code,
      says: {
        what: { method: 'name', kind: 'support' },
        before: { expiresAt: dayLater },
        after: { expiresAt: dayLater },
      },
    },
  ],
  makeSignInCode: [
    {
      action: 'makeSignInCode',
      make: async (by) => (await of(by).makeSignInCode(user)).code,
      says: { what: { kind: 'sign_in' }, before: { expiresAt: null }, after: { expiresAt: dayLater } },
    },
  ],
  mergeAccounts: [
    {
      action: 'mergePlayers',
      given: async () => (await signInGuest(service, 'device-nine')).userId,
      make: (by, id) => of(by).merge(id, { into: user }),
      says: {
        what: { from: someId, entries: 'keep', methods: ['device'] },
        before: { leadTo: someId, sessions: 1, snapshot: null },
        after: { leadTo: someId, written: expect.anything(), snapshot: someId },
      },
    },
  ],
  undoChoice: [
    {
      action: 'undoPlayerChoice',
      given: choose,
      make: (by, id) => of(by).undoChoice(user, id),
      says: {
        what: { choice: 'cloud', id: someId, methods: ['device'] },
        before: { leadTo: someId, sessions: expect.any(Number), snapshot: null },
        after: { leadTo: someId, written: expect.anything() },
      },
    },
  ],
  retryEvents: [
    {
      action: 'retryWebhooks',
      given: async () => {
        for (let tries = 0; tries < webhookDefaults.webhookTries; tries += 1) {
          await service.backend.deliverWebhooks();
          service.backend.control.advance(webhookDefaults.webhookRetryMaxMs);
        }
      },
      make: (by) => by.retryWebhooks({ gameId: testGameId }),
      says: { what: { game: testGameId, event: null }, before: { dead: 1 }, after: { waiting: 1 } },
      isOfPlayer: false,
    },
  ],
  savePlatform: [
    {
      action: 'savePlatform',
      given: () => addWave(service),
      make: (by) => by.savePlatform({ ...here, name: 'wave', preset: 'wave', settings: { app: 'two' }, version: 1 }),
      says: {
        what: { game: testGameId, env: 0, platform: 'wave' },
        before: wave,
        after: { ...wave, settings: { app: 'two' }, version: 2 },
      },
      isOfPlayer: false,
    },
  ],
  removePlatform: [
    {
      action: 'removePlatform',
      given: () => addWave(service),
      make: (by) => by.removePlatform({ ...here, name: 'wave', version: 1 }),
      says: { what: { game: testGameId, env: 0, platform: 'wave' }, before: wave },
      isOfPlayer: false,
    },
  ],
  noteExport: [{ action: 'exportPlayer', make: (by) => of(by).export(user), says: { what: {} } }],
  noteSignIn: [
    {
      action: 'signInToConsole',
      make: async () => {
        const [{ id: keyId } = { id: null }] = await admin.listKeys();
        await service.backend.noteSignIn({ keyId, name: 'grace', scope: 'admin' }, '192.0.2.1');
      },
      says: { what: { from: '192.0.2.1' } },
      isOfPlayer: false,
    },
  ],
};
const all = Object.entries(rows).flatMap(([change, made]) =>
  made.map((row) => [made.length === 1 ? change : `${change} by ${row.action}`, row] as const),
);

describe('the audit log', () => {
  it.each(all)('says who has changed what and when, before and after, and no secret: %s', async (_, row) => {
    const { action, given, make, says, isOfPlayer = true } = row;
    const id = (await given?.()) as string;
    const grace = await operatorOf(service, 'admin', 'grace');
    const made = await make(grace, id);
    const { entries } = await admin.audit();
    const done = entries.filter(({ by, userId = user }) => by.name === 'grace' && userId === user);
    expect(done).toHaveLength(1);
    expect(done[0]).toEqual({
      id: someId,
      at: service.clock(),
      by: { id: someId, name: 'grace' },
      action,
      ...(isOfPlayer ? { gameId: testGameId, env: 0, userId: user } : {}),
      ...says,
    });
    const devices = ['device-one', 'device-two', 'device-nine'];
    const subjects = await Promise.all(devices.map(deviceSubject));
    const secrets = [password, saved, secret, testOperatorKey, testPrivateKey, ...devices, ...subjects];
    const text = JSON.stringify(entries);
    for (const hidden of [...secrets, ...(typeof made === 'string' ? [made] : [])]) expect(text).not.toContain(hidden);
  });

  it('names a device as the view of the player does', async () => {
    const device = await deviceOf();
    await players.revokeDevice(user, device as string);
    const [entry] = (await players.audit(user)).entries;
    expect(entry?.what).toEqual({ method: 'device', device });
  });

  it('names all devices that the end of a method takes away', async () => {
    await signInGuest(service, 'device-two');
    await players.restore(user, { deviceId: 'device-two' });
    const devices = (await players.get(user)).devices.map(({ id }) => ({ method: 'device', device: id }));
    await players.unlink(user, 'device');
    const [entry] = (await players.audit(user)).entries;
    expect(entry).toMatchObject({ what: { method: 'device' }, before: { methods: devices }, after: { methods: [] } });
    expect(devices).toHaveLength(2);
  });

  it('has in the log of an account that a device was given to another one', async () => {
    const other = await signInGuest(service, 'device-nine');
    await players.restore(user, { deviceId: 'device-nine' });
    const [entry] = (await players.audit(other.userId)).entries;
    expect(entry).toMatchObject({
      action: 'restorePlayer',
      userId: other.userId,
      what: { device: aName, from: other.userId },
      before: { orphanedAt: null, sessions: 1, methods: [{ method: 'device', device: aName }] },
      after: { orphanedAt: testStart, sessions: 0, methods: [] },
    });
  });
});
