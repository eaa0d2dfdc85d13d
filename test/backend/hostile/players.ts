// A process of its own: the players beside whom a service is attacked. They measure how long each request takes them.
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { type Checked, type Played, type PlayersOrder, type Target, takeOrders } from './orders.js';

interface Player {
  at: number;
  deviceId: string;
  accessToken: string;
  refreshToken: string;
  /** The last acknowledged version of each entry, and its content. */
  told: Map<string, { version: number; text: string }>;
  count: number;
}

let target: Target = { url: '', gameId: '' };
let players: Player[] = [];
/** A player looks at the game between two requests. */
const pauseMs = { min: 100, spread: 200 };
const entries = 8;
const valueBytes = 2_000;

/**
 * Each request has a connection of its own: one that is kept, and that the service closes in the moment in which a player
 * sends again, would count as a lost request.
 */
async function ask(player: Player, path: string, { method = 'GET', token = player.accessToken, text }: Asked = {}) {
  const sending = request(target.url + path, {
    method,
    agent: false,
    headers: {
      // Each has an address, which the service takes from its proxy.
      'X-Forwarded-For': `10.0.0.${player.at + 1}`,
      ...(token === null ? {} : { Authorization: `Bearer ${token}` }),
      ...(text === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }),
    },
  });
  sending.end(text);
  const [answer] = (await once(sending, 'response')) as [IncomingMessage];
  const said = (await answer.setEncoding('utf8').toArray()).join('');
  if (answer.statusCode !== 200) {
    throw new Error(`${method} ${path.split('?')[0]}: ${answer.statusCode} ${said.slice(0, 200)}`);
  }
  return JSON.parse(said);
}

interface Asked {
  method?: string;
  token?: string | null;
  text?: string;
}

const device = ({ deviceId: device_id }: Player, more: object = {}): string =>
  JSON.stringify({ game_id: target.gameId, env: 0, device_id, ...more });

async function enter(player: Player): Promise<void> {
  const { accessToken, refreshToken } = await ask(player, '/v2/auth/guest', {
    method: 'POST',
    token: null,
    text: device(player),
  });
  Object.assign(player, { accessToken, refreshToken });
}

async function write(player: Player): Promise<void> {
  player.count += 1;
  const key = `save-${player.count % entries}`;
  const version = player.told.get(key)?.version ?? -1;
  const text = JSON.stringify({ of: player.deviceId, n: player.count, notes: 'x'.repeat(valueBytes) });
  const path = `/v2/cl/games/${target.gameId}/collections/progress/${key}?env=0`;
  const written = await ask(player, path, { method: 'PATCH', text: `{"version":${version},"value":${text}}` });
  player.told.set(key, { version: written.version, text });
}

async function read(player: Player): Promise<string[]> {
  const found: { key: string; version: number; value: unknown }[] = await ask(
    player,
    `/v2/cl/games/${target.gameId}/collections/progress?env=0`,
  );
  const there = new Map(found.map(({ key, version, value }) => [key, `${version} ${JSON.stringify(value)}`]));
  return [...player.told].flatMap(([key, { version, text }]) =>
    there.get(key) === `${version} ${text}` ? [] : [`${player.deviceId}: ${key} of version ${version}`],
  );
}

async function refresh(player: Player): Promise<void> {
  const { accessToken, refreshToken } = await ask(player, '/v2/auth/refresh', {
    method: 'POST',
    token: null,
    text: device(player, { refresh_token: player.refreshToken }),
  });
  Object.assign(player, { accessToken, refreshToken });
}

async function turn(player: Player): Promise<void> {
  const what = Math.random();
  if (what < 0.75) return write(player);
  if (what < 0.95) {
    const lost = await read(player);
    if (lost.length > 0) throw new Error(`not there: ${lost.join(', ')}`);
    return;
  }
  if (what < 0.98) return refresh(player);
  return enter(player);
}

async function play({ requests = Number.POSITIVE_INFINITY, ms = Number.POSITIVE_INFINITY }): Promise<Played> {
  const end = performance.now() + ms;
  const took: number[] = [];
  const failures: string[] = [];
  await Promise.all(
    players.map(async (player) => {
      await wait(Math.random() * pauseMs.spread);
      for (let done = 0; done < requests && performance.now() < end; done += 1) {
        const begun = performance.now();
        try {
          await turn(player);
        } catch (error) {
          const { message, cause } = error as Error;
          failures.push(`${message}${cause === undefined ? '' : ` (${String(cause)})`}`);
        }
        took.push(performance.now() - begun);
        await wait(pauseMs.min + Math.random() * pauseMs.spread);
      }
    }),
  );
  took.sort((left, right) => left - right);
  const at = (share: number): number => took[Math.min(took.length - 1, Math.floor(took.length * share))] ?? 0;
  return { requests: took.length, p50: at(0.5), p99: at(0.99), slowest: at(1), failures };
}

async function check(): Promise<Checked> {
  const lost = await Promise.all(players.map(read));
  return { acknowledged: players.reduce((sum, { count }) => sum + count, 0), lost: lost.flat() };
}

takeOrders<PlayersOrder>(async (order) => {
  if (order.do === 'play') return play(order);
  if (order.do === 'check') return check();
  target = order;
  players = Array.from({ length: order.clients }, (_, at) => {
    return { at, deviceId: `player-${at}`, accessToken: '', refreshToken: '', told: new Map(), count: 0 };
  });
  await Promise.all(players.map(enter));
  return null;
});
