import { type AppConfig, Auth, Events, Main, Profile, type SystemProfileConflict } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { authenticateForGame } from '../../support/service.js';
import { createMemoryStorage, createWorld, ok, quiet, type World } from '../world.js';

let world: World;
const offs: (() => void)[] = [];
beforeEach(() => {
  world = createWorld();
});
afterEach(() => {
  Main.Dispose();
  for (const off of offs.splice(0)) off();
  world.end();
});

const config = (options: Partial<AppConfig> = {}): AppConfig => ({
  GameId: world.service.gameId,
  Environment: 0,
  BaseUrl: world.service.baseUrl,
  Storage: createMemoryStorage(),
  Fetch: world.service.fetch,
  ...options,
});

const localSaves = { length: 1, key: () => 'slot', getItem: () => '{"level":4}' };

const codeOf = (result: { Success: boolean; Error?: { code: string } }): string | undefined => result.Error?.code;

function listen<Name extends Parameters<typeof Events.on>[0]>(name: Name, log: unknown[]): void {
  offs.push(Events.on(name, (payload) => void log.push(payload)));
}

describe('Main', () => {
  it('initialises, calls OnReadyCallback once and before the promise settles', async () => {
    const order: unknown[] = [];
    const result = await Main.Init(config({ OnReadyCallback: (response) => void order.push(response) })).then(
      (settled) => {
        order.push('settled');
        return settled;
      },
    );
    expect(result).toEqual({ Success: true, UserId: Auth.GetUserId() });
    expect(order).toEqual([result, 'settled']);
    expect(Auth.IsAuthorized()).toBe(true);
  });

  it('gives the first promise for the same configuration, though it was made anew', async () => {
    const first = Main.Init(config());
    expect(Main.Init(config())).toBe(first);
    await first;
    expect(Main.Init(config())).toBe(first);
  });

  it('tries again where Init has failed and is called again, once for all who ask', async () => {
    world.backend.control.fail({ with: 'offline', times: 3 });
    const callback = vi.fn();
    const failed = await Main.Init(config({ OnReadyCallback: callback }));
    expect(codeOf(failed)).toBe('network');
    const second = Main.Init(config({ OnReadyCallback: callback }));
    expect(Main.Init(config({ OnReadyCallback: callback }))).toBe(second);
    const result = await second;
    expect(result).toMatchObject({ Success: true, UserId: Auth.GetUserId() });
    expect(callback.mock.calls).toEqual([[failed], [result]]);
    expect(Main.Init(config({ OnReadyCallback: callback }))).toBe(second);
  });

  it('calls the callback of a second Init once as well', async () => {
    const callback = vi.fn();
    const first = Main.Init(config());
    const second = Main.Init(config({ OnReadyCallback: callback }));
    const result = await first;
    expect(await second).toEqual(result);
    await Main.Init(config({ OnReadyCallback: callback }));
    expect(callback.mock.calls).toEqual([[result], [result]]);
  });

  it('refuses another configuration until Dispose, and stays what it is', async () => {
    const first = Main.Init(config());
    await first;
    const user = Auth.GetUserId();
    expect(codeOf(await Main.Init(config({ Environment: 1 })))).toBe('already_initialised');
    expect(Main.Init(config())).toBe(first);
    expect(Auth.GetUserId()).toBe(user);
    Main.Dispose();
    expect(Auth.IsAuthorized()).toBe(false);
    expect((await Main.Init(config({ Environment: 1 }))).Success).toBe(true);
  });

  it.each([
    ['GameId', { GameId: 'nothing' }],
    ['Environment', { Environment: 9 as never }],
    ['BaseUrl', { BaseUrl: 'saves' }],
    ['Storage', { Storage: {} as never }],
    ['TimeoutMs', { TimeoutMs: -1 }],
  ])('answers Success false with the name of a wrong %s, and may be tried again', async (option, wrong) => {
    const callback = vi.fn();
    const result = await Main.Init(config({ ...wrong, OnReadyCallback: callback }));
    expect(result).toMatchObject({ Success: false, Error: { code: 'invalid_argument' } });
    expect((result as { Error: Error }).Error.message).toMatch(new RegExp(`^${option} must be`));
    expect(callback.mock.calls).toEqual([[result]]);
    expect((await Main.Init(config())).Success).toBe(true);
  });

  it.each([[undefined], [null], [7], ['config'], [[]]])('answers Success false for %o', async (wrong) => {
    expect(await Main.Init(wrong as never)).toMatchObject({ Success: false });
  });

  it('gives the client behind it, for what the interface has no name for', async () => {
    await Main.Init(config());
    expect(Main.Client().auth.userId).toBe(Auth.GetUserId());
    expect(await Main.Client().account.methods()).toMatchObject([{ method: 'device' }]);
    Main.Dispose();
    expect(() => Main.Client()).toThrow(/Init/);
  });

  it("tells the service's clock", async () => {
    await Main.Init(config());
    world.backend.control.advance(86_400_000);
    await Auth.SignOut(world.service.gameId, 0);
    await Auth.AsGuest();
    expect(Main.GetServerTime()).toBeGreaterThan(Date.now() + 86_000_000);
  });
});

describe('Auth', () => {
  it('answers not_initialised before Init, through the callback as well', async () => {
    const callback = vi.fn();
    const result = await Auth.WithName('ada', 'correct horse', callback);
    expect(codeOf(result)).toBe('not_initialised');
    expect(callback.mock.calls).toEqual([[result]]);
    expect(codeOf(await Auth.SignOut(world.service.gameId, 0))).toBe('not_initialised');
    expect(Auth.GetUserId()).toBeNull();
    expect(() => Profile.Collection('progress')).toThrow(/Init/);
    expect(() => Profile.Follow()).toThrow(/Init/);
    expect(() => Profile.ImportFrom(localSaves, () => null)).toThrow(/Init/);
    expect(() => Main.Client()).toThrow(/Init/);
  });

  it('calls each callback once, just before the promise settles, and reports one that throws', async () => {
    await Main.Init(config());
    const reported = vi.fn();
    vi.stubGlobal('reportError', reported);
    const order: unknown[] = [];
    const mistake = new Error('a bug of the game');
    const result = await Auth.WithName('ada', 'correct horse', (given) => {
      order.push(given);
      throw mistake;
    }).finally(() => order.push('settled'));
    expect(order).toEqual([{ Success: true, UserId: Auth.GetUserId() }, 'settled']);
    expect(result.Success).toBe(true);
    expect(reported.mock.calls).toEqual([[mistake]]);
    vi.unstubAllGlobals();
  });

  it.each([
    ['Username', () => Auth.WithName(undefined as never, 'correct horse')],
    ['Password', () => Auth.WithName('ada', 8 as never)],
    ['Token', () => Auth.WithIdentityToken('')],
    ['UserId', () => Auth.External('', 'token')],
    ['Callback', () => Auth.AsGuest('callback' as never)],
  ])('never rejects, also for a wrong %s', async (name, call) => {
    await Main.Init(config());
    expect(await call()).toMatchObject({
      Success: false,
      Error: { code: 'invalid_argument', message: expect.stringMatching(new RegExp(`^${name} must be`)) },
    });
  });

  it('signs out of this game only', async () => {
    await Main.Init(config());
    expect(codeOf(await Auth.SignOut(world.service.gameId, 2))).toBe('wrong_game');
    expect(codeOf(await Auth.SignOut('another game', 0))).toBe('wrong_game');
    expect(Auth.IsAuthorized()).toBe(true);
    const callback = vi.fn();
    await Auth.SignOut(world.service.gameId, 0, callback);
    expect(callback.mock.calls).toEqual([[{ Success: true, Unsent: 0 }]]);
    expect(Auth.IsAuthorized()).toBe(false);
  });

  it('External holds at once inside OnReadyCallback', async () => {
    const { userId, accessToken, country, time } = await authenticateForGame(world.service);
    const seen: unknown[] = [];
    let external: Promise<unknown> | undefined;
    const ready = await Main.Init(
      config({
        AutoLogin: false,
        OnReadyCallback: (response) => {
          external = Auth.External(userId, accessToken, country, time);
          seen.push(response, Auth.IsAuthorized(), Auth.GetUserId());
        },
      }),
    );
    expect(ready).toEqual({ Success: true, UserId: null });
    expect(seen).toEqual([ready, true, userId]);
    expect(await external).toEqual({ Success: true, UserId: userId });
    const progress = Profile.Collection('progress');
    await progress.set('main', { level: 1 });
    await progress.flush();
    expect(await progress.load()).toMatchObject([{ key: 'main', version: 0 }]);
  });
});

describe('Profile', () => {
  it('takes over former saves, and follows what other devices write', async () => {
    await Main.Init(config());
    const progress = Profile.Collection('progress');
    const taken = await Profile.ImportFrom(localSaves, (key) => ({ collection: 'progress', key }));
    expect(taken).toMatchObject({ taken: ['slot'], refused: [] });
    expect(progress.get('slot')).toEqual({ level: 4 });
    expect(() => Profile.Follow({ everyMs: 5 })).toThrow(TypeError);
    const stop = Profile.Follow();
    expect(stop()).toBeUndefined();
  });
});

describe('Events', () => {
  it('works before Init and survives Dispose', async () => {
    const log: unknown[] = [];
    listen('OnSmartObjectsInitialized', log);
    await Main.Init(config());
    expect(log).toEqual([{ UserId: Auth.GetUserId(), Reason: 'start' }]);
    Main.Dispose();
    await Main.Init(config());
    expect(log).toHaveLength(2);
  });

  it('raises the rest under the names of the interface', async () => {
    const log: unknown[] = [];
    listen('OnStateChanged', log);
    listen('OnStorageDegraded', log);
    const values = new Map<string, string>();
    let isFull = false;
    await Main.Init(
      config({
        Storage: {
          getItem: (key) => values.get(key) ?? null,
          setItem: (key, value) => {
            if (isFull) throw new Error('full');
            values.set(key, value);
          },
          removeItem: (key) => void values.delete(key),
        },
      }),
    );
    isFull = true;
    void Auth.SignOut(world.service.gameId, 0);
    await vi.waitUntil(() => log.length > 2);
    expect(log).toEqual([
      { State: 'guest', Previous: 'starting' },
      { From: 'custom', To: 'memory' },
      { State: 'signedOut', Previous: 'guest' },
    ]);
  });

  it('refuses a name that is none', () => {
    expect(() => Events.on('OnNothing' as never, () => {})).toThrow(TypeError);
    expect(() => Events.on('OnStateChanged', 1 as never)).toThrow(TypeError);
  });

  it('once hears one, off hears none', async () => {
    const log: unknown[] = [];
    const listener = (payload: unknown): void => void log.push(payload);
    Events.once('OnStateChanged', listener);
    await Main.Init(config());
    await Auth.SignOut(world.service.gameId, 0);
    expect(log).toHaveLength(1);
    Events.on('OnStateChanged', listener);
    Events.off('OnStateChanged', listener);
    await Auth.AsGuest();
    expect(log).toHaveLength(1);
  });

  it('off ends a once, and one of two equal registrations', async () => {
    const log: unknown[] = [];
    const listener = (payload: unknown): void => void log.push(payload);
    Events.once('OnStateChanged', listener);
    Events.off('OnStateChanged', listener);
    await Main.Init(config());
    expect(log).toEqual([]);
    offs.push(Events.on('OnStateChanged', listener));
    Events.on('OnStateChanged', listener);
    Events.off('OnStateChanged', listener);
    await Auth.SignOut(world.service.gameId, 0);
    expect(log).toEqual([{ State: 'signedOut', Previous: 'guest' }]);
  });

  it('OnSystemProfileConflictAppeared gives both sides and the choice', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const conflicts: SystemProfileConflict[] = [];
    offs.push(
      Events.on('OnSystemProfileConflictAppeared', (conflict) => {
        conflicts.push(conflict);
        void conflict.Resolve('Cloud');
      }),
    );
    const loaded: unknown[] = [];
    await Main.Init(config());
    listen('OnSmartObjectsInitialized', loaded);
    const local = Auth.GetUserId();
    expect(await Auth.WithName('ada', 'correct horse')).toEqual({ Success: true, UserId: owner.auth.userId });
    expect(conflicts).toMatchObject([
      { Method: 'name', Local: { UserId: local }, Cloud: { UserId: owner.auth.userId }, Kind: 'fast-forward' },
    ]);
    expect(conflicts).toMatchObject([{ Ahead: 'Cloud', Diff: [], Mergeable: true, ExpiresAt: expect.any(Number) }]);
    expect(loaded).toEqual([{ UserId: owner.auth.userId, Reason: 'cloud' }]);
  });

  it('does not count as a listener for a conflict that the game has not subscribed to', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    listen('OnStateChanged', []);
    await Main.Init(config());
    expect(codeOf(await Auth.WithName('ada', 'correct horse'))).toBe('conflict_unhandled');
  });

  it('answers Success false for a choice that is none, and Cancel closes', async () => {
    const owner = await world.player();
    ok(await owner.auth.withName('ada', 'correct horse'));
    const heard = new Promise<SystemProfileConflict>((resolve) =>
      offs.push(Events.on('OnSystemProfileConflictAppeared', resolve)),
    );
    await Main.Init(config());
    const pending = Auth.WithName('ada', 'correct horse');
    const conflict = await heard;
    expect(codeOf(await conflict.Resolve('Neither' as never))).toBe('invalid_argument');
    expect(codeOf(await conflict.Resolve('Cancel'))).toBe('conflict_cancelled');
    expect(codeOf(await pending)).toBe('conflict_cancelled');
  });
});

it('a disposed client lets go of everything that was under way', async () => {
  const ready = Main.Init(config());
  const linking = Auth.WithName('ada', 'correct horse');
  Main.Dispose();
  expect(codeOf(await ready)).toBe('aborted');
  expect(codeOf(await linking)).toBe('aborted');
  await quiet();
  expect(Auth.GetUserId()).toBeNull();
});
