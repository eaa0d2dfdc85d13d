import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryStore } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { auditColumns } from '../../src/cli/admin/audit.js';
import { printable } from '../../src/cli/admin/table.js';
import { newUuid } from '../../src/protocol/ids.js';
import { createOperatedService, testOperatorKey } from '../support/operators.js';
import { testGameId, testStart } from '../support/service.js';
import { runCommand } from './in-process.js';

let folder: string;
let served: ServedBackend;
let env: { [name: string]: string };

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-operators-'));
});
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(async () => {
  served = await serve(createOperatedService().backend, { port: 0 });
  env = { SAVEPOINT_URL: served.url, SAVEPOINT_OPERATOR_KEY: testOperatorKey };
});
afterEach(() => served.close());

const savepoint = (...args: string[]) => runCommand(args, { env });

describe('savepoint new-key operator', () => {
  it('makes the first key by itself, in a form that the service takes', async () => {
    const { code, out } = await runCommand(['new-key', 'operator']);
    expect(code).toBe(0);
    expect(() => createOperatedService({ operatorKey: out.trim() })).not.toThrow();
  });

  it('has the service make another, and writes it where only its owner can read it', async () => {
    const path = join(folder, 'grace.key');
    const make = ['new-key', 'operator', '--name', 'grace', '--scope', 'read', '--out', path];
    expect(await savepoint(...make)).toEqual({ code: 0, out: '', err: '' });
    if (process.platform !== 'win32') expect(statSync(path).mode & 0o077).toBe(0);
    const again = await savepoint(...make);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('never overwritten')]);
    const listed = await savepoint('operators', 'list');
    expect(listed.out.match(/grace/g)).toHaveLength(1);
    delete env['SAVEPOINT_OPERATOR_KEY'];
    const games = await savepoint('games', '--operator-key-file', path, '--json');
    expect(JSON.parse(games.out)).toEqual({ games: [{ id: testGameId }] });
  });

  it('says in one line of JSON which key was made, and shows it only where it is in no file', async () => {
    const first = await runCommand(['new-key', 'operator', '--json']);
    expect(first).toEqual({ code: 0, out: expect.stringMatching(/^\{.*\}\n$/), err: '' });
    expect(() => createOperatedService({ operatorKey: JSON.parse(first.out).key })).not.toThrow();
    const make = ['new-key', 'operator', '--name', 'grace', '--scope', 'read', '--json'];
    const shown = JSON.parse((await savepoint(...make)).out);
    expect(shown).toMatchObject({ id: expect.any(String), name: 'grace', scope: 'read', key: expect.any(String) });
    const out = join(folder, 'in-json.key');
    const written = JSON.parse((await savepoint(...make, '--out', out)).out);
    expect(written).toMatchObject({ name: 'grace', scope: 'read', out });
    expect(written).not.toHaveProperty('key');
    const { keys } = JSON.parse((await savepoint('operators', 'list', '--json')).out);
    expect(keys.map(({ id }: { id: string }) => id).sort()).toEqual([shown.id, written.id].sort());
    delete env['SAVEPOINT_OPERATOR_KEY'];
    expect((await savepoint('games', '--operator-key-file', out)).code).toBe(0);
  });

  it.each([
    [['--name', 'grace'], '--scope'],
    [['--scope', 'read'], '--name'],
    [['--name', 'grace', '--scope', 'root'], 'scope must be one of read, support, admin'],
    [['--name', 'a\nb', '--scope', 'read'], '"name"'],
  ])('says what is wrong with %j', async (given, said) => {
    const { code, out, err } = await savepoint('new-key', 'operator', ...given);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
  });

  it("takes nothing of an operator's key for another one", async () => {
    for (const more of [['--name', 'grace'], ['--json']]) {
      const { code, err } = await savepoint('new-key', 'private', ...more);
      expect([code, err]).toEqual([2, expect.stringContaining("for an operator's key")]);
    }
  });
});

describe('savepoint operators, games and audit', () => {
  it('writes the whole log as lines of JSON, however many pages it has', async () => {
    const store = createMemoryStore();
    for (let n = 0; n < 205; n += 1) {
      const mark = {
        auditId: newUuid(),
        keyId: null,
        keyName: 'ada',
        action: 'signIn',
        at: n,
        expiresAt: testStart * 2,
      };
      await store.changeAsOperator({ change: 'noteSignIn', request: { from: null }, mark });
    }
    const { backend } = createOperatedService({ store });
    await served.close();
    served = await serve(backend, { port: 0 });
    env['SAVEPOINT_URL'] = served.url;
    const { code, out } = await savepoint('audit', '--all');
    const entries = out.trim().split('\n');
    expect([code, entries.length, new Set(entries).size]).toEqual([0, 205, 205]);
    expect(JSON.parse(entries[0] ?? '')).toMatchObject({ action: 'signIn', at: 204 });
    const ended = await runCommand(['audit', '--all'], { env, stop: AbortSignal.abort() });
    expect([ended.code, ended.out]).toEqual([130, '']);
  });

  it('shows keys and changes as tables, and as JSON for scripts', async () => {
    const made = await savepoint('new-key', 'operator', '--name', 'grace', '--scope', 'support');
    const { out: text } = await savepoint('operators', 'list');
    expect(text).toMatch(
      /^ID +NAME +SCOPE +MADE +BY\n[0-9a-f-]{36} +grace +support +2026-01-15 12:00:00 +the key of the env/,
    );
    const { keys } = JSON.parse((await savepoint('operators', 'list', '--json')).out);
    expect((await savepoint('operators', 'revoke', '--id', keys[0].id)).out).toBe('the key no longer counts\n');
    const another = await savepoint('new-key', 'operator', '--name', 'eve', '--scope', 'read', '--json');
    const { id } = JSON.parse(another.out);
    const revoked = await savepoint('operators', 'revoke', '--id', id, '--json');
    expect(revoked).toEqual({ code: 0, out: `${JSON.stringify({ id, revoked: true })}\n`, err: '' });
    const audit = await savepoint('audit');
    expect(audit.out).toMatch(/revokeOperatorKey/);
    expect(audit.out).not.toContain(made.out.trim().slice(-43));
    const page = await savepoint('audit', '--limit', '1');
    const [, cursor = ''] = /--cursor (\S+)/.exec(page.err) ?? [];
    const rest = JSON.parse((await savepoint('audit', '--cursor', cursor, '--json')).out);
    expect(rest.entries).toHaveLength(3);
    expect((await savepoint('games')).out).toBe(`GAME\n${testGameId}\n`);
  });

  it('says what the operator can set right', async () => {
    const wrong = await runCommand(['games'], { env: { ...env, SAVEPOINT_OPERATOR_KEY: 'a-key-of-nobody' } });
    expect([wrong.code, wrong.err]).toEqual([
      2,
      "savepoint: the service does not know this operator's key, or no longer\n",
    ]);
    const nowhere = await runCommand(['games'], { env: { SAVEPOINT_OPERATOR_KEY: testOperatorKey } });
    expect([nowhere.code, nowhere.err]).toEqual([2, expect.stringContaining('--url')]);
    const keyless = await runCommand(['games', '--url', served.url]);
    expect([keyless.code, keyless.err]).toEqual([2, expect.stringContaining('SAVEPOINT_OPERATOR_KEY')]);
    const gone = await savepoint('operators', 'revoke', '--id', '00000000-0000-4000-8000-000000000000');
    expect([gone.code, gone.err]).toEqual([2, expect.stringContaining('(not_found)')]);
    const spelled = await savepoint('operators', 'remove');
    expect([spelled.code, spelled.err]).toEqual([2, expect.stringContaining('savepoint operators list')]);
  });

  it('says which key allows too little', async () => {
    const { out: key } = await savepoint('new-key', 'operator', '--name', 'grace', '--scope', 'read');
    const file = join(folder, 'read.key');
    writeFileSync(file, key);
    expect(existsSync(file) && readFileSync(file, 'utf8')).toBe(key);
    delete env['SAVEPOINT_OPERATOR_KEY'];
    const refused = await savepoint('operators', 'list', '--operator-key-file', file);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('the scope admin')]);
    expect(refused.err).not.toContain(key.trim());
  });
});

it('a change is shown with what was before and after, and with its times as moments', () => {
  const details = auditColumns['DETAILS'];
  const entry = { id: '', at: 1, by: { id: null, name: 'grace' }, action: 'deletePlayer', what: {} };
  const before = { deletedAt: null, sessions: 2 };
  const after = { deletedAt: testStart, sessions: 0 };
  expect(details?.({ ...entry, before, after })).toBe(
    'before {"deletedAt":null,"sessions":2}  after {"deletedAt":"2026-01-15T12:00:00Z","sessions":0}',
  );
  expect(details?.({ ...entry, what: { at: 9e15 }, after: {} })).toBe('{"at":9000000000000000}');
});

it('what a player chose cannot write to the terminal anything but text', () => {
  expect(printable('a\u001b[2Jb\u202ec\u2028d\ne')).toBe('a\\u{1b}[2Jb\\u{202e}c\\u{2028}d\\u{a}e');
  expect(printable('Grüße 你好')).toBe('Grüße 你好');
});
