import { createMemoryStore } from 'savepoint/backend';
import { expect, it } from 'vitest';
import type { Environment } from '../../src/protocol/environments.js';
import { chosenStore } from '../support/chosen-store.js';
import { grouped, printFigures } from '../support/figures.js';
import { createTestService, post, send, type TestService } from '../support/service.js';

/** A database answers the same, only more slowly. */
const chosen = chosenStore().store;
const count = process.env['PROVE'] === '1' && chosen === undefined ? 100_000 : 10_000;
const games = ['a', 'b', 'c'].map((letter) => ({
  id: `${letter.repeat(8)}-0000-4000-8000-000000000000`,
  privateKeys: [`private-key-of-${letter}`],
  socialPlatforms: { wave: (token: string) => ({ id: token }) },
}));

/** Everything that one player has to show, and a word that stands in every one of their values and in nobody else's. */
interface Player {
  game: (typeof games)[number];
  environment: Environment;
  userId: string;
  accessToken: string;
  refreshToken: string;
  deviceId: string;
  snapshot: string;
  secret: string;
}

/** The same numbers at every run. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function enter(service: TestService, at: number): Promise<Player> {
  const game = games[at % 3] as Player['game'];
  const environment = (Math.floor(at / 3) % 3) as Environment;
  const scope = { game_id: game.id, env: environment };
  const [deviceId, secret] = [`device-of-${at}`, `secret-of-${at}-end`];
  const { body } = await post(service, '/v2/auth/guest', scope, { deviceId });
  const token: string = body.accessToken;
  // Each name is there in every game and environment, for another player.
  const credential = { ...scope, username: `name-${Math.floor(at / 9)}`, password: `password-${secret}` };
  await post(service, '/v2/auth/name', credential, { token, deviceId });
  await post(service, '/v2/auth/social', { ...scope, token: `wave-${Math.floor(at / 9)}` }, { token, deviceId });
  const entry = `/v2/cl/games/${game.id}/collections/progress/main?env=${environment}`;
  await send(service, entry, { method: 'PATCH', token, body: { value: { secret }, version: -1 } });
  const lost = { ...scope, collection: 'progress', key: 'main', value: { lost: secret } };
  const { body: kept } = await post(service, '/v2/auth/account/snapshots', lost, { token, deviceId });
  const { userId, refreshToken } = body;
  return { game, environment, userId, accessToken: token, refreshToken, deviceId, snapshot: kept.id, secret };
}

it(`${grouped(count)} requests with what somebody else has to show see nothing and change nothing`, async () => {
  const memory = createMemoryStore();
  const store = chosen ?? memory;
  const service = createTestService({ store, games });
  const players: Player[] = [];
  for (let at = 0; at < 36; at += 1) players.push(await enter(service, at));
  const picture = async () => {
    const owners = players.map(({ game, environment, userId }) => ({
      gameId: game.id,
      environment,
      accountId: userId,
    }));
    const held = owners.map(async (owner) => ({
      profile: await store.readProfile(owner),
      sessions: await store.listSessions(owner),
      snapshots: await store.listSnapshots({ owner, now: service.clock() }),
    }));
    return JSON.stringify([await Promise.all(held), store === memory ? memory.dump() : null]);
  };
  const before = await picture();
  const random = createRandom(20_260_115);
  const any = <Item>(items: readonly Item[]): Item => items[random(items.length)] as Item;
  const statuses = new Map<number, number>();
  let reached = 0;

  while (reached < count) {
    const mine = any(players);
    const theirs = any(players);
    const isMe = mine === theirs;
    const { game, environment, userId, snapshot } = theirs;
    const collections = `/v2/cl/games/${game.id}/collections`;
    const saves = `/v2/pr/games/${game.id}/saves/${userId}/collections`;
    const scope = { game_id: game.id, env: environment };
    const body = { value: { secret: 'overwritten' }, version: any([-1, 0, 1]) };
    const token = mine.accessToken;
    const isMyGame = mine.game === game;
    // Each would succeed if whose it is did not count; where it rightly does, what it asks for is left out.
    const requests = [
      () =>
        isMe
          ? null
          : send(service, `${collections}/progress/main?env=${environment}`, {
              method: 'PATCH',
              token: any([theirs.userId, mine.refreshToken, mine.game.privateKeys[0]]),
              body,
            }),
      () =>
        isMyGame && mine.environment === environment
          ? null
          : send(service, `${collections}/progress/main?env=${environment}`, { method: 'PATCH', token, body }),
      () =>
        isMyGame && mine.environment === environment
          ? null
          : send(service, `${collections}/progress?env=${environment}`, { token }),
      () => (isMe ? null : send(service, `/v2/auth/account/snapshots/${snapshot}`, { token })),
      () => (isMe ? null : send(service, `/v2/auth/account/snapshots/${snapshot}/restore`, { method: 'POST', token })),
      () =>
        isMyGame ? null : send(service, `${saves}/progress?env=${environment}`, { token: mine.game.privateKeys[0] }),
      () =>
        isMyGame
          ? null
          : send(service, `${saves}/progress/main?env=${environment}`, {
              method: 'PATCH',
              token: mine.game.privateKeys[0],
              body,
            }),
      () => send(service, `${saves}/progress/main?env=${environment}`, { method: 'PATCH', token, body }),
      // The right key, but the user is of another game or environment.
      () =>
        mine.environment === environment
          ? null
          : send(service, `${saves}/progress?env=${mine.environment}`, { token: game.privateKeys[0] }),
      () =>
        isMyGame
          ? null
          : send(service, `/v2/pr/games/${mine.game.id}/saves/${userId}/collections/progress/main?env=${environment}`, {
              method: 'PATCH',
              token: mine.game.privateKeys[0],
              body,
            }),
      () =>
        isMyGame && mine.environment === environment
          ? null
          : post(service, '/v2/auth/refresh', { ...scope, refresh_token: mine.refreshToken }),
      () =>
        isMyGame && mine.environment === environment
          ? null
          : post(service, '/v2/auth/sign-out', { ...scope, refresh_token: mine.refreshToken }),
      () =>
        isMyGame && mine.environment === environment
          ? null
          : post(service, '/v2/auth/account/snapshots', { ...scope, collection: 'a', key: 'b', value: {} }, { token }),
      () =>
        isMyGame && mine.environment === environment
          ? null
          : post(
              service,
              '/v2/auth/name',
              { ...scope, username: `new-${reached}`, password: 'a new password' },
              { token },
            ),
      () =>
        isMe
          ? null
          : post(service, '/v2/auth/name', {
              ...scope,
              username: `name-${Math.floor(players.indexOf(theirs) / 9)}`,
              password: `password-${mine.secret}`,
              intent: 'switch',
            }),
      () =>
        isMe
          ? null
          : post(
              service,
              '/v2/auth/conflict',
              { ...scope, ticket: mine.snapshot, choice: any(['local', 'cloud']) },
              { deviceId: theirs.deviceId },
            ),
      () =>
        isMe
          ? null
          : send(service, '/v2/auth/account', {
              token: `${token.slice(0, -8)}${theirs.accessToken.slice(-8)}`,
              method: 'DELETE',
            }),
      () => send(service, '/v2/auth/account', { token: mine.refreshToken, method: any(['GET', 'DELETE']) }),
    ];
    const answer = await any(requests)();
    if (answer === null) continue;
    reached += 1;
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const said = JSON.stringify(answer.body ?? '');
    expect(answer.status, said).toBeGreaterThanOrEqual(400);
    expect(said).not.toContain(theirs.secret);
    expect(said).not.toContain(theirs.userId);
  }

  expect(await picture()).toBe(before);
  expect([...statuses.keys()].sort()).toEqual([401, 403, 404, 409]);
  // And each of them is let in with what is their own.
  for (const player of players) {
    const path = `/v2/cl/games/${player.game.id}/collections/progress?env=${player.environment}`;
    const { body } = await send(service, path, { token: player.accessToken });
    expect(body[0].value).toEqual({ secret: player.secret });
  }
  printFigures(
    `isolation on ${process.env['TEST_STORE'] ?? 'memory'}: ${grouped(count)} requests of 36 players in 3 games and ` +
      '3 environments, nothing seen, nothing changed',
  );
}, 900_000);
