import { describe, expect, it, vi } from 'vitest';
import { createMemoryStore, type LogRecord, type Store } from '../../src/backend/index.js';
import { operations } from '../../src/protocol/operations.js';
import {
  createTestService,
  makeConflict,
  post,
  send,
  signInGuest,
  type TestService,
  testStart,
  writeText,
} from '../support/service.js';

const keys = Array.from({ length: 45 }, (_, index) => `key-${String(index).padStart(2, '0')}`);

/** A guest with 45 entries, three of which were overwritten, on a store whose calls are counted. */
async function withProfile(change: (store: Store) => Partial<Store> = () => ({})) {
  const memory = createMemoryStore();
  const store: Store = { ...memory, ...change(memory) };
  const [readEntries, readSnapshot] = [vi.spyOn(store, 'readEntries'), vi.spyOn(store, 'readSnapshot')];
  const records: LogRecord[] = [];
  const service = createTestService({ store, log: (record) => records.push(record) });
  const player = await signInGuest(service);
  for (const [index, key] of keys.entries()) await writeText(service, player, key, `{"n": ${index}.0}`);
  for (const key of keys.slice(0, 3)) await writeText(service, player, key, '{"n":-1}');
  return { service, player, records, reads: () => [readEntries.mock.calls.length, readSnapshot.mock.calls.length] };
}

function ask(service: TestService, token: string, method = 'GET'): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  return service.backend.fetch(new Request(service.authUrl + operations.exportAccount.path, { method, headers }));
}

describe('the export', () => {
  it('has the latest choice that the account was chosen by, as long as it can be taken back', async () => {
    const service = createTestService();
    const { cloud, local, ticket } = await makeConflict(service);
    const exported = async (token: string) => (await ask(service, token)).json();
    expect(await exported(local.accessToken)).not.toHaveProperty('choice');
    const { body } = await post(
      service,
      operations.resolveConflict.path,
      { ticket, choice: 'cloud' },
      { token: local.accessToken, deviceId: 'device-two' },
    );
    const chosen = { choice: 'cloud', madeAt: testStart, fromUserId: local.userId, methods: ['device'] };
    expect(await exported(body.accessToken)).toMatchObject({ userId: cloud.userId, choice: chosen });
  });
});

describe('the export of a large account', () => {
  it('has every entry and snapshot, letter for letter', async () => {
    const { service, player, reads } = await withProfile();
    const text = await (await ask(service, player.accessToken)).text();
    const { entries, snapshots } = JSON.parse(text);
    expect(entries.map(({ key, version }: { key: string; version: number }) => [key, version])).toEqual(
      keys.map((key, index) => [key, index < 3 ? 1 : 0]),
    );
    expect(text).toContain('"key":"key-44","value":{"n": 44.0}');
    expect(snapshots).toHaveLength(3);
    expect(snapshots[2]).toMatchObject({ content: [{ key: 'key-00', value: { n: 0 } }] });
    expect(reads()).toEqual([3, 3]);
  });

  it('is read from the store as fast as it is read by the player, and no further', async () => {
    const { service, player, reads } = await withProfile();
    const body = (await ask(service, player.accessToken)).body?.getReader();
    expect(reads()).toEqual([0, 0]);
    await body?.read();
    await body?.read();
    expect(reads()).toEqual([1, 0]);
    await body?.read();
    expect(reads()).toEqual([2, 0]);
    await body?.cancel();
    expect(reads()).toEqual([2, 0]);
  });

  it('is refused to a player who has two of them under way', async () => {
    const { service, player } = await withProfile();
    const other = await signInGuest(service, 'device-two');
    const first = await ask(service, player.accessToken);
    const second = await ask(service, player.accessToken);
    const third = await send(service, operations.exportAccount.path, { token: player.accessToken });
    expect(third).toMatchObject({ status: 429, body: { code: 'rate_limited', limitName: 'exportsAtOnce' } });
    await (await ask(service, other.accessToken)).text();
    await first.text();
    await (await ask(service, player.accessToken)).text();
    await second.body?.cancel();
    const again = [await ask(service, player.accessToken), await ask(service, player.accessToken)];
    expect(again.map(({ status }) => status)).toEqual([200, 200]);
    // Nobody reads these two any more.
    service.backend.control.advance(61_000);
    expect((await ask(service, player.accessToken)).status).toBe(200);
  });

  it('that nobody is to read is over at once', async () => {
    const { service, player } = await withProfile();
    for (let asked = 0; asked < 4; asked += 1) {
      const head = await ask(service, player.accessToken, 'HEAD');
      expect([head.status, await head.text()]).toEqual([200, '']);
    }
    service.backend.control.fail({ times: 4, route: 'exportAccount', with: 'lost-answer' });
    for (let asked = 0; asked < 4; asked += 1) {
      await expect(ask(service, player.accessToken)).rejects.toThrow(TypeError);
    }
    expect((await ask(service, player.accessToken)).status).toBe(200);
  });

  it.each([
    ['the store fails', () => Promise.reject(new RangeError('geheim')), 'RangeError'],
    ['the account is removed', () => Promise.resolve(null), 'Error'],
  ])('is cut off where %s on the way, and never looks whole', async (_, fail, name) => {
    let pages = 0;
    const { service, player, records } = await withProfile((store) => ({
      readEntries: (request) => (++pages === 2 ? fail() : store.readEntries(request)),
    }));
    const answer = await ask(service, player.accessToken);
    await expect(answer.text()).rejects.toThrow();
    const told = records.find(({ kind }) => kind === 'error');
    expect(told).toMatchObject({ kind: 'error', name, message: 'An export was cut short.' });
    expect((await (await ask(service, player.accessToken)).text()).endsWith(']}')).toBe(true);
  });

  it('gives its place back where it cannot begin', async () => {
    let isDown = true;
    const { service, player } = await withProfile((store) => ({
      listSessions: (owner) => (isDown ? Promise.reject(new Error('down')) : store.listSessions(owner)),
    }));
    for (let asked = 0; asked < 4; asked += 1) expect((await ask(service, player.accessToken)).status).toBe(500);
    isDown = false;
    expect((await ask(service, player.accessToken)).status).toBe(200);
  });
});
