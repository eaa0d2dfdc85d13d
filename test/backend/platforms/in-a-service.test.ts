import type { LogRecord } from 'savepoint/backend';
import {
  crazyGames,
  custom,
  discord,
  facebookInstant,
  network,
  signedToken,
  steam,
  telegram,
} from 'savepoint/backend/platforms';
import { beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../src/protocol/operations.js';
import { createTestService, post, testGameId, testStart } from '../../support/service.js';
import { createDoubles, type PlatformDouble } from './doubles.js';

const functions = { discord, steam, crazyGames, telegram, facebookInstant, signedToken, network } as const;

let doubles: { [preset: string]: PlatformDouble };

beforeAll(async () => {
  doubles = await createDoubles();
});

describe.each(Object.keys(functions) as (keyof typeof functions)[])(
  '%s, as a game gives it to `socialPlatforms`',
  (name) => {
    function open(fetch = doubles[name]?.fetch ?? undefined) {
      const { settings } = doubles[name] as PlatformDouble;
      const options = ['telegram', 'facebookInstant'].includes(name) ? settings : { ...settings, fetch };
      const records: LogRecord[] = [];
      const service = createTestService({
        game: { socialPlatforms: { [name]: functions[name](options as never) } },
        log: (record) => records.push(record),
      });
      const signIn = async (token: string) => {
        const { status, body } = await post(service, operations.signInWithSocialToken.path, { token });
        return { code: status === 200 ? 'ok' : body.code, userId: body.userId, told: JSON.stringify([body, records]) };
      };
      return signIn;
    }

    it('lets a player in, the same one each time, and nobody with the token of another app', async () => {
      const { player, tokenFor, tokenForAnotherApp } = doubles[name] as PlatformDouble;
      const signIn = open();
      const one = await signIn(await tokenFor(player.id, testStart));
      expect(one.code).toBe('ok');
      expect((await signIn(await tokenFor(player.id, testStart))).userId).toBe(one.userId);
      expect((await signIn(await tokenForAnotherApp(player.id, testStart))).code).toBe('invalid_credentials');
      expect((await signIn('nonsense')).code).toBe('invalid_credentials');
    });

    it('has the player try again while the platform is away, and tells nobody the token', async () => {
      const double = doubles[name] as PlatformDouble;
      const token = await double.tokenFor(double.player.id, testStart);
      const { code, told } = await open(() => Promise.reject(new TypeError(`no way to send ${token}`)))(token);
      expect(code).toBe(double.fetch === null ? 'ok' : 'unavailable');
      for (const secret of [token, ...double.secrets]) expect(told).not.toContain(secret);
    });
  },
);

describe('a function of the game’s own', () => {
  const context = { gameId: testGameId, environment: 0 as const, now: testStart };

  it('is explained in two steps', async () => {
    const check = custom((token, { now }) => (token === 'right' && now === testStart ? { id: 'ada' } : null));
    expect(await check.verify('right', context)).toEqual({ id: 'ada' });
    expect(await check.verify('wrong', context)).toBeNull();
    expect((await check.explain('right', context)).steps.map(({ result }) => result)).toEqual(['passed', 'passed']);
    expect((await check.explain('wrong', context)).steps.map(({ result }) => result)).toEqual([
      'failed',
      'not_reached',
    ]);
  });

  it('lets nobody in without an id', async () => {
    for (const wrong of [undefined, true, {}, { id: '' }, { id: 5 }, 'ada']) {
      const check = custom((() => wrong) as never);
      expect(await check.verify('x', context)).toBeNull();
    }
  });

  it('is not waited for without end, and is told when nobody waits any more', async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const check = custom(
      (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
      { timeoutMs: 1 },
    );
    await expect(check.verify('x', context)).rejects.toThrow('No answer came in time');
    expect((await check.explain('x', context)).steps[0]).toMatchObject({ result: 'failed' });
    expect(signals.map((signal) => signal?.aborted)).toEqual([true, true]);
  });

  it('is not quoted where it fails', async () => {
    const check = custom((token) => Promise.reject(new Error(`cannot read ${token}`)));
    const error = await check.verify('a-secret-token', context).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(`${(error as Error).stack}${JSON.stringify(await check.explain('a-secret-token', context))}`).not.toContain(
      'secret',
    );
    expect(() => custom('x' as never)).toThrow('verify must be a function');
  });
});
