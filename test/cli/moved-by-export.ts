import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createSqliteStore } from 'savepoint/backend/sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pathOf } from '../../src/protocol/addresses.js';
import * as headers from '../../src/protocol/headers.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  makeDivergedConflict,
  post,
  send,
  signInGuest,
  type TestService,
  writeText,
} from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';

/** What every pair of stores has to hold: whoever leaves the one by `savepoint export` is in the other one the same player. */
export function describeExportAndImport(stores: { from(folder: string): string; to(folder: string): string }): void {
  let folder: string;
  const at = (name: string): string => join(folder, name);
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** As long ago as snapshots are still kept, to the day: what is used today is seen today. */
  const clock = (): number => Math.floor(Date.now() / 86_400_000) * 86_400_000 - 20 * 86_400_000;

  /** Ada, who has lost her cloud's saves to her device's by a choice, and a value to a forced write; and a guest. */
  async function fill(): Promise<{ ada: string }> {
    const store = await createSqliteStore({ file: at('first.db') });
    const service = createTestService({ store, clock });
    const { local, ticket } = await makeDivergedConflict(service);
    const { body } = await post(
      service,
      operations.resolveConflict.path,
      { ticket, choice: 'cloud' },
      {
        token: local.accessToken,
        deviceId: 'device-two',
      },
    );
    const chosen = { accessToken: body.accessToken as string };
    for (const n of [1, 2, 3]) await writeText(service, chosen, 'main', `{"coins":${n}.0}`);
    expect((await writeNamed(service, chosen)).body).toEqual({ version: 0 });
    await signInGuest(service, 'guest-device');
    await store.close();
    return { ada: body.userId as string };
  }

  /** A write of a device that has a name, and rests on nothing that is there. */
  function writeNamed(service: TestService, { accessToken: token }: { accessToken: string }) {
    const path = pathOf(operations.updateEntry, { game: service.gameId, collection: 'progress', key: 'named' });
    const named = { [headers.idempotencyKey]: 'pen:first', [headers.ifNoneMatch]: '*' };
    return send(service, `${path}?env=0`, {
      method: 'PATCH',
      token,
      text: '{"version":-1,"value":{"coins":1}}',
      headers: named,
    });
  }

  async function run(...args: string[]) {
    const { code, out, err } = await runCommand([...args, '--json']);
    expect(code, err).toBe(0);
    return JSON.parse(out);
  }
  const exportTo = (name: string, store: string) =>
    run('export', '--out', at(name), '--store', store, '--with-password-hashes', '--with-devices');
  const linesOf = (name: string): string[] => readFileSync(at(name), 'utf8').split('\n').sort();

  it('tells a device whose answer got lost before that its write was carried out', async () => {
    await fill();
    await exported('all.ndjson', at('first.db'));
    await run('import', at('all.ndjson'), '--store', at('second.db'));
    const named = { username: 'ada', password: 'correct horse' };
    const store = await createSqliteStore({ file: at('second.db') });
    const service = createTestService({ store, clock });
    const { body } = await post(service, operations.signInWithName.path, named, { deviceId: 'device-two' });
    expect(await writeNamed(service, body)).toMatchObject({ status: 200, body: { version: 0 } });
    await store.close();
  });

  it('brings every player back as they were: versions, times, login methods and snapshots', async () => {
    const { ada } = await fill();
    await run('import', await exported('all.ndjson', at('first.db')), '--store', stores.from(folder));
    await exportTo('second.ndjson', stores.from(folder));
    const imported = await run('import', at('second.ndjson'), '--store', stores.to(folder));
    expect(imported).toMatchObject({ created: 3, refused: [] });
    expect(await exportTo('third.ndjson', stores.to(folder))).toMatchObject({ players: 3, orphaned: 1 });
    expect(linesOf('third.ndjson')).toEqual(linesOf('all.ndjson'));
    const line = linesOf('third.ndjson')
      .map((text) => JSON.parse(text === '' ? '{}' : text))
      .find(({ userId }) => userId === ada);
    expect(line.entries.find(({ key }: { key: string }) => key === 'main').version).toBeGreaterThan(2);
    expect(line.snapshots.length).toBeGreaterThan(1);
    expect(await run('import', at('third.ndjson'), '--store', stores.from(folder))).toMatchObject({ there: 3 });
  });

  async function exported(name: string, store: string): Promise<string> {
    expect(await exportTo(name, store)).toMatchObject({ players: 3, orphaned: 1 });
    return at(name);
  }
}
