// Starts the save service, the game's back end and one player, and tells what happens between them.
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Auth, Main } from 'savepoint';
import { createBackend } from 'savepoint/backend';
import { serve } from 'savepoint/backend/node';
import { createServerClient } from 'savepoint/server';
import { createGameServer } from './game-server.mjs';
import { buy, signIn, wallet } from './player.mjs';

const gameId = '3b0f0f4e-6a55-4c8a-9a7c-5d1f2e3a4b5c';
// A real one comes from the environment, never from a file of the game.
const privateKey = crypto.randomUUID();

/** @param {{ print?: (line: string) => void }} options */
export async function main({ print = console.log } = {}) {
  const service = await serve(createBackend({ games: [{ id: gameId, privateKeys: [privateKey] }] }), { port: 0 });
  const saves = createServerClient({ gameId, environment: 0, privateKey, baseUrl: service.url });
  const server = createGameServer(saves).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const game = `http://127.0.0.1:${server.address().port}`;
  print(`The save service is at ${service.url}, the game's back end at ${game}.`);

  try {
    const ada = await signIn({
      service: { GameId: gameId, Environment: 0, BaseUrl: service.url },
      game,
      name: 'ada',
      password: 'analytical engine',
      deviceId: 'ada-and-her-laptop',
    });
    print(`Ada is signed in: her client says ${Auth.GetUserId() === ada.userId ? 'the same id' : 'another id'}.`);
    print(`She was given ${(await wallet()).coins} coins.`);

    const order = { game, accessToken: ada.accessToken, orderId: 'order-1', item: 'sword' };
    print(`She buys a sword: ${said(await buy(order))}.`);
    print(`The same order again: ${said(await buy(order))}.`);
    const many = await Promise.all(Array.from({ length: 5 }, () => buy({ ...order, orderId: 'order-2' })));
    print(`One order sent five times at once is granted ${many.filter(({ body }) => body.bought).length} time.`);
    print(`Without a token: ${said(await buy({ ...order, accessToken: '' }))}.`);
    print(`With a forged one: ${said(await buy({ ...order, accessToken: forged(ada.accessToken) }))}.`);
    print(`A third sword: ${said(await buy({ ...order, orderId: 'order-3' }))}.`);
    print(`A fourth: ${said(await buy({ ...order, orderId: 'order-4' }))}.`);
    const { coins, items } = await wallet();
    print(`Her client reads ${coins} coins and ${items.length} swords.`);
  } finally {
    Main.Dispose();
    server.close();
    server.closeAllConnections();
    await service.close();
  }
}

function said({ status, body }) {
  if (status !== 200) return `${status} ${body.error}`;
  return body.bought ? `bought, ${body.coins} coins left` : `nothing happens, ${body.coins} coins left`;
}

/** The same token in the name of somebody else. */
function forged(token) {
  const [head, payload, signature] = token.split('.');
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const changed = Buffer.from(JSON.stringify({ ...claims, sub: crypto.randomUUID() })).toString('base64url');
  return [head, changed, signature].join('.');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main();
