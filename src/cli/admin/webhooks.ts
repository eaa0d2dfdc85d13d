import { environments } from '../../protocol/environments.js';
import type { AdminClient, DeadEvent, WebhookQueue } from '../../server/index.js';
import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { pageOptions, readPage } from './audit.js';
import { asked, connect, connectOptions } from './connect.js';
import { gameOf } from './scope.js';
import { type Columns, moment, table, tellMore, writeJson } from './table.js';

/** `savepoint webhooks`: what a game's back end has not been told yet, and how it is told again. */
export async function webhooks(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments({ command: 'webhooks', takes: 'list or retry' }, args, {
    ...connectOptions,
    ...pageOptions,
    game: { type: 'string' },
    id: { type: 'string' },
    all: { type: 'boolean' },
  });
  const { id, all = false } = values;
  if (positional !== 'list' && (positional !== 'retry' || (id === undefined) !== all)) {
    throw new UsageError('say savepoint webhooks list, or savepoint webhooks retry --id <id> | --all');
  }
  const gameId = gameOf(values, io);
  const admin = await connect(values, io);
  if (positional === 'list') {
    const queue = await asked(() => admin.webhooks({ gameId, ...readPage(values) }));
    if (values.json === true) writeJson(io, queue);
    else showQueue(io, queue);
    return 0;
  }
  const retried = await asked(() => retryWebhooks(admin, gameId, id));
  if (values.json === true) writeJson(io, { retried });
  else io.out(`${retried} ${retried === 1 ? 'event is' : 'events are'} sent again\n`);
  return 0;
}

/** How many are sent again: the one, or all, of which the service takes some at once. */
async function retryWebhooks(admin: AdminClient, gameId: string, id: string | undefined): Promise<number> {
  let sum = 0;
  for (;;) {
    const { retried, hasMore } = await admin.retryWebhooks({ gameId, id });
    sum += retried;
    if (id !== undefined || !hasMore) return sum;
  }
}

function showQueue(io: Io, { waiting, oldestAt, dead, lost, events, cursor }: WebhookQueue): void {
  io.out(`waiting    ${waiting}${oldestAt === undefined ? '' : `, the oldest since ${moment(oldestAt)}`}\n`);
  io.out(`set aside  ${dead}\n`);
  if (lost !== undefined) io.out(`lost       ${lost} in the last 30 days: there were more than are kept\n`);
  if (events.length === 0) return;
  io.out('\n');
  table(io, columns, events);
  tellMore(io, cursor);
}

const columns: Columns<DeadEvent> = {
  EVENT: ({ id }) => id,
  KIND: ({ kind }) => kind,
  ENV: ({ env }) => environmentName(env),
  PLAYER: ({ userId }) => userId,
  HAPPENED: ({ at }) => moment(at),
  TRIES: ({ attempts }) => `${attempts}`,
  'LAST ANSWER': ({ lastStatus }) => (lastStatus === undefined ? 'none in time' : `${lastStatus}`),
  'SET ASIDE': ({ deadAt }) => moment(deadAt),
};

function environmentName(env: number): string {
  const [name = `${env}`] = Object.entries(environments).find(([, number]) => number === env) ?? [];
  return name.toLowerCase();
}
