// What players ask of the service and of the floor; every connection is a player of its own.
import { gameId, requestText, sendAll } from './load.mjs';

export const connections = 32;
export const entries = 5;
export const value = { level: 12, coins: 3_400, name: 'Ada', items: ['sword', 'shield', 'bow'] };

const collection = `/v2/cl/games/${gameId}/collections/progress`;
let devices = 0;

export function guest() {
  devices += 1;
  const body = { game_id: gameId, env: 0, device_id: `device-${devices}-of-the-bench` };
  return requestText('POST', '/v2/auth/guest', { body });
}

export const tokenOf = (body) => JSON.parse(body).accessToken;

/** Creates only, as the SDKs do. */
export function creation(token, key, body) {
  const headers = { 'If-None-Match': '*' };
  return requestText('PATCH', `${collection}/key-${key}?env=0`, { token, headers, body: { value: body, version: -1 } });
}

/** Signs a player in for each connection, with five entries; then what is measured, as what a connection sends next. */
export async function preparePlayers(port) {
  const tokens = (await sendAll(port, Array.from({ length: connections }, guest))).map(tokenOf);
  const keys = Array.from({ length: entries }, (_, key) => key);
  await sendAll(
    port,
    tokens.flatMap((token) => keys.map((key) => creation(token, key, value))),
  );
  const updates = tokens.map(() => 0);
  return {
    'guest sign-in': guest,
    read: (index) => requestText('GET', `${collection}?env=0`, { token: tokens[index] }),
    // By version, as the SDKs write: each is based on the one before.
    update(index) {
      const count = updates[index];
      updates[index] += 1;
      const body = { value, version: Math.floor(count / entries) };
      return requestText('PATCH', `${collection}/key-${count % entries}?env=0`, { token: tokens[index], body });
    },
  };
}
