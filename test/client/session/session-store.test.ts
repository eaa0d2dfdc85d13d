import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createSessionStore,
  emptyRecord,
  type Session,
  type SessionRecord,
  type SessionStore,
} from '../../../src/client/session/session-store.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { createSteadyHome } from '../../../src/client/storage/steady-home.js';
import type { ConflictSides } from '../../../src/protocol/conflict.js';
import { createFaultyHome } from '../storage/faulty-home.js';
import { quiet } from '../world.js';

const keys = { session: 'session', device: 'device', writer: 'writer' };
const ada: Session = {
  userId: 'ada',
  accessToken: 'a',
  refreshToken: 'r',
  expiresAt: 1_000,
  methods: ['device'],
  country: null,
};
const recordOf = (generation: number, session: Session | null = ada): SessionRecord => ({
  ...emptyRecord,
  generation,
  session,
});
const sidesOf = (ticket: string): ConflictSides => {
  const side = { createdAt: 0, changedAt: null, methods: [], entries: 0, bytes: 0, fields: [] };
  const [local, cloud] = [
    { ...side, userId: 'ada' },
    { ...side, userId: 'bea' },
  ];
  const compared = { kind: 'diverged', ahead: null, mergeable: true } as const;
  return { ticket, method: 'name', expiresAt: 2_000, local, cloud, ...compared, diff: [] };
};
const basedOn = (generation: number) => ({ generation, always: false, keepsConflict: true });

describe('the session store', () => {
  let texts: Map<string, string>;
  let store: SessionStore;
  const notify = vi.fn();
  const open = (): SessionStore => {
    const home = createMemoryHome(texts);
    const steady = createSteadyHome(async () => ({ kind: 'memory', home }));
    return createSessionStore(steady, keys, notify);
  };
  beforeEach(() => {
    texts = new Map();
    store = open();
    notify.mockClear();
  });

  it('drops what rests on an older generation than another tab has stored, and tells nobody', async () => {
    await store.save(recordOf(2), basedOn(1));
    notify.mockClear();
    const { dropped, stored } = await open().save(recordOf(1, null), basedOn(0));
    expect([dropped, stored.generation]).toEqual([true, 2]);
    expect((await store.read()).session?.userId).toBe('ada');
    expect(notify).not.toHaveBeenCalled();
  });

  it('makes a sign-out the next generation, whatever another tab has stored', async () => {
    await store.save(recordOf(5), basedOn(4));
    const { dropped, stored } = await store.save(recordOf(1, null), {
      generation: 0,
      always: true,
      keepsConflict: true,
    });
    expect([dropped, stored.generation]).toEqual([false, 6]);
    expect(await store.read()).toMatchObject({ generation: 6, session: null });
  });

  it('puts a guest in the place of one who has signed out, and of nobody else', async () => {
    const asGuest = () => store.save(recordOf(1), { ...basedOn(0), overNobody: true });
    await store.save(recordOf(5, null), basedOn(4));
    expect(await asGuest()).toMatchObject({ dropped: false, stored: { generation: 6 } });
    await store.save(recordOf(7, { ...ada, userId: 'bea' }), basedOn(6));
    expect((await asGuest()).dropped).toBe(true);
    expect((await store.read()).session?.userId).toBe('bea');
  });

  it('keeps the newer tokens of one session, in whatever order tabs store them', async () => {
    const newer = { ...ada, accessToken: 'newer', expiresAt: 2_000 };
    await store.save(recordOf(1, newer), basedOn(1));
    expect((await store.save(recordOf(1), basedOn(1))).dropped).toBe(true);
    expect((await store.read()).session).toEqual(newer);
  });

  it('keeps a choice through new tokens, and drops it with the account', async () => {
    await store.save(recordOf(1), basedOn(0));
    await store.keepChoice({ ticket: 'ticket', choice: 'cloud' });
    await store.save(recordOf(1, { ...ada, expiresAt: 2_000 }), basedOn(1));
    expect((await open().read()).choice).toEqual({ ticket: 'ticket', choice: 'cloud' });
    await store.save(recordOf(2, { ...ada, userId: 'bea' }), basedOn(1));
    expect((await store.read()).choice).toBeNull();
    await store.keepChoice({ ticket: 'ticket', choice: 'local' });
    await store.keepChoice(null);
    expect((await store.read()).choice).toBeNull();
  });

  it('keeps a choice when its conflict is opened again, and drops it with the conflict', async () => {
    const sides = sidesOf('ticket');
    await store.save(recordOf(1), basedOn(0));
    await store.keepConflict(sides, true);
    await store.keepChoice({ ticket: 'ticket', choice: 'cloud' });
    await store.keepConflict(sides, true);
    expect((await store.read()).choice).toEqual({ ticket: 'ticket', choice: 'cloud' });
    await store.keepConflict(sidesOf('another'), true);
    expect(await store.read()).toMatchObject({ conflict: sidesOf('another'), choice: null });
    await store.keepChoice({ ticket: 'another', choice: 'cloud' });
    await store.keepConflict(sidesOf('another'), false);
    expect(await store.read()).toMatchObject({ conflict: null, choice: null });
  });

  it('reads a damaged record, or one without a choice, as what it can be', async () => {
    texts.set(keys.session, JSON.stringify({ ...recordOf(3), conflict: null }));
    expect(await store.read()).toMatchObject({ generation: 3, choice: null });
    texts.set(keys.session, JSON.stringify({ ...recordOf(3), conflict: {}, choice: 'cloud' }));
    expect(await store.read()).toMatchObject({ generation: 3, conflict: null, choice: null });
    texts.set(keys.session, 'damaged');
    expect(await store.read()).toEqual({ ...emptyRecord, conflict: null, choice: null });
  });

  it('gives all tabs one device id and one name for their writes', async () => {
    const tabs = [store, open(), open()];
    const ids = await Promise.all(tabs.map((tab) => tab.deviceId()));
    const writers = await Promise.all(tabs.map((tab) => tab.writer()));
    expect([new Set(ids).size, new Set(writers).size]).toEqual([1, 1]);
    expect(ids[0]).not.toBe(writers[0]);
    expect([await open().deviceId(), await open().writer()]).toEqual([ids[0], writers[0]]);
  });

  it('makes no device id where the stored one cannot be read', async () => {
    const faulty = createFaultyHome(({ isRead }) => (isRead ? 'before' : 'none'));
    faulty.texts.set(keys.device, 'own-id');
    const steady = createSteadyHome(async () => ({ kind: 'memory', home: faulty.home }));
    const asked = createSessionStore(steady, keys, notify).deviceId();
    await quiet();
    expect(faulty.texts.get(keys.device)).toBe('own-id');
    steady.close();
    await expect(asked).rejects.toMatchObject({ code: 'aborted' });
  });
});
