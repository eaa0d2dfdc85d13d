import { createBackend } from '../backend/index.js';
import { type ServedBackend, serve } from '../backend/node.js';
import { isUuid } from '../protocol/uuid-form.js';
import { readArguments } from './arguments.js';
import { demoGame, demoPlatforms, isLoopbackOrigin, usualHost, usualPort } from './demo.js';
import type { ExitCode, Io } from './io.js';
import { listening, stopped } from './listening.js';
import { logLine } from './log-line.js';
import { UsageError } from './usage-error.js';

interface DevOptions {
  port: number;
  host: string;
  gameId: string;
  privateKey: string;
  rateLimits: boolean;
  json: boolean;
}

/** `savepoint dev`: the whole service on a port, until it is asked to stop. */
export async function dev(args: readonly string[], io: Io): Promise<ExitCode> {
  const options = readOptions(args);
  const { port, host, gameId, privateKey } = options;
  const backend = createBackend({
    games: [{ id: gameId, privateKeys: [privateKey], socialPlatforms: demoPlatforms }],
    allowedOrigins: isLoopbackOrigin,
    limits: { rates: options.rateLimits },
    log: (record) => io.err(logLine(record)),
  });
  await backend.ready();
  const served = await listening('dev', () => serve(backend, { port, host }));
  io.out(options.json ? `${JSON.stringify(ready(served, options))}\n` : banner(served, options));
  await stopped(io.stop);
  await served.close();
  return 0;
}

function readOptions(args: readonly string[]): DevOptions {
  const { values } = readArguments({ command: 'dev' }, args, {
    port: { type: 'string' },
    host: { type: 'string' },
    'game-id': { type: 'string' },
    'private-key': { type: 'string' },
    'rate-limits': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const { port = String(usualPort), host = usualHost, 'private-key': privateKey = demoGame.privateKey } = values;
  const gameId = values['game-id'] ?? demoGame.id;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) throw new UsageError('--port must be a number from 0 to 65535');
  if (host.trim() === '') throw new UsageError('--host must be a host name or an address');
  if (!isUuid(gameId)) throw new UsageError('--game-id must be a UUID');
  if (privateKey === '' || privateKey.trim() !== privateKey) {
    throw new UsageError('--private-key must not be empty, and have no white space around it');
  }
  const { 'rate-limits': rateLimits = false, json = false } = values;
  return { port: Number(port), host, gameId: gameId.toLowerCase(), privateKey, rateLimits, json };
}

function ready({ url }: ServedBackend, { gameId, privateKey }: DevOptions) {
  return { url, baseUrl: url, authUrl: url, gameId, privateKey };
}

function banner({ url }: ServedBackend, { gameId, privateKey }: DevOptions): string {
  const isDemoKey = privateKey === demoGame.privateKey;
  return `
  The service is ready. It keeps everything in memory: when it stops, all of it is gone.

  Address       ${url}
  Game id       ${gameId}
  Private key   ${isDemoKey ? `${privateKey}   (a demo key: everybody knows it)` : 'the one that you gave'}
  Stop          Ctrl-C

  Sign a guest in:
    curl -s -X POST ${url}/v2/auth/guest -H 'Content-Type: application/json' -d '{"game_id":"${gameId}","env":0,"device_id":"my-first-device"}'

  Read what a game's back end sees of that player, with the userId of the answer:
    curl -s '${url}/v2/pr/games/${gameId}/saves/<userId>/collections/progress?env=0' -H 'Authorization: Bearer ${isDemoKey ? privateKey : '<private key>'}'

  Or in a page:
    import { createClient } from 'savepoint';
    const client = createClient({ gameId: '${gameId}', environment: 0, baseUrl: '${url}' });
    await client.init();
    await client.profile.collection('progress').set('main', { coins: 1 });

`;
}
