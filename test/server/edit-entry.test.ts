import { describe, expect, it } from 'vitest';
import { mergeValues, noteChange } from '../../src/merge/merge-values.js';
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

describe('editEntry with merge rules', () => {
  const merge = { coins: 'sum', title: 'latest' } as const;
  const edit = (client: ReturnType<typeof scripted>['client'], more: JsonObject) =>
    client.editEntry({ ...entry, merge }, (value) => ({ ...value, ...more }));

  it('shows the change the value without its notes', async () => {
    const notes = { sums: { coins: { phone: [5, 1] } } };
    const { reply } = service({ value: { coins: 5, $savepoint: notes }, version: 0 });
    let seen: unknown;
    const edited = await scripted(reply).client.editEntry({ ...entry, merge }, (value) => {
      seen = value;
      return undefined;
    });
    expect(seen).toEqual({ coins: 5 });
    expect(edited.value).toEqual({ coins: 5 });
  });

  it('notes what it added as its own, so that a device that was away counts both', async () => {
    const base = { coins: 5, $savepoint: { sums: { coins: { phone: [5, 1] } } } };
    const { state, reply } = service({ value: base, version: 0 });
    const { client } = scripted(reply);
    expect((await edit(client, { coins: 15 })).value).toEqual({ coins: 15 });
    expect((await edit(client, { coins: 18 })).value).toEqual({ coins: 18 });
    const local = noteChange({ before: base, after: { coins: 7 }, rules: merge, device: 'phone', now: 1 });
    const cloud = state.stored?.value ?? {};
    const { stored } = mergeValues({ base, local, cloud, rules: merge });
    expect(stored['coins']).toBe(5 + 13 + 2);
    // And again, as a second device would: nothing is counted twice.
    expect(mergeValues({ base, local, cloud: stored, rules: merge }).stored['coins']).toBe(20);
  });

  it('notes when it set a field, by the clock of the client', async () => {
    const { state, reply } = service({ value: { title: 'new' }, version: 0 });
    await edit(scripted(reply, { now: () => 5_000 }).client, { title: 'old hand' });
    expect(state.stored?.value).toEqual({ title: 'old hand', $savepoint: { at: { title: 5_000 } } });
  });

  it('starts from the notes of whoever came first', async () => {
    const { state, reply } = service({ value: { coins: 1 }, version: 0 });
    const { client } = scripted((one, index) => {
      if (index === 1) {
        state.stored = { value: { coins: 4, $savepoint: { sums: { coins: { phone: [3, 1] } } } }, version: 1 };
      }
      return reply(one, index);
    });
    await client.editEntry({ ...entry, merge }, addOne);
    expect(state.stored?.value).toEqual({
      coins: 5,
      $savepoint: { sums: { coins: { phone: [3, 1], 'back-end': [1, 1] } } },
    });
  });

  it('takes a policy for the whole entry as well, and no other thing', async () => {
    const { state, reply } = service();
    const { client } = scripted(reply);
    await client.editEntry({ ...entry, merge: highestProgress('level') }, () => ({ level: 2 }));
    expect(state.stored?.value).toEqual({ level: 2 });
    for (const wrong of ['sum', null, 1, []]) {
      const call = client.editEntry({ ...entry, merge: wrong as never }, addOne);
      await expect(call).rejects.toThrow('merge must be rules by field, or a policy');
    }
  });
});
