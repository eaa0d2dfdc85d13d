import { isFailure, isSdkError } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStorage, createWorld, holdTime, ok, record, until, type World } from './world.js';

const minute = 60_000;
const ada = { method: 'name', username: 'ada', password: 'correct horse' } as const;

let world: World;
beforeEach(() => {
  holdTime(Date.UTC(2026, 0, 15, 12));
  world = createWorld({ socialPlatforms: { pals: (token) => ({ id: token }) } });
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const count = (end: string): number => world.sent.filter(({ path }) => path.endsWith(end)).length;

/** What a promise rejects with. */
const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no rejection',
    (error: unknown) => error,
  );

/** A player who has signed in by name a while ago. */
async function longAgo(options: Parameters<World['player']>[0] = {}) {
  const client = await world.player(options);
  ok(await client.auth.withName('ada', 'correct horse'));
  vi.setSystemTime(Date.now() + 16 * minute);
  return client;
}

describe('what makes a lasting way in', () => {
  it('is refused to a player who signed in long ago, with what can be shown', async () => {
    const client = await longAgo();
    const events = record(client, 'stateChanged', 'sessionExpired');
    const calls = [client.account.delete(), client.account.recoveryCode()];
    for (const error of await Promise.all(calls.map(failure))) {
      if (!isFailure(error, 'reauthentication_required')) throw error;
      expect(error.methods).toEqual(['name']);
      expect(error.retryable).toBe(false);
    }
    expect([events, count('refresh'), client.auth.state]).toEqual([[], 0, 'linked']);
  });

  it('is done once the password was shown, in the same session', async () => {
    const client = await longAgo();
    const { userId } = client.auth;
    const events = record(client, 'stateChanged', 'sessionExpired', 'initialized');
    await client.account.reauthenticate(ada);
    expect(await client.account.recoveryCode()).toMatch(/^\w{5}-/);
    expect(events).toEqual([]);
    expect(client.auth).toMatchObject({ userId, state: 'linked' });
    await client.account.delete();
    expect(client.auth.state).toBe('signedOut');
  });

  it('is done after a sign-in by the same method too', async () => {
    const client = await longAgo();
    ok(await client.auth.withName('ada', 'correct horse'));
    expect(await client.account.recoveryCode()).toMatch(/^\w{5}-/);
  });

  it('is done for a guest without a question: the device is shown', async () => {
    const client = await world.player();
    vi.setSystemTime(Date.now() + 16 * minute);
    const { userId } = client.auth;
    expect(await client.account.recoveryCode()).toMatch(/^\w{5}-/);
    expect(count('recovery-code')).toBe(2);
    // For the next quarter of an hour that is enough.
    await client.account.recoveryCode();
    expect(count('recovery-code')).toBe(3);
    expect(client.auth).toMatchObject({ userId, state: 'guest' });
  });

  it('is known to the other tabs as soon as it was shown', async () => {
    const storage = createMemoryStorage();
    const client = await longAgo({ storage });
    const tab = await world.player({ storage });
    vi.setSystemTime(Date.now() + 1_000);
    await client.account.reauthenticate(ada);
    await vi.waitFor(async () => expect(await tab.auth.getAccessToken()).toBe(await client.auth.getAccessToken()));
    expect(await tab.account.recoveryCode()).toMatch(/^\w{5}-/);
  });
});

describe('reauthenticate', () => {
  it('takes no wrong password and no method of another account, and signs nobody out', async () => {
    const client = await longAgo();
    const other = await world.player();
    ok(await other.auth.withSocialToken('theirs'));
    for (const [credential, code] of [
      [{ ...ada, password: 'wrong password' }, 'invalid_credentials'],
      [{ ...ada, username: 'nobody' }, 'invalid_credentials'],
      [{ method: 'social', token: 'theirs' }, 'invalid_credentials'],
      [{ method: 'social', token: 'nobody' }, 'user_not_found'],
    ] as const) {
      const error = await failure(client.account.reauthenticate(credential));
      expect(isSdkError(error) ? error.code : error).toBe(code);
    }
    expect(client.auth.state).toBe('linked');
    expect(await client.account.methods()).toHaveLength(2);
    const after = await failure(client.account.recoveryCode());
    expect(isFailure(after, 'reauthentication_required')).toBe(true);
  });

  it('throws TypeError for what is no credential', async () => {
    const client = await longAgo();
    expect(() => client.account.reauthenticate({ method: 'name', username: 'ada' } as never)).toThrow(TypeError);
    expect(() => client.account.reauthenticate(undefined as never)).toThrow('method must be');
  });

  it('leaves an account alone that has come meanwhile', async () => {
    let release: (() => void) | undefined;
    let isHeld = false;
    const client = await longAgo({
      fetch: async (request) => {
        const answer = await world.backend.fetch(request);
        if (!isHeld || !request.url.endsWith('/name')) return answer;
        return new Promise((resolve) => {
          release = () => resolve(answer);
        });
      },
    });
    isHeld = true;
    const shown = failure(client.account.reauthenticate(ada));
    await until(() => release !== undefined);
    ok(await client.auth.signOut());
    const { userId } = ok(await client.auth.withSocialToken('theirs'));
    release?.();
    expect(await shown).toMatchObject({ code: 'aborted' });
    expect(client.auth).toMatchObject({ userId, state: 'linked' });
  });
});
