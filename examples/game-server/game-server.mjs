// A game's back end: it knows its members, hands them a session of the save service, and sells swords.
import { createServer } from 'node:http';
import { isSdkError, NoAnswerError } from 'savepoint/server';

/** The game's own members. Yours come from your database, and have no plain passwords. */
const members = new Map([
  ['ada', { id: 'member-0001', password: 'analytical engine' }],
  ['bob', { id: 'member-0002', password: 'bricks and mortar' }],
]);
const prices = new Map([['sword', 30]]);

/** @param {import('savepoint/server').ServerClient} saves */
export function createGameServer(saves) {
  const routes = { 'POST /login': login, 'POST /purchase': purchase };
  return createServer(async (request, response) => {
    const [status, body] = await answer(request).catch(refusal);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });

  async function answer(request) {
    const route = routes[`${request.method} ${request.url}`];
    return route === undefined ? [404, { error: 'not_found' }] : route(request, await readJson(request));
  }

  /** Authenticates the member by a signed request. What the client needs for `Auth.External` goes back to it. */
  async function login(request, { name, password, deviceId }) {
    const member = members.get(name);
    if (member === undefined || member.password !== password) return [401, { error: 'wrong_password' }];
    const player = await saves.authenticate({
      customUserId: member.id,
      deviceId,
      ip: request.socket.remoteAddress,
    });
    const { userId, accessToken, country, time } = player;
    await welcome(userId);
    return [200, { userId, accessToken, country, time }];
  }

  /** Reads the player's profile and updates it: the visit is counted, a new player gets 100 coins. */
  async function welcome(userId) {
    const entries = await saves.readCollection({ userId, collection: 'profile' });
    if (!entries.some(({ key }) => key === 'wallet')) {
      await saves.editEntry({ userId, collection: 'profile', key: 'wallet' }, (wallet) =>
        wallet === undefined ? { coins: 100, items: [], orders: [] } : undefined,
      );
    }
    const visits = entries.find(({ key }) => key === 'visits') ?? { value: { count: 0 }, version: -1 };
    await saves
      .updateEntry({
        userId,
        collection: 'profile',
        key: 'visits',
        value: { count: visits.value.count + 1 },
        version: visits.version,
      })
      .catch((error) => {
        // Two log-ins at once: the other one has counted.
        if (error.code !== 'version_mismatch') throw error;
      });
  }

  /**
   * Sells an item to the player whose token verifies: who pays is what the token says, never what the body says.
   * The order's id is written together with what it buys, so that an order that is sent again buys nothing.
   */
  async function purchase(request, { orderId, item }) {
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const { userId } = await saves.verifyPlayer(token);
    const price = prices.get(item);
    if (price === undefined || typeof orderId !== 'string' || orderId === '') return [400, { error: 'no_such_item' }];

    let short = false;
    const wallet = await saves.editEntry({ userId, collection: 'profile', key: 'wallet' }, (held) => {
      short = false;
      const { coins = 0, items = [], orders = [] } = held ?? {};
      if (orders.includes(orderId)) return undefined;
      short = coins < price;
      // The last hundred are enough to tell an order that is sent again.
      const kept = [...orders, orderId].slice(-100);
      return short ? undefined : { coins: coins - price, items: [...items, item], orders: kept };
    });
    if (short) return [402, { error: 'not_enough_coins' }];
    return [200, { bought: wallet.changed, coins: wallet.value.coins }];
  }
}

/** Says no more than the client needs; the rest belongs in your log. A TypeError is the SDK's, for a device id that is none. */
function refusal(error) {
  if (error instanceof SyntaxError || error instanceof TypeError) return [400, { error: 'bad_request' }];
  if (error instanceof NoAnswerError) return [503, { error: 'try_again' }];
  if (isSdkError(error) && ['unauthorized', 'token_expired', 'wrong_game', 'wrong_env'].includes(error.code)) {
    return [401, { error: error.code }];
  }
  return [500, { error: 'internal' }];
}

async function readJson(request) {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk;
    if (text.length > 10_000) throw new SyntaxError('too large');
  }
  const body = JSON.parse(text);
  if (typeof body !== 'object' || body === null) throw new SyntaxError('no object');
  return body;
}
