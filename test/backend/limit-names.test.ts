import { createServerClient } from 'savepoint/server';
import { describe, expect, it } from 'vitest';
import type { LogRecord, RateLimits, SocialVerifier } from '../../src/backend/index.js';
import { isFailure } from '../../src/errors.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { createOperatedService, testOperatorKey } from '../support/operators.js';
import {
  createTestService,
  post,
  readEntries,
  send,
  signInGuest,
  type TestService,
  useName,
  writeEntry,
} from '../support/service.js';

const once = { tries: 1, windowMs: 60_000 };
const home = '192.0.2.1';
const network: SocialVerifier = async (token) => (token === 'junk' ? null : { id: token });

type Asked = ReturnType<typeof post>;

/** A request of the same kind again and again, by the rate that refuses the second one. */
const repeated: { readonly [rate in keyof RateLimits]: (service: TestService) => Promise<() => Asked> } = {
  signInsPerAddress: async (service) => () => post(service, operations.signInAsGuest.path, {}, { address: home }),
  newGuestsPerAddressPerHour: async (service) => {
    let devices = 0;
    return () => {
      devices += 1;
      return post(service, operations.signInAsGuest.path, {}, { address: home, deviceId: `device-${devices}` });
    };
  },
  readsPerAccount: async (service) => {
    const ada = await signInGuest(service);
    return () => readEntries(service, ada);
  },
  readsPerAddress: async (service) => () => send(service, operations.readPublicKeys.path, { address: home }),
  writesPerAccount: async (service) => {
    const ada = await signInGuest(service);
    return () => writeEntry(service, ada);
  },
  writesPerAddress: async (service) => {
    const { accessToken: token } = await signInGuest(service);
    return () => post(service, operations.signOut.path, {}, { address: home, token });
  },
  refreshesPerAccount: async (service) => {
    const { refreshToken } = await signInGuest(service);
    return () => post(service, operations.refreshSession.path, { refresh_token: refreshToken });
  },
  refreshesPerAddress: async (service) => () =>
    post(service, operations.refreshSession.path, { refresh_token: 'none' }, { address: home }),
  gameRequestsPerAccount: async (service) => {
    const { userId: user } = await signInGuest(service);
    const path = pathOf(operations.readUserUsage, { game: service.gameId, user });
    return () => send(service, `${path}?env=0`, { token: service.privateKey });
  },
  gameRequestsPerAddress: async (service) => () => post(service, operations.authenticate.path, {}, { address: home }),
  operatorRequestsPerAddress: async (service) => () =>
    send(service, operations.listGames.path, { address: home, token: testOperatorKey }),
  tokensPerAddress: async (service) => () =>
    post(service, operations.signInWithSocialToken.path, { token: 'ada' }, { address: home }),
  tokensPerPlayer: async (service) => () => post(service, operations.signInWithSocialToken.path, { token: 'ada' }),
  wrongTokensPerAddress: async (service) => () =>
    post(service, operations.signInWithSocialToken.path, { token: 'junk' }, { address: home }),
};

describe('a refusal', () => {
  it.each(Object.entries(repeated))(
    'names the rate that was reached, in the answer and in the log: %s',
    async (rate, of) => {
      const lines: LogRecord[] = [];
      const limits = { rates: { [rate]: rate === 'newGuestsPerAddressPerHour' ? 1 : once } };
      const game = { socialPlatforms: { chirp: network } };
      const service = createOperatedService({ limits, game, log: (record) => lines.push(record) });
      const ask = await of(service);
      expect((await ask()).status).not.toBe(429);
      expect(lines.at(-1)).not.toHaveProperty('limitName');
      expect(await ask()).toMatchObject({ status: 429, body: { code: 'rate_limited', limitName: rate } });
      expect(lines.at(-1)).toMatchObject({ kind: 'request', code: 'rate_limited', limitName: rate });
    },
  );

  it.each([
    ['wrongPasswordsPerNameAndAddress', home],
    ['wrongPasswordsPerAddress', home],
    ['wrongPasswordsPerName', undefined],
    ['resetsPerName', undefined],
    ['resetsPerAddress', home],
  ] as const)(
    'names the same limit for a name that there is and for one that there is not: %s',
    async (rate, address) => {
      const limits = { rates: { [rate]: once } };
      const service = createTestService({ limits, deliver: async () => {} });
      const { accessToken: token } = await signInGuest(service);
      await useName(service, { username: 'ada', password: 'correct horse' }, { token });
      const path = rate.startsWith('resets') ? operations.requestReset.path : operations.signInWithName.path;
      const refused = async (username: string, at: string | undefined) => {
        let asked = 0;
        const ask = () => {
          asked += 1;
          const from = at ?? `203.0.113.${asked}`;
          const body = { username, password: 'wrong password', intent: 'switch' };
          return post(service, path, body, { address: from, deviceId: 'device-of-a-stranger' });
        };
        await ask();
        const { status, body } = await ask();
        return { status, limitName: body.limitName };
      };
      const answers = [await refused('ada', address), await refused('nobody', address && '198.51.100.1')];
      expect(answers).toEqual([
        { status: 429, limitName: rate },
        { status: 429, limitName: rate },
      ]);
    },
  );

  it('that is for no limit names none', async () => {
    const lines: LogRecord[] = [];
    const service = createTestService({ log: (record) => lines.push(record) });
    const { body } = await post(service, operations.refreshSession.path, { refresh_token: 'none' });
    expect([body.code, Object.keys(body).includes('limitName')]).toEqual(['unauthorized', false]);
    expect(lines[0]).not.toHaveProperty('limitName');
  });

  it("is an error of the back end's SDK that has the name", async () => {
    // Longer than the SDK waits by itself.
    const gameRequestsPerAccount = { tries: 1, windowMs: 3_600_000 };
    const service = createTestService({ limits: { rates: { gameRequestsPerAccount } } });
    const { gameId, privateKey, baseUrl, clock: now } = service;
    const { userId } = await signInGuest(service);
    const client = createServerClient({
      gameId,
      privateKey,
      baseUrl,
      environment: 0,
      now,
      fetch: service.backend.fetch,
    });
    await client.usage({ userId });
    const error: unknown = await client.usage({ userId }).catch((one: unknown) => one);
    expect(isFailure(error, 'rate_limited') && error.limitName).toBe('gameRequestsPerAccount');
  });
});
