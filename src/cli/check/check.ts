import { randomBytes } from 'node:crypto';
import { isOriginEntry } from '../../backend/http/cors.js';
import { baseAddress } from '../../protocol/addresses.js';
import { isEnvironment } from '../../protocol/environments.js';
import { isUuid } from '../../protocol/ids.js';
import { operations } from '../../protocol/operations.js';
import { readArguments } from '../arguments.js';
import { Interrupted } from '../interrupted.js';
import type { ExitCode, Io } from '../io.js';
import { findSecret, requireSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import { contractAreas } from './contract-areas.js';
import { type Deployment, type Visit, visit } from './deployment.js';
import { createReport } from './report.js';
import { cleanUp, type Row, rowsOf, whyNoAnswer } from './run-contract.js';

/** `savepoint check`: asks a deployment everything that the contract says, and shows where it differs. */
export async function check(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments({ command: 'check', takes: 'the address of a service' }, args, {
    'game-id': { type: 'string' },
    'auth-url': { type: 'string' },
    env: { type: 'string' },
    'private-key-file': { type: 'string' },
    'operator-key-file': { type: 'string' },
    origin: { type: 'string' },
    quick: { type: 'boolean' },
    'rate-limits': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  const { quick: isQuick = false, json = false, origin = null } = values;
  if (origin !== null && !isOrigin(origin)) {
    throw new UsageError(
      '--origin must be the origin of a page, such as https://game.example, https://*.itch.zone or null',
    );
  }
  const gameId = values['game-id'];
  if (!isUuid(gameId)) throw new UsageError('--game-id <uuid> must be the id of a game of this service');
  const environment = Number(values.env ?? '0');
  if (!isEnvironment(environment)) throw new UsageError('--env must be 0, 1 or 2');
  const baseUrl = address(positional, 'the address');
  if (values['private-key-file'] === '-' && values['operator-key-file'] === '-') {
    throw new UsageError('one key comes in on stdin: give --private-key-file or --operator-key-file as a file');
  }
  const deployment: Deployment = {
    baseUrl,
    authUrl: values['auth-url'] === undefined ? baseUrl : address(values['auth-url'], '--auth-url'),
    gameId: gameId.toLowerCase(),
    environment,
    privateKey: await requireSecret(io, {
      what: 'the private key',
      option: 'private-key-file',
      file: values['private-key-file'],
      variable: 'SAVEPOINT_PRIVATE_KEY',
    }),
    operatorKey: await findSecret(io, {
      what: "the operator's key",
      option: 'operator-key-file',
      file: values['operator-key-file'],
      variable: 'SAVEPOINT_OPERATOR_KEY',
    }),
    origin,
  };
  const { privateKey, operatorKey } = deployment;
  if (!isPrintable(privateKey)) throw new UsageError('the private key must be printable ASCII');
  if (operatorKey !== null && !isPrintable(operatorKey)) {
    throw new UsageError("the operator's key must be printable ASCII");
  }

  const world = visit(deployment, { run: randomBytes(8).toString('hex'), wait: io.wait, err: io.err });
  await reach(world, deployment);
  const withRates = values['rate-limits'] ?? false;
  const areas = contractAreas({ origin, isQuick, withRates, hasOperatorKey: operatorKey !== null });
  const report = createReport(areas);
  const rows: Row[] = [];
  for await (const row of rowsOf(areas, world, io.stop)) {
    rows.push(row);
    if (!json) io.out(report.row(row));
  }
  const remains = await cleanUp(world);
  const ok = !io.stop.aborted && rows.every(({ holds }) => holds);
  io.out(
    json
      ? `${JSON.stringify({ ok, checks: rows, accounts: remains }, null, 2)}\n`
      : report.end({ rows, remains, wasStopped: io.stop.aborted, isQuick }),
  );
  if (io.stop.aborted) throw new Interrupted('interrupted: the other checks were not made; run it again');
  return ok ? 0 : 1;
}

/** What a header can carry. */
function isPrintable(key: string): boolean {
  return /^[\x20-\x7e]+$/.test(key);
}

/** Of one page, or as a service is told of many: sub-domains of one level, and sandboxed frames. */
function isOrigin(text: string): boolean {
  if (text === 'null' || text.includes('*')) return isOriginEntry(text);
  return URL.canParse(text) && new URL(text).origin === text;
}

function address(given: string, name: string): string {
  try {
    return baseAddress(given, name);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Nothing can be said of a service that does not answer. */
async function reach(world: Visit, { baseUrl, authUrl }: Deployment): Promise<void> {
  for (const [url, ask] of [
    [authUrl, world.toAuth],
    [baseUrl, world.toBase],
  ] as const) {
    try {
      await ask({ path: operations.readPublicKeys.path });
    } catch (error) {
      throw new UsageError(`${new URL(url).origin} cannot be reached: ${whyNoAnswer(error)}. Is the service running?`);
    }
  }
}
