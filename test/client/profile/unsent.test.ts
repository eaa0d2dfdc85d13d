import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ProfileRoom } from '../../../src/client/profile/profile.js';
import { NoAnswerError, StateError } from '../../../src/errors.js';
import { codeOf, createWorld, meetConflict, ok, quiet, until, type World } from '../world.js';

/** What the profile of every client here does in the place of its own; each call is noted. */
const owed = vi.hoisted(() => ({
  calls: [] as string[],
  flush: async (_options?: { signal?: AbortSignal | undefined }): Promise<void> => {},
  unsent: 0,
  refresh: async (): Promise<void> => {},
  forget: async (_userId: string): Promise<void> => {},
}));

vi.mock('../../../src/client/profile/profile.js', async (original) => {
  const room = await original<typeof import('../../../src/client/profile/profile.js')>();
  return {
    ...room,
    createProfile: (...ports: Parameters<typeof room.createProfile>): ProfileRoom => ({
      ...room.createProfile(...ports),
      flush: (options) => {
        owed.calls.push('flush');
        return owed.flush(options);
      },
      unsent: () => owed.unsent,
      refresh: () => {
        owed.calls.push('refresh');
        return owed.refresh();
      },
      forget: (userId) => {
        owed.calls.push(`forget ${userId}`);
        return owed.forget(userId);
      },
    }),
  };
});

let world: World;
const before = { ...owed };
beforeEach(() => {
  Object.assign(owed, { ...before, calls: [] });
  world = createWorld();
});
afterEach(() => world.end());

const ada = { method: 'name', username: 'ada', password: 'correct horse' } as const;
const offline = async (): Promise<void> => {
  throw new NoAnswerError('network', 'no network');
};
const asked = (): number => world.sent.filter(({ path }) => /conflict/.test(path)).length;

describe('a choice in a conflict', () => {
  it.each(['local', 'cloud', 'merge'] as const)('sends first what is owed: %s', async (choice) => {
    const { conflict } = await meetConflict(world);
    let wasAsked = -1;
    owed.flush = async () => {
      wasAsked = asked();
    };
    ok(await conflict.resolve(choice));
    expect(wasAsked).toBe(0);
  });

  it.each<[string, () => Promise<void>]>([
    ['network', offline],
    [
      'value_not_storable',
      async () => {
        throw new StateError('value_not_storable' as never, 'never to be sent');
      },
    ],
  ])('fails with what that fails with (%s), and the conflict stays open', async (code, flush) => {
    const { second, own, conflict, pending } = await meetConflict(world);
    owed.flush = flush;
    for (const choice of ['local', 'cloud', 'merge'] as const) {
      expect(codeOf(await conflict.resolve(choice))).toBe(code);
    }
    expect(asked()).toBe(0);
    expect(second.auth).toMatchObject({ userId: own, state: 'conflict' });
    expect(second.conflict).toBe(conflict);
    owed.flush = async () => {};
    expect(ok(await conflict.resolve('local')).userId).toBe(own);
    expect(ok(await pending).userId).toBe(own);
  });

  it('is not made where the conflict ends meanwhile', async () => {
    const { second, own, conflict, stop, pending } = await meetConflict(world);
    let signal: AbortSignal | undefined;
    let go = (): void => {};
    owed.flush = (options) => {
      signal = options?.signal;
      return new Promise((resolve) => {
        go = resolve;
      });
    };
    const choice = conflict.resolve('cloud');
    await until(() => signal !== undefined);
    expect(signal?.aborted).toBe(false);
    stop.abort();
    expect(signal?.aborted).toBe(true);
    go();
    expect(codeOf(await choice)).toBe('conflict_cancelled');
    expect(codeOf(await pending)).toBe('aborted');
    await quiet();
    expect(asked()).toBe(0);
    expect(second.auth).toMatchObject({ userId: own, state: 'guest' });
  });

  it('never rejects, whatever it is given', async () => {
    const { conflict } = await meetConflict(world);
    owed.flush = () => {
      throw new Error('a mistake of ours');
    };
    expect(codeOf(await conflict.resolve('local'))).toBe('sdk_failed');
    expect(codeOf(await conflict.resolve('local', { signal: 'none' as never }))).toBe('sdk_failed');
    owed.flush = async () => {};
    ok(await conflict.resolve('local'));
  });
});

describe('a link', () => {
  it('sends first what is owed, so that a conflict shows it; it goes on where that fails', async () => {
    const client = await world.player();
    owed.calls.length = 0;
    owed.flush = async () => {
      expect(world.sent.some(({ path }) => path.endsWith('name'))).toBe(false);
      return offline();
    };
    ok(await client.auth.withName('ada', 'correct horse'));
    expect(owed.calls).toEqual(['flush']);
  });
});

describe('switchTo', () => {
  it('sends first what is owed, and goes on where that fails', async () => {
    const owner = await world.player();
    ok(await owner.auth.link(ada));
    const client = await world.player();
    owed.calls.length = 0;
    owed.flush = offline;
    expect(ok(await client.auth.switchTo(ada)).userId).toBe(owner.auth.userId);
    expect(owed.calls[0]).toBe('flush');
  });
});

describe('a sign-out', () => {
  it('says what stays unsent, and waits for nothing', async () => {
    const client = await world.player();
    owed.calls.length = 0;
    owed.unsent = 3;
    expect(await client.auth.signOut()).toEqual({ success: true, unsent: 3 });
    expect(owed.calls).toEqual([]);
  });
});

describe('the account', () => {
  it('restores a snapshot after what is owed, and shows it here', async () => {
    const { second, conflict } = await meetConflict(world);
    ok(await conflict.resolve('cloud'));
    const [snapshot] = await second.account.snapshots();
    owed.calls.length = 0;
    owed.refresh = offline;
    expect(await second.account.restore(snapshot?.id ?? '')).toHaveLength(1);
    expect(owed.calls).toEqual(['flush', 'refresh']);
  });

  it('restores nothing where what is owed cannot be sent', async () => {
    const client = await world.player();
    owed.flush = offline;
    const sent = world.sent.length;
    await expect(client.account.restore('a')).rejects.toMatchObject({ code: 'network' });
    expect(world.sent).toHaveLength(sent);
  });

  it('forgets what is here of it once it is deleted, and gives the code whatever comes of that', async () => {
    const client = await world.player();
    const { userId } = client.auth;
    owed.calls.length = 0;
    owed.forget = async () => {
      expect(client.auth.state).toBe('signedOut');
      throw new Error('no storage');
    };
    expect((await client.account.delete()).recoveryCode).toBeTruthy();
    expect(owed.calls).toEqual(['flush', `forget ${userId}`]);
  });
});
