import { isSdkError } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWorld, holdTime, ok, quiet, record, type World } from './world.js';

const day = 86_400_000;
const start = Date.UTC(2026, 0, 15, 12);
const ada = { method: 'name', username: 'ada', password: 'correct horse' } as const;

let world: World;
beforeEach(() => {
  holdTime(start);
  world = createWorld();
});
afterEach(() => {
  world.end();
  vi.useRealTimers();
});

const refusal = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no rejection',
    (error: unknown) => (isSdkError(error) ? error.code : error),
  );

/** A player on two devices, both of which lead to the account: the second one by the choice in a conflict. */
async function onTwoDevices() {
  const first = await world.player();
  ok(await first.auth.withName('ada', 'correct horse'));
  vi.setSystemTime(start + 1_000);
  const second = await world.player({ deviceId: 'the-second-device' });
  second.events.on('conflict', (conflict) => void conflict.resolve('cloud'));
  ok(await second.auth.withName('ada', 'correct horse'));
  return { first, second };
}

describe('devices', () => {
  it('are those that lead to the account: since when, and when they were last used', async () => {
    const { first, second } = await onTwoDevices();
    vi.setSystemTime(start + day + 5);
    await second.account.methods();
    const id = expect.stringMatching(/^[\w-]{22}$/) as string;
    expect(await first.account.devices()).toEqual([
      { id, linkedAt: start, lastUsedAt: start + day + 5, isCurrent: true },
      { id, linkedAt: start + 1_000, lastUsedAt: start + day + 5, isCurrent: false },
    ]);
    expect((await second.account.devices()).map(({ isCurrent }) => isCurrent)).toEqual([false, true]);
    const methods = await first.account.methods();
    expect(methods.map(({ method, lastUsedAt }) => [method, lastUsedAt])).toEqual([
      ['device', start + day + 5],
      ['name', start + day + 5],
      ['device', start + day + 5],
    ]);
  });

  it('are named by what lets nobody in', async () => {
    const { first } = await onTwoDevices();
    const [, { id } = { id: '' }] = await first.account.devices();
    expect(id).not.toContain('second');
    const thief = await world.player({ deviceId: id });
    expect(thief.auth.userId).not.toBe(first.auth.userId);
  });
});

describe('revokeDevice', () => {
  it('ends the sessions on a device, which is a new guest from then on', async () => {
    const { first, second } = await onTwoDevices();
    const [, other] = await first.account.devices();
    const events = record(second, 'sessionExpired');
    await first.account.revokeDevice(other?.id ?? '');
    expect((await first.account.devices()).map(({ isCurrent }) => isCurrent)).toEqual([true]);
    await refusal(second.account.methods());
    await quiet();
    expect(second.auth.userId).not.toBe(first.auth.userId);
    expect(events.length).toBeLessThan(2);
    expect(first.auth.state).toBe('linked');
    ok(await (await world.player()).auth.switchTo(ada));
  });

  it('refuses what is no device of the account, and the last way in', async () => {
    const { first } = await onTwoDevices();
    const stranger = await world.player();
    const [own] = await stranger.account.devices();
    expect(await refusal(first.account.revokeDevice(own?.id ?? ''))).toBe('not_found');
    expect(await refusal(first.account.revokeDevice('unknown'))).toBe('not_found');
    expect(await refusal(stranger.account.revokeDevice(own?.id ?? ''))).toBe('would_orphan');
    expect(() => first.account.revokeDevice('a/b')).toThrow(TypeError);
  });

  it('is done once where the answer was lost', async () => {
    const { first } = await onTwoDevices();
    const [, other] = await first.account.devices();
    world.backend.control.fail({ route: 'revokeDevice', with: 'lost-answer' });
    await first.account.revokeDevice(other?.id ?? '');
    expect(await first.account.devices()).toHaveLength(1);
  });
});

describe('signOutEverywhere with unlinkSince', () => {
  it('takes away what was linked since, and the player goes on here', async () => {
    const { first, second } = await onTwoDevices();
    const { userId } = first.auth;
    const events = record(first, 'stateChanged', 'sessionExpired', 'initialized');
    const token = await first.auth.getAccessToken();
    await first.account.signOutEverywhere({ unlinkSince: new Date(start + 1_000) });
    expect(first.auth).toMatchObject({ userId, state: 'linked' });
    expect(await first.auth.getAccessToken()).not.toBe(token);
    expect(events).toEqual([]);
    expect(await first.account.devices()).toMatchObject([{ isCurrent: true }]);
    await refusal(second.account.methods());
    await quiet();
    expect(second.auth.userId).not.toBe(userId);
  });

  it('signs out here where the answer was lost, and has been done', async () => {
    const { first } = await onTwoDevices();
    world.backend.control.fail({ route: 'signOutOthers', with: 'lost-answer' });
    await first.account.signOutEverywhere({ unlinkSince: start + 1_000 });
    expect(first.auth.state).toBe('signedOut');
    const again = await world.player();
    ok(await again.auth.switchTo(ada));
    expect(await again.account.devices()).toHaveLength(1);
  });

  it('wants a player who has shown a method lately, and a moment', async () => {
    const { first } = await onTwoDevices();
    vi.setSystemTime(start + 20 * 60_000);
    const call = () => first.account.signOutEverywhere({ unlinkSince: start });
    expect(await refusal(call())).toBe('reauthentication_required');
    await first.account.reauthenticate(ada);
    await call();
    expect((await first.account.methods()).map(({ method }) => method)).toEqual(['name']);
    for (const unlinkSince of ['now', Number.NaN, new Date('never'), -1]) {
      expect(await failureOf(() => first.account.signOutEverywhere({ unlinkSince: unlinkSince as number }))).toBe(
        'unlinkSince must be a Date or ms since 1970',
      );
    }
  });
});

/** The message of the TypeError that a call throws, at once or later. */
async function failureOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    await call();
    return 'nothing was thrown';
  } catch (error) {
    return error instanceof TypeError ? error.message : error;
  }
}
