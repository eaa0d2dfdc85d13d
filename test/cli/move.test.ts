import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteTables } from '../../src/backend/stores/sqlite/raw-tables.js';
import { createProgress } from '../../src/cli/progress.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { contentOf, fillStore } from './filled-store.js';
import { runCommand } from './in-process.js';
import { bundleProgram, start } from './program.js';

let folder: string;
let from: string;
let to: string;

beforeEach(() => {
  folder = temporaryFolder();
  [from, to] = [join(folder, 'old.db'), join(folder, 'new.db')];
});
afterEach(() => rmSync(folder, { recursive: true }));

const move = (...more: string[]) => runCommand(['move', '--from', from, '--to', to, ...more]);

describe('savepoint move from file to file', () => {
  it('carries every row of every table over, and the old store takes no writes any more', async () => {
    await fillStore(from, 60);
    const before = await contentOf(from);
    const { code, out, err } = await move();
    expect([code, out]).toEqual([0, expect.stringMatching(/ rows are moved, and the same in both/)]);
    expect(err).toMatch(/copy \[#{20}\] 100 %, ([\d,]+) of \1 rows, [\d,]+ a second, 0 s left/);
    expect(await contentOf(to)).toEqual(before);
    expect(await contentOf(from)).toEqual(before);
    await expect(createSqliteStore({ file: from })).rejects.toThrow('This store was moved to another one');
    await (await createSqliteStore({ file: to })).close();
    expect(await move()).toMatchObject({ code: 2, err: expect.stringContaining('--from was moved already') });
  });

  it('answers what is in each table in JSON', async () => {
    await fillStore(from, 3);
    const { out } = await move('--json');
    const said = JSON.parse(out);
    expect(said).toMatchObject({ wasThere: false, seconds: expect.any(Number) });
    expect(said.tables).toContainEqual({ table: 'accounts', rows: 3, digest: expect.stringMatching(/^[\da-f]{64}$/) });
  });

  it('leaves the new file every index that the old one has, made once the rows are there', async () => {
    const indexesOf = async (file: string) => {
      const tables = await openSqliteTables(file, 0);
      const text = "SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name";
      const found = await tables.query({ text, values: [] });
      await tables.close();
      return found.map((row) => ({ ...row }));
    };
    await fillStore(from, 20);
    const had = await indexesOf(from);
    expect(had.length).toBeGreaterThan(30);
    await move();
    expect(await indexesOf(to)).toEqual(had);
  });

  it('moves a store that has nothing', async () => {
    await (await createSqliteStore({ file: from })).close();
    expect(await move()).toMatchObject({ code: 0, out: expect.stringContaining('0 rows are moved') });
  });

  it('finds what another one has moved that was ended before the old store was marked', async () => {
    await fillStore(from, 20);
    expect((await runCommand(['backup', '--store', from, '--out', to])).code).toBe(0);
    expect(await move()).toMatchObject({ code: 0, out: expect.stringContaining('were moved before') });
    await expect(createSqliteStore({ file: from })).rejects.toThrow('This store was moved');
  });

  it('moves nothing over records, if only one of them is another', async () => {
    await fillStore(from, 20);
    expect((await runCommand(['backup', '--store', from, '--out', to])).code).toBe(0);
    const target = await openSqliteTables(to, 0);
    await target.query({
      text: "UPDATE @audit SET action = 'another' WHERE audit_id = (SELECT min(audit_id) FROM @audit)",
      values: [],
    });
    await target.commit();
    await target.close();
    const before = await contentOf(to);
    expect(await move()).toMatchObject({ code: 2, err: expect.stringContaining('--to has records of its own') });
    expect(await contentOf(to)).toEqual(before);
    await (await createSqliteStore({ file: from })).close();
  });

  it('refuses a file that a service has open, and lets none start on it meanwhile', async () => {
    await fillStore(from, 1);
    const service = await createSqliteStore({ file: from });
    expect(await move()).toMatchObject({
      code: 2,
      err: expect.stringMatching(/in use by process \d+ .*: end that one first/),
    });
    await service.close();
    const taken = await openSqliteTables(from, 0);
    await expect(createSqliteStore({ file: from })).rejects.toThrow(/in use/);
    await taken.close();
  });

  it.each([
    [['--to', 'TO'], /give --from, a file or postgres:\/\/…, or SAVEPOINT_STORE/],
    [['--from', 'FROM'], /give --to, .* or SAVEPOINT_MOVE_TO/],
    [['--from', 'FROM', '--to', 'FROM'], /are the same store/],
    [['--from', 'MISSING', '--to', 'TO'], /--from: there is no file .*missing\.db/],
    [['--from', 'memory', '--to', 'TO'], /--from: a store in memory has nothing to keep/],
    [['--from', 'FROM', '--to', 'postgres://me:secret@db/saves'], /--to must have no password/],
    [['--from', 'JUNK', '--to', 'TO'], /the store cannot be opened: .*not a database/],
  ])('says what is to be set right: %j', async (args, problem) => {
    writeFileSync(join(folder, 'junk'), 'no database, and long enough not to be taken for an empty one '.repeat(20));
    await fillStore(from, 1);
    const paths: { [name: string]: string } = {
      FROM: from,
      TO: to,
      MISSING: join(folder, 'missing.db'),
      JUNK: join(folder, 'junk'),
    };
    const { code, out, err } = await runCommand(['move', ...args.map((arg) => paths[arg] ?? arg)]);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(problem);
    expect(err).not.toContain('secret');
    expect(existsSync(to)).toBe(false);
  });
});

describe('savepoint move that is killed', () => {
  let program: string;
  beforeAll(async () => {
    program = await bundleProgram();
  });

  it('leaves the old store as it was, and is run again', async () => {
    await fillStore(from, 1_000);
    const before = await contentOf(from);
    const { child, ended, stderr } = start(program, ['move', '--from', from, '--to', to]);
    await expect.poll(stderr, { timeout: 10_000, interval: 2 }).toContain('copy [');
    child.kill('SIGKILL');
    await ended;
    expect(await contentOf(from)).toEqual(before);
    expect((await move()).code).toBe(0);
    expect(await contentOf(to)).toEqual(before);
  });
});

it('says how fast it is and how long it takes, each tenth once', () => {
  let [now, said] = [0, ''];
  const say = (text: string): void => {
    said += text;
  };
  const progressed = createProgress({ err: say }, { what: 'copy', unit: 'rows', total: 4_000, now: () => now });
  for (const more of [399, 1, 1, 1_599]) {
    now += 500;
    progressed(more);
  }
  expect(said).toBe(
    'copy [##..................]  10 %, 400 of 4,000 rows, 400 a second, 9 s left\n' +
      'copy [##########..........]  50 %, 2,000 of 4,000 rows, 1,000 a second, 2 s left\n',
  );
});
