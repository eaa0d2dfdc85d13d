import { createCipheriv, scryptSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bcrypt as bcryptOf } from 'hash-wasm';
import type { Delivery } from 'savepoint/backend';
import { createSqliteStore, type SqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, readText, testGameId, useName } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf } from './filled-store.js';
import { runCommand } from './in-process.js';

let folder: string;
let file: string;
let store: string;

beforeEach(() => {
  folder = temporaryFolder();
  [file, store] = [join(folder, 'players.ndjson'), join(folder, 'saves.db')];
});
afterEach(() => rmSync(folder, { recursive: true }));

const firebase = {
  signerKey: 'jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==',
  saltSeparator: 'Bw==',
  rounds: 8,
  memCost: 14,
};
/** The password is `user1password`. */
const ofFirebase = {
  salt: '42xEC+ixf3L2lw==',
  passwordHash: 'lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==',
};
const salt = Buffer.from('0123456789abcdef');
const own = `scrypt$1024,8,1$${salt.toString('base64url')}$${scryptSync('correct horse', salt, 32, { cost: 1024, blockSize: 8, parallelization: 1 }).toString('base64url')}`;
/** What Firebase exports of a user who has this password. */
function firebaseOf(password: string) {
  const separated = Buffer.concat([
    Buffer.from(ofFirebase.salt, 'base64'),
    Buffer.from(firebase.saltSeparator, 'base64'),
  ]);
  const key = scryptSync(password, separated, 32, { cost: 2 ** firebase.memCost, blockSize: firebase.rounds });
  const cipher = createCipheriv('aes-256-ctr', key, Buffer.alloc(16));
  const hash = Buffer.concat([cipher.update(firebase.signerKey, 'base64'), cipher.final()]);
  return { salt: ofFirebase.salt, passwordHash: hash.toString('base64') };
}
/** crypt_blowfish's own example. */
const bcrypt = '$2a$05$abcdefghijklmnopqrstuu5s2v8.iXieOjg/.AySBTTZIIVFJeBui';
const long = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789chars after 72 are ignored';
const main = (value: object) => [{ collection: 'progress', key: 'main', value }];
const lost = {
  snapshotId: '1c1d9e52-4f0e-4c8e-9c3e-0d6f7a1b2c3e',
  createdAt: 1,
  expiresAt: 2,
  reason: 'local',
  fromId: '2c1d9e52-4f0e-4c8e-9c3e-0d6f7a1b2c3e',
  entries: main({}),
};

async function importLines(lines: readonly unknown[], ...more: string[]) {
  writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const args = [file, '--store', store, '--game-id', testGameId, '--environment', '0', '--json', ...more];
  const { code, out, err } = await runCommand(['import', ...args]);
  return { code, err, ...(out === '' ? {} : JSON.parse(out)) };
}

async function withStore<Result>(use: (opened: SqliteStore) => Promise<Result>): Promise<Result> {
  const opened = await createSqliteStore({ file: store });
  try {
    return await use(opened);
  } finally {
    await opened.close();
  }
}

describe('savepoint import', () => {
  it('takes names with their passwords over, from here and from Firebase, and hashes them anew at the next sign-in', async () => {
    const lines = [
      { firebase },
      { name: { name: 'Ada', firebase: ofFirebase }, entries: main({ coins: 3 }) },
      { customId: 'bob-1', name: { name: 'Bob', hash: own }, entries: main({ coins: 4 }) },
      { name: { name: 'Eve', hash: bcrypt }, entries: main({ coins: 5 }) },
    ];
    expect(await importLines(lines)).toMatchObject({ code: 0, created: 3, refused: [] });
    expect(await importLines(lines)).toMatchObject({ code: 0, created: 0, completed: 0, there: 3 });
    await withStore(async (opened) => {
      const service = createTestService({ store: opened });
      for (const [username, password, coins] of [
        ['ada', 'user1password', 3],
        ['bob', 'correct horse', 4],
        ['eve', long, 5],
      ] as const) {
        const scope = { gameId: testGameId, environment: 0, method: 'name', subject: username } as const;
        const before = await opened.findLink(scope);
        const player = await useName(service, { username, password });
        expect(await readText(service, player)).toContain(`{"coins":${coins}}`);
        expect((await opened.findLink(scope))?.credential).not.toBe(before?.credential);
        await useName(service, { username, password });
      }
    });
  });

  it('takes a name that nobody could take today, for its owner has it already', async () => {
    const names = ['a\u200bda', 'ada '];
    const lines = names.map((name) => ({ name: { name, hash: own }, entries: main({ coins: 3 }) }));
    expect(await importLines(lines)).toMatchObject({ code: 0, created: 2, refused: [] });
    await withStore(async (opened) => {
      const service = createTestService({ store: opened });
      for (const username of names) {
        const player = await useName(service, { username, password: 'correct horse' });
        expect(await readText(service, player)).toContain('{"coins":3}');
      }
    });
  });

  it('lets players in whose passwords are shorter than a new one may be, until they set another', async () => {
    expect(firebaseOf('user1password')).toEqual(ofFirebase);
    const short = '123456';
    const lines = [
      { firebase },
      { name: { name: 'Ada', firebase: firebaseOf(short) }, entries: main({ coins: 3 }) },
      {
        name: { name: 'Eve', hash: await bcryptOf({ password: short, salt, costFactor: 4 }) },
        entries: main({ coins: 5 }),
      },
    ];
    expect(await importLines(lines)).toMatchObject({ code: 0, created: 2, refused: [] });
    await withStore(async (opened) => {
      const service = createTestService({ store: opened });
      for (const [username, coins] of [
        ['ada', 3],
        ['eve', 5],
      ] as const) {
        const wrong = await post(service, operations.signInWithName.path, { username, password: '123457' });
        expect(wrong).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
        const player = await useName(service, { username, password: short });
        expect(await readText(service, player)).toContain(`{"coins":${coins}}`);
        const { accessToken: token } = await useName(service, { username, password: short });
        const change = (to: string) =>
          post(service, operations.changePassword.path, { old_password: short, new_password: to }, { token });
        expect((await change('654321')).body).toMatchObject({ code: 'password_too_short', minLength: 8 });
        expect((await change('correct horse')).status).toBe(204);
      }
    });
  });

  it('takes verified e-mail addresses over, to which a code for a forgotten password is sent', async () => {
    const mailAddress = 'Ada@example.com';
    const line = { name: { name: 'Ada', hash: own, mailAddress } };
    expect(await importLines([line])).toMatchObject({ code: 0, created: 1, refused: [] });
    expect(await importLines([line])).toMatchObject({ code: 0, there: 1 });
    await withStore(async (store) => {
      const delivered: Delivery[] = [];
      const service = createTestService({ store, deliver: (delivery) => void delivered.push(delivery) });
      await post(service, operations.requestReset.path, { username: 'ada' });
      while (service.backend.load().deliveries > 0) await new Promise((done) => setImmediate(done));
      expect(delivered).toEqual([expect.objectContaining({ kind: 'reset', name: 'Ada', address: mailAddress })]);
    });
  });

  it('takes a file that begins with a byte order mark, as programs on Windows write it', async () => {
    expect(await importLines(['\uFEFF{"customId":"one"}'])).toMatchObject({ code: 0, created: 1, refused: [] });
  });

  it('goes on where an earlier one came to an end', async () => {
    expect(await importLines([{ customId: 'one' }])).toMatchObject({ created: 1 });
    const full = { customId: 'one', name: { name: 'Ada', hash: own }, entries: main({ coins: 1 }) };
    expect(await importLines([full, { customId: 'two' }])).toMatchObject({ code: 0, created: 1, completed: 1 });
    expect(await importLines([full])).toMatchObject({ there: 1 });
  });

  it('takes lines of one player in their order, however many are under way', async () => {
    const coins = Array.from({ length: 200 }, (_, n) => (n < 5 ? n : n % 7));
    const isFirst = (n: number): boolean => coins[n] === n % 5;
    const { created, there, refused } = await importLines(
      coins.map((held, n) => ({ customId: `p-${n % 5}`, entries: main({ held }) })),
    );
    const all = [...coins.keys()];
    expect([created, there]).toEqual([5, all.filter(isFirst).length - 5]);
    expect(refused.map(({ line }: { line: number }) => line)).toEqual(all.filter((n) => !isFirst(n)).map((n) => n + 1));
  });

  it('keeps values letter for letter, and ends no line within a text', async () => {
    const text = '{"price":1.50,"big":1e300,"t":"\u2028\u2029","b":1,"a":[ ]}';
    const line = `{"customId":"one","entries":[{"value":{"x":1},"collection":"progress","key":"main","value": ${text} }]}`;
    expect(await importLines([line, '', line])).toMatchObject({ code: 0, created: 1, there: 1 });
    await withStore(async (opened) => {
      const link = await opened.findLink({ gameId: testGameId, environment: 0, method: 'custom', subject: 'one' });
      const owner = { gameId: testGameId, environment: 0 as const, accountId: link?.accountId ?? '' };
      expect((await opened.readEntry({ owner, collection: 'progress', key: 'main' }))?.text).toBe(text);
    });
  });

  it("holds players to the quotas and sizes of the service's configuration", async () => {
    const config = join(folder, 'limits.json');
    const entries = ['a', 'b', 'c'].map((key) => ({ collection: 'progress', key, value: { held: 'x'.repeat(50) } }));
    const given = async (limits: object) => {
      writeFileSync(config, JSON.stringify({ limits }));
      return (await importLines([{ customId: 'one', entries }], '--config', config)).refused;
    };
    const tooMuch = [{ line: 1, path: 'entries', problem: 'they are more than a player may have' }];
    expect(await given({ quotas: { entries: 2 } })).toEqual(tooMuch);
    expect(await given({ quotas: { values: 100 } })).toEqual(tooMuch);
    expect(await given({ valueBytes: 40 })).toEqual([expect.objectContaining({ path: 'entries.0.value' })]);
    expect((await contentOf(store))['accounts']).toEqual([]);
    expect(await given({ quotas: { entries: 3 } })).toEqual([]);
  });

  it('passes over a line that no player fits into, and reads what comes behind it', async () => {
    const long = { customId: 'long', entries: main({ held: 'x'.repeat(5_000_000) }) };
    writeFileSync(join(folder, 'few.json'), '{"limits":{"quotas":{"values":1000,"snapshotBytes":1000}}}');
    const { created, refused } = await importLines([long, { customId: 'good' }], '--config', join(folder, 'few.json'));
    expect([created, refused]).toEqual([1, [{ line: 1, path: '', problem: 'is longer than a player may be' }]]);
  });

  it('tells a player by userId, takes a name without a password, and refuses what leads elsewhere', async () => {
    const userId = '9f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
    const eve = { userId, name: { name: 'Eve' }, devices: ['a'.repeat(43)] };
    expect(await importLines([eve, { customId: 'two' }])).toMatchObject({ created: 2 });
    expect(await importLines([{ ...eve, customId: 'one' }])).toMatchObject({ completed: 1 });
    const { refused } = await importLines([
      { ...eve, userId: userId.replace('9f', '8f') },
      { userId, customId: 'two' },
      { gameId: userId, environment: 0, customId: 'three' },
      { gameId: testGameId, customId: 'three' },
      { devices: [] },
    ]);
    expect(refused).toEqual([
      { line: 1, path: 'name', problem: 'it is the name of another player than userId' },
      { line: 2, path: 'customId', problem: 'it leads to another player than userId' },
      { line: 3, path: 'gameId', problem: 'it is another game than --game-id' },
      { line: 4, path: 'gameId', problem: 'must have gameId and environment, or neither' },
      { line: 5, path: '', problem: 'must have customId or name' },
    ]);
  });

  it('writes nothing in a dry run', async () => {
    const dry = await importLines([{ customId: 'one', entries: main({ a: 1 }) }], '--dry-run');
    expect(dry).toMatchObject({ code: 0, created: 1 });
    expect((await contentOf(store))['accounts']).toEqual([]);
  });

  it('refuses what is there with something else, by line, and changes nothing of it', async () => {
    const ada = { name: 'Ada', hash: own };
    await importLines([{ customId: 'one', name: ada, entries: main({ coins: 1 }) }, { customId: 'two' }]);
    const before = await contentOf(store);
    const { code, refused } = await importLines([
      { customId: 'one', entries: [...main({ coins: 2 }), { collection: 'progress', key: 'new', value: {} }] },
      { customId: 'two', name: ada },
      { customId: 'one', name: { name: 'Eve', hash: own } },
      { name: { name: 'ADA', hash: own.replace('1024', '2048') } },
    ]);
    expect([code, refused]).toEqual([
      2,
      [
        { line: 1, path: 'entries.0.value', problem: 'another value is there already' },
        { line: 2, path: 'name', problem: 'it is the name of another player than customId' },
        { line: 3, path: 'name', problem: 'method_already_linked' },
        { line: 4, path: 'name', problem: 'it is there already with another password' },
      ],
    ]);
    expect(rowsWithoutRevisions(await contentOf(store))).toEqual(rowsWithoutRevisions(before));
  });

  it.each([
    ['no JSON', 'is no JSON', ''],
    ['[]', 'must be of the type object', ''],
    [{}, 'must have customId or name', ''],
    [{ customId: '' }, 'is too small or too large', 'customId'],
    [{ customId: 'a', password: 'secret' }, 'has what nobody knows: password', ''],
    [{ name: { name: 'a\u0000', hash: own } }, 'must be a name that somebody can sign in with', 'name.name'],
    [
      { name: { name: 'Ada', hash: 'scrypt$1073741824,8,1$AAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAA' } },
      expect.stringContaining('must be a hash'),
      'name.hash',
    ],
    [
      { name: { name: 'Ada', hash: bcrypt.replace('$05$', '$16$') } },
      'takes more memory or time than a sign-in may',
      'name.hash',
    ],
    [{ name: { name: 'Ada', mailAddress: 'ada' } }, expect.anything(), 'name.mailAddress'],
    [{ name: { name: 'Ada', firebase: ofFirebase } }, 'the file has no header with the parameters', 'name.firebase'],
    [{ customId: 'a', entries: main([] as never) }, expect.anything(), 'entries.0.value'],
    [
      { customId: 'a', entries: [{ collection: '..', key: 'k', value: {} }] },
      expect.anything(),
      'entries.0.collection',
    ],
    [{ customId: 'a', entries: [...main({}), ...main({})] }, 'must not have one key twice', 'entries'],
    [{ customId: 'a', entries: [{ ...main({})[0], version: -1 }] }, expect.anything(), 'entries.0.version'],
    [{ customId: 'a', entries: [{ ...main({})[0], version: 2 ** 53 }] }, expect.anything(), 'entries.0.version'],
    [{ customId: 'a', lastSeenAt: -1 }, expect.anything(), 'lastSeenAt'],
    [{ customId: 'a', devices: [{ device: 'short' }] }, expect.stringContaining('must be a hash'), 'devices.0.device'],
    [{ customId: 'a', methods: { password: {} } }, 'has what nobody knows: password', 'methods'],
    [{ customId: 'a', snapshots: [{ ...lost, entries: [] }] }, expect.anything(), 'snapshots.0.entries'],
    [{ customId: 'a', snapshots: [{ ...lost, reason: 'theft' }] }, expect.anything(), 'snapshots.0.reason'],
    [{ customId: 'a', snapshots: [lost, lost] }, 'must not have one snapshot twice', 'snapshots'],
    [
      { customId: 'a', snapshots: [{ ...lost, entries: main({ n: '\ud800' }) }] },
      expect.stringContaining('surrogate'),
      'snapshots.0.entries.0.value',
    ],
  ])('refuses a line of junk, takes the others, and shows no secret: %j', async (line, problem, path) => {
    const { code, created, refused, err } = await importLines([{ customId: 'good' }, line, { customId: 'also' }]);
    expect([code, created]).toEqual([2, 2]);
    expect(refused).toEqual([{ line: 2, path, problem }]);
    expect(JSON.stringify([refused, err])).not.toMatch(/secret|scrypt\$/);
  });

  it.each([
    ['no hash and no signer key, which any password would fit', { signerKey: '' }, { salt: '', passwordHash: '' }],
    ['no hash', {}, { ...ofFirebase, passwordHash: '' }],
    ['no salt', {}, { ...ofFirebase, salt: '' }],
    ['no signer key', { signerKey: '' }, ofFirebase],
    ['a separator without end', { saltSeparator: 'Bw'.repeat(1000) }, ofFirebase],
    ['more memory than a sign-in may take', { rounds: 16, memCost: 16 }, ofFirebase],
  ])("refuses Firebase's with %s", async (_, parameters, ofAda) => {
    const lines = [{ firebase: { ...firebase, ...parameters } }, { name: { name: 'Ada', firebase: ofAda } }];
    const { code, created, refused } = await importLines(lines);
    const problem = expect.stringContaining('as Firebase exports them');
    expect([code, created, refused]).toEqual([2, 0, [{ line: 2, path: 'name.firebase', problem }]]);
    await withStore(async (opened) => {
      const link = { gameId: testGameId, environment: 0, method: 'name', subject: 'ada' } as const;
      expect(await opened.findLink(link)).toBeNull();
    });
  });

  it.each([
    [['FILE', '--environment', '0', '--game-id', 'mine'], /give the game/],
    [['FILE', '--game-id', testGameId, '--environment', '3'], /give the environment/],
    [['FILE', '--game-id', testGameId, '--environment', '0', '--store', 'memory'], /a store in memory keeps nothing/],
    [['missing', '--game-id', testGameId, '--environment', '0', '--store', 'STORE'], /the file: there is no such file/],
  ])('says what is to be set right: %j', async (args, problem) => {
    writeFileSync(file, '');
    const paths: { [name: string]: string } = { FILE: file, STORE: store };
    const { code, err } = await runCommand(['import', ...args.map((arg) => paths[arg] ?? arg)]);
    expect([code, err]).toEqual([2, expect.stringMatching(problem)]);
  });
});

/** To ask for a link locks the account, which counts its revision. */
function rowsWithoutRevisions(content: { [table: string]: unknown[] }): string {
  return JSON.stringify(content).replaceAll(/\\"revision\\":\d+/g, '');
}
