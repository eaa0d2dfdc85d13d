import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../src/backend/stores/store.js';
import {
  key,
  loginQuotas,
  meetAda,
  newLink,
  newSession,
  openSession,
  owner,
  quotas,
  scope,
  sessionOf,
  snapshot,
  stepsOn,
} from './contract-records.js';

/** What a merge of two accounts takes as what both have already, so that nothing of it counts twice. */
export function describeCommonPast(create: () => Store | Promise<Store>): void {
  let store: Store;
  const { account } = stepsOn(() => store);
  let now: number;
  const devices: Record<string, string> = { ada: 'one', guest: 'two' };

  const write = (accountId: string, text: string) =>
    store.updateEntry({
      owner: owner(accountId),
      sessionId: null,
      collection: 'c',
      key: 'a',
      text,
      version: -1,
      snapshot: snapshot(`write-${accountId}-${text}`),
      quotas: quotas(10),
      now,
    });
  const read = async (accountId: string) =>
    (await store.readCollection({ owner: owner(accountId), sessionId: null, collection: 'c' }))
      ?.map(({ text }) => text)
      .join();

  /** The player of an account shows the name, which leads to the other one; answers both sides. */
  async function meet(localId: string, ticket: string) {
    now += 1;
    const device = devices[localId] ?? '';
    // Whoever lost the device with the last choice has it again.
    const back = newLink('device', device);
    await store.restoreAccount({ owner: owner(localId), link: back, now, quotas: loginQuotas });
    await store.endSessions(owner(localId));
    await openSession(store, sessionOf(localId, `session-${ticket}`, key('device', device), device));
    await meetAda(store, { ticket, localId, sessionId: `session-${ticket}`, device, expiresAt: now + 1_000 });
    return store.readConflictSides({ scope, ticket, device, now });
  }
  const past = async (localId: string, ticket: string) =>
    (await meet(localId, ticket))?.merged.map(({ text }) => text).join();

  async function choose(localId: string, choice: 'local' | 'merge', text = '', ticket: string = choice) {
    const sides = await meet(localId, ticket);
    const versions = (side: 'local' | 'cloud') =>
      (sides?.[side] ?? []).map(({ collection, key: name, version }) => ({ collection, key: name, version }));
    const resolved = await store.resolveConflict({
      quotas: loginQuotas,
      scope,
      ticket,
      device: devices[localId] ?? '',
      choice,
      merge:
        choice === 'local'
          ? null
          : {
              writes: [{ collection: 'c', key: 'a', text }],
              restsOn: { local: versions('local'), cloud: versions('cloud') },
              quotas: quotas(10),
            },
      session: newSession(`of-${ticket}`),
      snapshots: [snapshot(`${ticket}-other`), snapshot(`${ticket}-own`)],
      now,
    });
    expect(resolved.outcome).toBe('resolved');
  }

  /** Brings back what a snapshot has; what that overwrites is kept under this name. */
  async function restore(accountId: string, snapshotId: string, kept: string) {
    now += 1;
    const restored = await store.restoreSnapshot({
      key: { ...owner(accountId), snapshotId },
      sessionId: null,
      quotas: quotas(10),
      snapshot: snapshot(kept),
      now,
    });
    expect(restored.outcome).toBe('restored');
  }

  beforeEach(async () => {
    store = await create();
    now = 100;
    await account('ada', newLink('name', 'ada', { credential: 'hash' }));
    await store.linkMethod({
      quotas: loginQuotas,
      owner: owner('ada'),
      session: null,
      link: newLink('device', 'one'),
      now: 1,
    });
    await account('guest', newLink('device', 'two'));
    await write('ada', '{"ada":1}');
    await write('guest', '{"guest":1}');
  });

  it('is none between two accounts of which neither has anything of the other', async () => {
    expect(await past('guest', 'first')).toBe('');
    await choose('guest', 'local');
    expect(await past('ada', 'second')).toBe('');
  });

  it('is what was not chosen, from when that was brought back, whatever is played on', async () => {
    await choose('guest', 'local');
    await restore('guest', 'local-other', 'undone');
    expect(await read('guest')).toBe('{"ada":1}');
    expect(await past('ada', 'second')).toBe('{"ada":1}');
    await write('guest', '{"ada":1,"guest":2}');
    await write('ada', '{"ada":2}');
    expect(await past('ada', 'third')).toBe('{"ada":1}');
  });

  it('is none again where what was brought back was put away again, and is there where that was undone', async () => {
    await choose('guest', 'local');
    await restore('guest', 'local-other', 'undone');
    await restore('guest', 'undone', 'undone-again');
    expect(await read('guest')).toBe('{"guest":1}');
    expect(await past('ada', 'second')).toBe('');
    await restore('guest', 'undone-again', 'and-again');
    expect(await past('ada', 'third')).toBe('{"ada":1}');
  });

  it('is what was merged, until the merge is undone, and from when it is redone', async () => {
    await choose('guest', 'merge', '{"both":1}');
    expect(await past('guest', 'second')).toBe('{"guest":1}');
    await restore('ada', 'merge-own', 'undone');
    expect(await read('ada')).toBe('{"ada":1}');
    expect(await past('guest', 'third')).toBe('');
    await restore('ada', 'undone', 'redone');
    expect(await read('ada')).toBe('{"both":1}');
    expect(await past('guest', 'fourth')).toBe('{"guest":1}');
  });

  it('stays what was merged where a single entry is overwritten, and brought back', async () => {
    await choose('guest', 'merge', '{"both":1}');
    await write('ada', '{"forced":1}');
    expect(await past('guest', 'second')).toBe('{"guest":1}');
    await restore('ada', 'write-ada-{"forced":1}', 'undone');
    expect(await read('ada')).toBe('{"both":1}');
    expect(await past('guest', 'third')).toBe('{"guest":1}');
  });

  it('is known of the eight accounts that came last', async () => {
    const guests = Array.from({ length: 9 }, (_, index) => `guest-${index}`);
    for (const guest of guests) {
      devices[guest] = `device-of-${guest}`;
      await account(guest, newLink('device', devices[guest]));
      await write(guest, `{"${guest}":1}`);
      await choose(guest, 'merge', `{"until":"${guest}"}`, `merge-of-${guest}`);
    }
    const known = [];
    for (const guest of guests) known.push(await past(guest, `again-${guest}`));
    expect(known).toEqual(['', ...guests.slice(1).map((guest) => `{"${guest}":1}`)]);
  });

  it('is what came last, from whichever side', async () => {
    await choose('guest', 'local');
    await restore('guest', 'local-other', 'undone');
    await write('guest', '{"ada":1,"guest":2}');
    // The name leads to the guest's account now, and ada's player merges into that.
    await write('ada', '{"ada":5}');
    await choose('ada', 'merge', '{"ada":5,"guest":2}');
    expect(await past('ada', 'second')).toBe('{"ada":5}');
  });
}
