import { describe, expect, it } from 'vitest';
import { mergeValues } from '../../src/merge/merge-values.js';
import { highestProgress, type JsonObject } from '../../src/server/index.js';
import { type Asked, offline, problem, type Reply, scripted, userId } from './scripted-client.js';

const entry = { userId, collection: 'profile', key: 'wallet' };

interface Stored {
  value: JsonObject;
  version: number;
}

/** One entry as the service keeps it (gaps: compare-and-set, -1 writes over everything unless it may only create). */
function service(stored: Stored | null = null, { ignoresHeader = false } = {}) {
  const state = { stored };
  const reply: Reply = ({ method, body, headers }) => {
    const { stored: now } = state;
    if (method === 'GET') return Response.json(now === null ? [] : [{ key: entry.key, ...now }]);
    const { value, version } = JSON.parse(body) as Stored;
    const createOnly = headers.get('if-none-match') === '*' && !ignoresHeader;
    if (createOnly ? now !== null : version !== -1 && version !== now?.version) {
      const current = { currentVersion: now?.version ?? -1, ...(now === null ? {} : { currentValue: now.value }) };
      return problem(409, 'version_mismatch', current);
    }
    state.stored = { value, version: (now?.version ?? -1) + 1 };
    return Response.json({ version: state.stored.version });
  };
  return { state, reply };
}

const addOne = ({ coins = 0 }: JsonObject = {}): JsonObject => ({ coins: Number(coins) + 1 });
const methods = (asked: Asked[]): string[] => asked.map(({ method }) => method);

describe('editEntry', () => {
  it('writes what the change makes of the entry, based on the version that it read', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client, asked } = scripted(reply);
    expect(await client.editEntry(entry, addOne)).toEqual({ changed: true, value: { coins: 6 }, version: 4 });
    expect(state.stored).toEqual({ value: { coins: 6 }, version: 4 });
    expect(methods(asked)).toEqual(['GET', 'PATCH']);
  });

  it('starts over from what the refusal carries, without reading again', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client, asked } = scripted((one, index) => {
      if (index === 1) state.stored = { value: { coins: 50 }, version: 4 };
      return reply(one, index);
    });
    expect(await client.editEntry(entry, addOne)).toMatchObject({ value: { coins: 51 }, version: 5 });
    expect(methods(asked)).toEqual(['GET', 'PATCH', 'PATCH']);
  });

  it('reads again where the refusal does not say what is stored', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client, asked } = scripted((one, index) => {
      if (index !== 1) return reply(one, index);
      state.stored = { value: { coins: 50 }, version: 4 };
      return problem(409, 'version_mismatch');
    });
    expect(await client.editEntry(entry, addOne)).toMatchObject({ value: { coins: 51 }, version: 5 });
    expect(methods(asked)).toEqual(['GET', 'PATCH', 'GET', 'PATCH']);
  });

  it('waits for a change that waits', async () => {
    const { reply } = service({ value: { coins: 5 }, version: 3 });
    const edited = await scripted(reply).client.editEntry(entry, async (value) => addOne(value));
    expect(edited.value).toEqual({ coins: 6 });
  });

  it('leaves the entry alone where the change gives undefined', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client, asked } = scripted(reply);
    expect(await client.editEntry(entry, () => undefined)).toEqual({ changed: false, value: { coins: 5 }, version: 3 });
    expect(state.stored?.version).toBe(3);
    expect(methods(asked)).toEqual(['GET']);
  });

  it('leaves an absent entry absent', async () => {
    const { state, reply } = service();
    const edited = await scripted(reply).client.editEntry(entry, () => undefined);
    expect(edited).toEqual({ changed: false, value: undefined, version: -1 });
    expect(state.stored).toBeNull();
  });

  it('fails with what the change throws, and writes nothing', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const call = scripted(reply).client.editEntry(entry, () => {
      throw new RangeError('not enough coins');
    });
    await expect(call).rejects.toThrow(new RangeError('not enough coins'));
    expect(state.stored?.version).toBe(3);
  });

  it('refuses a change that gives what cannot be stored', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const call = scripted(reply).client.editEntry(entry, () => ({ coins: Number.NaN }));
    await expect(call).rejects.toThrow(TypeError);
    expect(state.stored?.version).toBe(3);
  });

  it('refuses a change that is no function', async () => {
    const call = scripted(service().reply).client.editEntry(entry, { coins: 1 } as never);
    await expect(call).rejects.toThrow('change must be a function');
  });

  it('gives up after 64 tries with an error that says so', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client, asked } = scripted((one, index) => {
      if (one.method === 'PATCH' && state.stored !== null)
        state.stored = { value: {}, version: state.stored.version + 1 };
      return reply(one, index);
    });
    await expect(client.editEntry(entry, addOne)).rejects.toMatchObject({
      code: 'version_mismatch',
      retryable: true,
      message: expect.stringContaining('64 tries'),
    });
    expect(asked).toHaveLength(1 + 64);
  });

  it('does not make a change twice whose answer got lost', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client } = scripted(async (one, index) => {
      const answer = await reply(one, index);
      return index === 1 ? offline() : answer;
    });
    expect(await client.editEntry(entry, addOne)).toMatchObject({ value: { coins: 6 }, version: 4 });
    expect(state.stored).toEqual({ value: { coins: 6 }, version: 4 });
  });

  it('does not guess where the answer got lost and others wrote on', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client } = scripted(async (one, index) => {
      const answer = await reply(one, index);
      if (index !== 1) return answer;
      state.stored = { value: { coins: 60 }, version: 5 };
      return offline();
    });
    await expect(client.editEntry(entry, addOne)).rejects.toMatchObject({ code: 'network' });
    expect(state.stored?.value).toEqual({ coins: 60 });
  });

  it('stops when its signal is aborted between two tries', async () => {
    const controller = new AbortController();
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const call = scripted(reply).client.editEntry({ ...entry, signal: controller.signal }, (value) => {
      controller.abort();
      return addOne(value);
    });
    await expect(call).rejects.toMatchObject({ code: 'aborted' });
    expect(state.stored?.version).toBe(3);
  });
});

describe('editEntry on an absent entry', () => {
  it('creates it, and only where it still is absent', async () => {
    const { state, reply } = service();
    const { client, asked } = scripted(reply);
    expect(await client.editEntry(entry, addOne)).toEqual({ changed: true, value: { coins: 1 }, version: 0 });
    expect(state.stored).toEqual({ value: { coins: 1 }, version: 0 });
    expect(methods(asked)).toEqual(['GET', 'PATCH']);
    expect(asked[1]?.headers.get('if-none-match')).toBe('*');
    expect(JSON.parse(asked[1]?.body ?? '')).toMatchObject({ version: -1 });
  });

  it('does not write over an entry that came while the change was thinking', async () => {
    const { state, reply } = service();
    let calls = 0;
    const { client } = scripted(reply);
    const edited = await client.editEntry(entry, async (value) => {
      calls += 1;
      if (calls === 1) state.stored = { value: { coins: 70 }, version: 0 };
      return addOne(value);
    });
    expect(edited).toMatchObject({ value: { coins: 71 }, version: 1 });
  });

  it('loses none of 20 edits at once, by two clients', async () => {
    const { state, reply } = service();
    const waiting: Reply = async (one, index) => {
      await Promise.resolve();
      return reply(one, index);
    };
    const [one, other] = [scripted(waiting).client, scripted(waiting).client];
    const edits = Array.from({ length: 10 }, () => [one.editEntry(entry, addOne), other.editEntry(entry, addOne)]);
    await Promise.all(edits.flat());
    expect(state.stored).toEqual({ value: { coins: 20 }, version: 19 });
  });

  it('starts over from what another process created in the same moment', async () => {
    const { state, reply } = service();
    const { client } = scripted((one, index) => {
      if (index === 1) state.stored = { value: { coins: 30 }, version: 0 };
      return reply(one, index);
    });
    expect(await client.editEntry(entry, addOne)).toEqual({ changed: true, value: { coins: 31 }, version: 1 });
  });

  it('does not create it twice where the answer got lost', async () => {
    const { state, reply } = service();
    const { client } = scripted(async (one, index) => {
      const answer = await reply(one, index);
      return index === 1 ? offline() : answer;
    });
    expect(await client.editEntry(entry, addOne)).toMatchObject({ value: { coins: 1 }, version: 0 });
    expect(state.stored).toEqual({ value: { coins: 1 }, version: 0 });
  });

  it('says so where the service knows no condition and has overwritten what another process created', async () => {
    const { state, reply } = service(null, { ignoresHeader: true });
    const { client } = scripted((one, index) => {
      if (one.method === 'PATCH') state.stored = { value: { coins: 30 }, version: 0 };
      return reply(one, index);
    });
    await expect(client.editEntry(entry, addOne)).rejects.toMatchObject({ code: 'entry_overwritten' });
  });

  it('is created again by the next edit where it is gone', async () => {
    const { state, reply } = service({ value: { coins: 5 }, version: 3 });
    const { client } = scripted((one, index) => {
      if (index === 1) state.stored = null;
      return reply(one, index);
    });
    expect(await client.editEntry(entry, addOne)).toMatchObject({ value: { coins: 1 }, version: 0 });
  });
});

describe('editEntry on what an earlier version of this package has stored', () => {
  const notes = { sums: { coins: { phone: [5, 1] } }, at: { title: 1 } };

  it('shows the change the value as the game set it', async () => {
    const { state, reply } = service({ value: { coins: 5, $savepoint: notes }, version: 0 });
    const seen: unknown[] = [];
    const edited = await scripted(reply).client.editEntry(entry, (value) => void seen.push(value));
    expect(seen).toEqual([{ coins: 5 }]);
    expect(edited).toEqual({ changed: false, value: { coins: 5 }, version: 0 });
    expect(state.stored).toEqual({ value: { coins: 5, $savepoint: notes }, version: 0 });
  });

  it('writes what the change gave, and nothing else', async () => {
    const { state, reply } = service({ value: { coins: 5, $savepoint: notes }, version: 0 });
    const { client } = scripted(reply);
    const edited = await client.editEntry(entry, (value) => ({ ...value, ...addOne(value) }));
    expect(edited).toEqual({ changed: true, value: { coins: 6 }, version: 1 });
    expect(state.stored).toEqual({ value: { coins: 6 }, version: 1 });
  });

  it('shows none of it either where another write came first, and read nothing again', async () => {
    const { state, reply } = service({ value: { coins: 1 }, version: 0 });
    const { client, asked } = scripted((one, index) => {
      if (index === 1) state.stored = { value: { coins: 4, $savepoint: notes }, version: 1 };
      return reply(one, index);
    });
    const seen: unknown[] = [];
    await client.editEntry(entry, (value) => {
      seen.push(value);
      return { ...value, ...addOne(value) };
    });
    expect(seen).toEqual([{ coins: 1 }, { coins: 4 }]);
    expect(state.stored).toEqual({ value: { coins: 5 }, version: 2 });
    expect(methods(asked)).toEqual(['GET', 'PATCH', 'PATCH']);
  });

  it('shows none of it where it had to read again', async () => {
    const { state, reply } = service({ value: { coins: 1 }, version: 0 });
    const { client } = scripted((one, index) => {
      if (index !== 1) return reply(one, index);
      state.stored = { value: { coins: 4, $savepoint: notes }, version: 1 };
      return problem(409, 'version_mismatch');
    });
    const seen: unknown[] = [];
    await client.editEntry(entry, (value) => {
      seen.push(value);
      return addOne(value);
    });
    expect(seen).toEqual([{ coins: 1 }, { coins: 4 }]);
  });
});

describe('editEntry with merge rules', () => {
  const merge = { coins: 'sum', title: 'latest' } as const;
  const change = (value: JsonObject = {}): JsonObject => ({
    ...value,
    coins: Number(value['coins'] ?? 0) + 1,
    title: 'x',
  });

  it('writes the same as without them', async () => {
    for (const stored of [null, { value: { coins: 5, title: 'old' }, version: 3 }]) {
      const bodies = await Promise.all(
        [{}, { merge }, { merge: highestProgress('coins') }].map(async (option) => {
          const { client, asked } = scripted(service(stored).reply, { now: () => 5_000 });
          const edited = await client.editEntry({ ...entry, ...option }, change);
          return [edited, asked.map(({ method, body }) => [method, body])];
        }),
      );
      const coins = stored === null ? 1 : 6;
      expect(bodies[0]?.[0]).toMatchObject({ changed: true, value: { coins, title: 'x' } });
      expect(bodies.slice(1)).toEqual([bodies[0], bodies[0]]);
    }
  });

  it('counts beside a device that was away, and the device beside it', async () => {
    const base = { coins: 5 };
    const { state, reply } = service({ value: base, version: 0 });
    const { client } = scripted(reply);
    await client.editEntry({ ...entry, merge }, (value) => ({ ...value, coins: 15 }));
    await client.editEntry({ ...entry, merge }, (value) => ({ ...value, coins: Number(value?.['coins']) + 3 }));
    const cloud = state.stored?.value ?? {};
    const { value } = mergeValues({ base, local: { coins: 7 }, cloud, rules: merge });
    expect(value).toEqual({ coins: 5 + 13 + 2 });
  });

  it('takes a policy for the whole entry as well', async () => {
    const { state, reply } = service();
    const { client } = scripted(reply);
    await client.editEntry({ ...entry, merge: highestProgress('level') }, () => ({ level: 2 }));
    expect(state.stored?.value).toEqual({ level: 2 });
  });
});
