import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { playersOf as fromFirebase, hashConfigOf, plainOf } from '../../examples/import-players/from-firebase.mjs';
import { playersOf as fromPlayFab } from '../../examples/import-players/from-playfab.mjs';
import { createTestService, readText, testGameId, useName } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';

let folder: string;
const at = (name: string): string => join(folder, name);
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(name: string, content: unknown): string {
  writeFileSync(at(name), typeof content === 'string' ? content : JSON.stringify(content));
  return at(name);
}

async function importAll(lines: Iterable<unknown>) {
  const players = file('players.ndjson', [...lines].map((line) => JSON.stringify(line)).join('\n'));
  const to = ['--game-id', testGameId, '--environment', '0', '--store', at('saves.db'), '--json'];
  return JSON.parse((await runCommand(['import', players, ...to])).out);
}

/** github.com/firebase/scrypt's example. */
const hashConfig = `hash_config {
  algorithm: SCRYPT,
  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,
  base64_salt_separator: Bw==,
  rounds: 8,
  mem_cost: 14,
}`;
const passwordHash = 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==';
const salt = '42xEC+ixf3L2lw==';
const ada = {
  localId: 'uid-ada',
  email: 'ada@example.com',
  emailVerified: true,
  passwordHash,
  salt,
  createdAt: '1500000000000',
};

describe('players from Firebase', () => {
  it('come with the password that they have, and with the saves of the Realtime Database', async () => {
    const users = file('users.json', {
      users: [
        ada,
        {
          localId: 'uid-eve',
          createdAt: '1',
          lastSignedInAt: '2',
          providerUserInfo: [{ providerId: 'google.com', rawId: '1234' }],
        },
        { localId: 'uid-off', disabled: true },
      ],
    });
    const database = file('rtdb.json', {
      users: {
        'uid-ada': { saves: { main: { coins: 3 }, list: [null, 'a'] }, name: 'Ada' },
        'uid-eve': { saves: [{ n: 1 }] },
      },
      other: { x: 1 },
    });
    const config = file('hash.txt', hashConfig);
    const lines = [
      ...fromFirebase({
        users,
        hashConfig: config,
        database,
        saves: 'users/{uid}/saves/{key}',
        collection: 'progress',
      }),
    ];
    expect(lines[2]).toEqual({
      customId: 'uid-eve',
      identity: { issuer: 'https://accounts.google.com', subject: '1234' },
      createdAt: 1,
      lastSeenAt: 2,
      entries: [{ collection: 'progress', key: '0', value: { n: 1 } }],
    });
    expect(await importAll(lines)).toMatchObject({ created: 3, refused: [] });
    const store = await createSqliteStore({ file: at('saves.db') });
    const service = createTestService({ store });
    const player = await useName(service, { username: 'ada@example.com', password: 'user1password' });
    expect(await readText(service, player)).toMatch(/"list","value":\{"value":\[null,"a"\]\}.*\{"coins":3\}/);
    await store.close();
  });

  it('come from the CSV as from the JSON', () => {
    const row = Array<string>(28).fill('');
    const cells = {
      0: 'uid-ada',
      1: 'ada@example.com',
      2: 'true',
      3: passwordHash,
      4: salt,
      5: '"Ada, L."',
      7: '99',
      23: '1500000000000',
      24: '1600000000000',
      26: 'false',
    };
    Object.assign(row, cells);
    const users = file('users.csv', `${row.join(',')},\r\n${['uid-2', ...Array<string>(26).fill('')].join(',')},\r\n`);
    const [header, first, second] = fromFirebase({ users, hashConfig: file('hash.txt', hashConfig) });
    expect(header).toEqual(hashConfigOf(hashConfig));
    expect(first).toEqual({
      customId: 'uid-ada',
      name: { name: 'ada@example.com', firebase: { salt, passwordHash }, mailAddress: 'ada@example.com' },
      identity: { issuer: 'https://accounts.google.com', subject: '99' },
      createdAt: 1_500_000_000_000,
      lastSeenAt: 1_600_000_000_000,
      entries: [],
    });
    expect(second).toEqual({ customId: 'uid-2', entries: [] });
  });

  it('come without an e-mail address that nobody has verified: a code would go to whoever reads its mail', () => {
    const users = file('users.json', { users: [{ ...ada, emailVerified: false }] });
    expect([...fromFirebase({ users })]).toEqual([
      expect.objectContaining({ customId: ada.localId, name: { name: ada.email } }),
    ]);
  });

  it("come with Firestore's documents, whose values are plain ones afterwards", () => {
    const fields = {
      coins: { integerValue: '3' },
      rate: { doubleValue: 1.5 },
      on: { booleanValue: true },
      none: { nullValue: null },
      at: { timestampValue: '2024-01-01T00:00:00Z' },
      items: {
        arrayValue: { values: [{ stringValue: 'sword' }, { mapValue: { fields: { n: { integerValue: '1' } } } }] },
      },
      empty: { arrayValue: {} },
      bare: { mapValue: {} },
    };
    const document = {
      name: 'projects/p/databases/(default)/documents/players/uid-ada/saves/main',
      fields,
      updateTime: '2024-01-02T00:00:00.123456Z',
    };
    const documents = file(
      'documents.ndjson',
      `${JSON.stringify({ document })}\n${JSON.stringify({ readTime: 'x' })}\n`,
    );
    const [line] = fromFirebase({
      users: file('users.json', { users: [ada] }),
      documents,
      saves: 'players/{uid}/saves/{key}',
    });
    const value = {
      coins: 3,
      rate: 1.5,
      on: true,
      none: null,
      at: '2024-01-01T00:00:00Z',
      items: ['sword', { n: 1 }],
      empty: [],
      bare: {},
    };
    const changedAt = Date.UTC(2024, 0, 2, 0, 0, 0, 123);
    expect(line).toMatchObject({
      name: { name: ada.email, mailAddress: ada.email },
      entries: [{ collection: 'saves', key: 'main', value, changedAt }],
    });
    expect(() => plainOf({ integerValue: '9007199254740993' })).toThrow(/beyond/);
    expect(() => hashConfigOf('algorithm: BCRYPT')).toThrow(/SCRYPT/);
  });
});

describe('players from PlayFab', () => {
  it('come by their id, with names that have no password yet, and with their data', async () => {
    const players = [
      {
        PlayFabId: 'A1B2',
        UserInfo: {
          PlayFabId: 'A1B2',
          Username: 'ada',
          Created: '2014-08-20T12:30:45Z',
          GoogleInfo: { GoogleId: '7' },
          TitleInfo: { LastLogin: '2014-09-02T08:00:00Z' },
        },
        Data: {
          progress: { Value: '{"level":20}', LastUpdated: '2014-09-01T10:12:30Z', Permission: 'Private' },
          rank: { Value: 'level_twenty', LastUpdated: '2014-09-01T10:12:30Z', Permission: 'Public' },
          count: { Value: '17' },
        },
      },
      { PlayFabId: 'C3D4' },
    ];
    const lines = [
      ...fromPlayFab({ file: file('playfab.ndjson', players.map((one) => JSON.stringify(one)).join('\n')) }),
    ];
    expect(lines).toEqual([
      {
        customId: 'A1B2',
        name: { name: 'ada' },
        identity: { issuer: 'https://accounts.google.com', subject: '7' },
        createdAt: Date.UTC(2014, 7, 20, 12, 30, 45),
        lastSeenAt: Date.UTC(2014, 8, 2, 8),
        entries: [
          { collection: 'saves', key: 'progress', value: { level: 20 }, changedAt: Date.UTC(2014, 8, 1, 10, 12, 30) },
          {
            collection: 'saves',
            key: 'rank',
            value: { value: 'level_twenty' },
            changedAt: Date.UTC(2014, 8, 1, 10, 12, 30),
          },
          { collection: 'saves', key: 'count', value: { value: 17 } },
        ],
      },
      { customId: 'C3D4', entries: [] },
    ]);
    expect(await importAll(lines)).toMatchObject({ created: 2, refused: [] });
    expect(await importAll(lines)).toMatchObject({ there: 2, refused: [] });
  });

  it.each([
    ['by no ban that was revoked', [{ Active: false, Created: '2026-01-01T00:00:00Z' }], undefined],
    ['for good, where nobody has asked until when', undefined, { at: 0, until: null, reason: 'banned' }],
    [
      'by the ban that lasts longest',
      [
        { Active: true, Created: '2026-01-01T00:00:00Z', Expires: '2996-01-01T00:00:00Z', Reason: 'coins sold' },
        { Active: true, Created: '2026-01-02T00:00:00Z', Expires: '2986-01-01T00:00:00Z', Reason: 'insults' },
        { Active: false, Created: '2026-01-03T00:00:00Z', Reason: 'a mistake' },
      ],
      { at: Date.UTC(2026, 0), until: Date.UTC(2996, 0), reason: 'coins sold' },
    ],
  ])('stay banned %s', async (_, BanData, ban) => {
    const player = { PlayFabId: 'A1B2', UserInfo: { TitleInfo: { isBanned: true } }, BanData };
    const lines = [...fromPlayFab({ file: file('playfab.ndjson', player) })];
    expect(lines).toEqual([{ customId: 'A1B2', ...(ban && { ban }), entries: [] }]);
    expect(await importAll(lines)).toMatchObject({ created: 1, refused: [] });
    const store = await createSqliteStore({ file: at('saves.db') });
    const scope = { gameId: testGameId, environment: 0 } as const;
    const banned = await store.listAccounts({ scope, list: 'banned', after: null, max: 2, now: Date.now() });
    expect(banned.map(({ account }) => account.ban)).toEqual(ban ? [ban] : []);
    await store.close();
  });
});
