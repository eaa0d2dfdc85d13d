import type { AdminPlayer, AdminPlayers, AuditPage, Ban, EntriesPage } from '../../server/index.js';
import type { Io } from '../io.js';
import { deedColumns, deedsOf } from './player-audit.js';
import { moment, printable, table, tellMore } from './table.js';

interface Shown {
  player: AdminPlayer;
  saves: EntriesPage;
  snapshots: Awaited<ReturnType<AdminPlayers['snapshots']>>;
  audit: AuditPage;
}

/** Until when a player is kept out. */
export function banned({ until }: Ban): string {
  return until === null ? 'banned for good' : `banned until ${moment(until)}`;
}

/** Who it is, and since when what is so. */
function factsOf(player: Shown['player']): [string, string][] {
  const { userId, logName, createdAt, lastSeenAt, orphanedAt, deletedAt, removedAt, ban } = player;
  const facts: [string, string][] = [
    ['user', userId],
    ['made', moment(createdAt)],
    ['seen', moment(lastSeenAt)],
  ];
  if (logName !== undefined) facts.push(['in logs', logName]);
  if (orphanedAt !== undefined) facts.push(['orphaned', moment(orphanedAt)]);
  if (deletedAt !== undefined) facts.push(['deleted', moment(deletedAt)]);
  if (removedAt !== undefined) facts.push(['removed', moment(removedAt)]);
  if (ban !== undefined) facts.push(['state', `${banned(ban)} since ${moment(ban.at)}: ${printable(ban.reason)}`]);
  return facts;
}

/** Writes all of a player on the terminal; what there is none of is left out. */
export function showPlayer(io: Io, { player, saves, snapshots, audit }: Shown): void {
  const { userId } = player;
  const facts = factsOf(player);
  for (const [name, text] of facts) io.out(`${name.padEnd(9)} ${text}\n`);

  function part<Row>(title: string, columns: Parameters<typeof table<Row>>[1], rows: readonly Row[]): void {
    if (rows.length === 0) return;
    io.out(`\n${title}\n`);
    table(io, columns, rows);
  }
  part(
    'Login methods',
    {
      METHOD: ({ method }) => method,
      WHO: ({ label = '', subject = '', address = '' }) =>
        [label, subject, address].filter((text) => text !== '').join(' '),
      LINKED: ({ linkedAt }) => moment(linkedAt),
      USED: ({ lastUsedAt = 0 }) => moment(lastUsedAt),
    },
    player.methods,
  );
  part(
    'Devices',
    {
      DEVICE: ({ id }) => id,
      LINKED: ({ linkedAt }) => moment(linkedAt),
      USED: ({ lastUsedAt }) => moment(lastUsedAt),
    },
    player.devices,
  );
  part(
    'Sessions',
    {
      METHOD: ({ method }) => method,
      DEVICE: ({ device }) => device,
      OPENED: ({ openedAt }) => moment(openedAt),
      UNTIL: ({ expiresAt }) => moment(expiresAt),
    },
    player.sessions,
  );
  part(
    'Conflicts that are open',
    {
      METHOD: ({ method }) => method,
      LOCAL: ({ localUserId }) => localUserId,
      CLOUD: ({ cloudUserId }) => cloudUserId,
      UNTIL: ({ expiresAt }) => moment(expiresAt),
    },
    player.conflicts,
  );
  part(
    'The latest choice',
    {
      CHOICE: ({ choice }) => choice,
      MADE: ({ madeAt }) => moment(madeAt),
      UNTIL: ({ expiresAt }) => moment(expiresAt),
      OVER: ({ fromUserId }) => fromUserId,
      MOVED: ({ methods }) => methods.join(', '),
    },
    player.choice === undefined ? [] : [player.choice],
  );
  part(
    'Usage',
    { QUOTA: ([name]) => name, USED: ([, { used }]) => `${used}`, LIMIT: ([, { limit }]) => `${limit}` },
    Object.entries(player.usage),
  );
  part(
    'Saves',
    {
      COLLECTION: ({ collection }) => collection,
      KEY: ({ key }) => key,
      VERSION: ({ version }) => `${version}`,
      BYTES: ({ bytes }) => `${bytes}`,
      WRITTEN: ({ changedAt }) => moment(changedAt),
    },
    saves.entries,
  );
  tellMore(io, saves.cursor);
  part(
    'Snapshots',
    {
      SNAPSHOT: ({ id }) => id,
      REASON: ({ reason }) => reason,
      MADE: ({ createdAt: at }) => moment(at),
      FROM: ({ fromUserId }) => (fromUserId === userId ? 'this account' : fromUserId),
      SAVES: ({ entries }) => `${entries}`,
      BYTES: ({ bytes }) => `${bytes}`,
    },
    snapshots,
  );
  part('What was done and chosen', deedColumns, deedsOf({ player, snapshots, entries: audit.entries }));
}
