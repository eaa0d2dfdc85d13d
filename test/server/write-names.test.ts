import { describe, expect, it } from 'vitest';
import { parseKey } from '../../src/protocol/idempotency-key.js';
import { type Asked, offline, problem, type Reply, scripted, userId } from './scripted-client.js';

const entry = { userId, collection: 'profile', key: 'stats' };

function keysOf(asked: readonly Asked[]) {
  return asked.map(({ headers }) => parseKey(headers.get('idempotency-key') ?? ''));
}

/** Answers when the test says so. */
function held() {
  const waiting: (() => void)[] = [];
  const reply: Reply = () =>
    new Promise((resolve) => {
      waiting.push(() => resolve(Response.json({ version: 4 })));
    });
  return { reply, answer: (index: number) => waiting[index]?.() };
}

async function turn(): Promise<void> {
  for (let index = 0; index < 20; index += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("the names of a back end's writes", () => {
  it('are one device with a new name for each write, and another device for each client', async () => {
    const { client, asked } = scripted(() => Response.json({ version: 4 }));
    const other = scripted(() => Response.json({ version: 4 }));
    for (const version of [3, -1, 3]) await client.updateEntry({ ...entry, value: {}, version });
    await other.client.updateEntry({ ...entry, value: {}, version: 3 });
    const keys = keysOf(asked);
    expect(new Set(keys.map((key) => key?.device)).size).toBe(1);
    expect(new Set(keys.map((key) => key?.write)).size).toBe(3);
    expect(keysOf(other.asked)[0]?.device).not.toBe(keys[0]?.device);
  });

  it('are the same in every try of one write', async () => {
    const { client, asked } = scripted((_, index) => (index < 2 ? offline() : Response.json({ version: 4 })));
    await client.updateEntry({ ...entry, value: {}, version: 3 });
    const keys = keysOf(asked);
    expect(keys).toHaveLength(3);
    expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(1);
  });

  it('are those of another device for each write of an entry that runs meanwhile', async () => {
    const { reply, answer } = held();
    const { client, asked } = scripted(reply);
    const write = (key: string) => client.updateEntry({ ...entry, key, value: {}, version: 3 });
    const devices = () => keysOf(asked).map((key) => key?.device);
    const first = write('stats');
    const second = write('stats');
    const elsewhere = write('wallet');
    await turn();
    const [one, two, three] = devices();
    expect(two).not.toBe(one);
    // Two entries have two ledgers.
    expect(three).toBe(one);
    answer(0);
    await first;
    const third = write('stats');
    await turn();
    expect(devices()[3]).toBe(one);
    for (const index of [1, 2, 3]) answer(index);
    await Promise.all([second, elsewhere, third]);
  });

  it('are free again after a write that failed', async () => {
    const { client, asked } = scripted(() => problem(404, 'user_not_found'));
    for (let time = 0; time < 3; time += 1) {
      await expect(client.updateEntry({ ...entry, value: {}, version: 3 })).rejects.toThrow();
    }
    expect(new Set(keysOf(asked).map((key) => key?.device)).size).toBe(1);
  });

  it('begin anew after a forced write that got no answer: a copy of it may arrive after the next one', async () => {
    const { client, asked } = scripted((_, index) => (index === 0 ? offline() : Response.json({ version: 4 })));
    await client.updateEntry({ ...entry, value: {}, version: -1 });
    await client.updateEntry({ ...entry, value: {}, version: -1 });
    const [force, question, next] = keysOf(asked);
    expect(question).toEqual(force);
    expect(next?.device).not.toBe(force?.device);
  });

  it('stand on each try of an edit, a new one for each', async () => {
    const stored = { currentVersion: 1, currentValue: { coins: 1 }, carriedOut: false };
    const { client, asked } = scripted(({ method }, index) => {
      if (method === 'GET') return Response.json([]);
      return index === 1 ? problem(409, 'version_mismatch', stored) : Response.json({ version: 2 });
    });
    await client.editEntry(entry, (value = {}) => ({ ...value, level: 1 }));
    const [none, first, second] = keysOf(asked);
    expect(none).toBeNull();
    expect(first?.device).toBe(second?.device);
    expect(first?.write).not.toBe(second?.write);
  });
});
