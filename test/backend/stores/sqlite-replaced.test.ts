import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSqliteStore, type SqliteStore } from '../../../src/backend/stores/sqlite/store.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { newLink, owner, quotas, snapshot } from './contract-records.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

const collection = 'world';
/** Three slices. */
const names = Array.from({ length: 20 }, (_, n) => `chunk-${String(n).padStart(2, '0')}`);
const [first = ''] = names;
const textOf = (word: string) => JSON.stringify(`${word} ${'x'.repeat(110_000)}`);

const write = (store: SqliteStore, word: string, key = first) =>
  store.updateEntry({
    owner: owner('a'),
    sessionId: null,
    ...{ collection, key, text: textOf(word), version: -1 },
    snapshot: snapshot(`before ${word}`),
    quotas: quotas(100),
    now: 5,
  });

describe('a file that a backup replaces while an account is read from it in slices', () => {
  let files = 0;
  let store: SqliteStore;
  let backup: string;
  /** Is told of each pause. */
  let paused = async (): Promise<void> => {};

  /** Both files have the same versions, and another text in the first entry. */
  beforeEach(async () => {
    files += 1;
    const file = join(folder, `${files}.db`);
    backup = join(folder, `${files}-backup.db`);
    paused = async () => {};
    store = await openSqliteStore({ file }, { slices: () => ({ isOver: () => true, pause: () => paused() }) });
    await store.ensureAccount({ link: newLink('device', 'one'), accountId: 'a', now: 1 });
    for (const name of names) await write(store, 'start', name);
    await write(store, 'here');
    await write(store, 'start again');
    await store.backUp(backup);
    await write(store, 'here');
    const other = await openSqliteStore({ file: backup });
    await write(other, 'backup');
    await other.close();
  });
  afterEach(() => store.close());

  /** The backup takes the file's place in that pause. */
  const replaceIn = (pause: number): void => {
    let pauses = 0;
    paused = async () => {
      pauses += 1;
      if (pauses === pause) await store.restore(backup);
    };
  };
  const wordsOf = (entries: readonly { text: string }[] | null | undefined) =>
    entries?.map(({ text }) => (JSON.parse(text) as string).split(' ')[0]);
  const inBackup = ['backup', ...names.slice(1).map(() => 'start')];

  it('answers no account with entries of both', async () => {
    replaceIn(2);
    expect(wordsOf((await store.readProfile(owner('a')))?.entries)).toEqual(inBackup);
  });

  it('answers no collection with entries of both', async () => {
    replaceIn(1);
    const read = await store.readCollection({ owner: owner('a'), sessionId: null, collection });
    expect(wordsOf(read)).toEqual(inBackup);
  });

  it('writes a snapshot back over what is in the other one, and keeps that', async () => {
    replaceIn(3);
    const request = { sessionId: null, quotas: quotas(100), snapshot: snapshot('undo'), now: 6 };
    const restored = await store.restoreSnapshot({
      ...request,
      key: { ...owner('a'), snapshotId: 'before start again' },
    });
    expect(restored.outcome).toBe('restored');
    expect(wordsOf((await store.readProfile(owner('a')))?.entries)).toEqual(['here', ...inBackup.slice(1)]);
    const kept = await store.readSnapshot({ key: { ...owner('a'), snapshotId: 'undo' }, now: 6 });
    expect(wordsOf(kept?.entries)).toEqual(['backup']);
  });
});
