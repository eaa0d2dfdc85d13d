import type { CarriedEntry, CarriedProfile } from '../stores/import-requests.js';
import type { SnapshotRecord } from '../stores/records.js';
import { banOf } from '../stores/rules/bans.js';
import { type LineSecrets, membersOfLinks } from './player-links.js';

export interface ExportLine {
  /** The player, as `readImportLine` reads one. */
  line: string;
  entries: number;
  snapshots: number;
  /** Whether there is a name whose password's hash is left out. */
  lacksPassword: boolean;
  /** Whether nothing leads to the player, or the account is being deleted. */
  state: 'orphaned' | 'deleted' | null;
}

export interface ExportLineOptions {
  secrets: LineSecrets;
  /** Whether the line is to say of which game and environment the player is. */
  hasScope: boolean;
  now: number;
}

/** An account with all that its line has. */
export interface ExportedAccount extends CarriedProfile {
  /** Its snapshots, oldest first. */
  snapshots: readonly SnapshotRecord[];
}

/**
 * A player's line; null where nothing leads to the player but what the file is not to have. Values are in it letter for letter as
 * they are stored.
 */
export function exportLine(
  { account, links, entries, snapshots }: ExportedAccount,
  { secrets, hasScope, now }: ExportLineOptions,
): ExportLine | null {
  const { gameId, environment, accountId: userId, createdAt, lastSeenAt, orphanedAt, deletedAt } = account;
  const members = orphanedAt === null ? membersOfLinks(links, secrets) : {};
  if (members === null) return null;
  const ban = banOf(account, now);
  const about = {
    ...(hasScope ? { gameId, environment } : {}),
    userId,
    createdAt,
    lastSeenAt,
    ...members,
    ...(ban === null ? {} : { ban }),
    ...(orphanedAt === null ? {} : { orphanedAt }),
    ...(deletedAt === null ? {} : { deletedAt }),
  };
  const kept = snapshots.length === 0 ? '' : `,"snapshots":[${snapshots.map(snapshotText).join(',')}]`;
  return {
    line: `${withEntries(about, entries).slice(0, -1)}${kept}}`,
    entries: entries.length,
    snapshots: snapshots.length,
    lacksPassword:
      !secrets.passwords && links.some(({ method, credential }) => method === 'name' && credential !== null),
    state: deletedAt !== null ? 'deleted' : orphanedAt === null ? null : 'orphaned',
  };
}

function snapshotText({ snapshotId, createdAt, expiresAt, reason, fromId, entries }: SnapshotRecord): string {
  return withEntries({ snapshotId, createdAt, expiresAt, reason, fromId }, entries);
}

/** An object's JSON, with entries as its last member. */
function withEntries(about: object, entries: readonly CarriedEntry[]): string {
  const texts = entries.map(({ collection, key, text, version, changedAt, writes, times = '{}' }) => {
    const kept = times === '{}' ? '' : `,"times":${inOneLine(times)}`;
    const known = JSON.stringify({ collection, key, version, changedAt, writes });
    return `${known.slice(0, -1)}${kept},"value":${inOneLine(text)}}`;
  });
  return `${JSON.stringify(about).slice(0, -1)},"entries":[${texts.join(',')}]}`;
}

/** Ends of lines are white space in JSON, and nothing else: in its texts they are escaped. */
function inOneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}
