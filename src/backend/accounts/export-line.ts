import type { PlacedRecord, ProfileRecord, SnapshotRecord } from '../stores/records.js';
import { banOf } from '../stores/rules/bans.js';
import { type LineSecrets, membersOfLinks } from './player-links.js';

export interface ExportLine {
  /** The player, as `readImportLine` reads one. */
  line: string;
  entries: number;
  snapshots: number;
  /** Whether there is a name whose password's hash is left out. */
  lacksPassword: boolean;
}

/**
 * Why an account is left out: it is being deleted, nothing leads to it, or nothing but what the file is not to have.
 */
export type LeftOut = 'deleted' | 'orphaned' | 'devicesOnly';

export interface ExportLineOptions {
  secrets: LineSecrets;
  /** Whether the line is to say of which game and environment the player is. */
  hasScope: boolean;
  now: number;
}

/** An account with all that its line has. */
export interface ExportedAccount extends ProfileRecord {
  /** Its snapshots, oldest first. */
  snapshots: readonly SnapshotRecord[];
}

/** A player's line. Values are in it letter for letter as they are stored. */
export function exportLine(
  { account, links, entries, snapshots }: ExportedAccount,
  { secrets, hasScope, now }: ExportLineOptions,
): ExportLine | LeftOut {
  if (account.deletedAt !== null) return 'deleted';
  if (account.orphanedAt !== null || links.length === 0) return 'orphaned';
  const members = membersOfLinks(links, secrets);
  if (members === null) return 'devicesOnly';
  const { gameId, environment, accountId: userId, createdAt, lastSeenAt } = account;
  const ban = banOf(account, now);
  const about = {
    ...(hasScope ? { gameId, environment } : {}),
    userId,
    createdAt,
    lastSeenAt,
    ...members,
    ...(ban === null ? {} : { ban }),
  };
  const kept = snapshots.length === 0 ? '' : `,"snapshots":[${snapshots.map(snapshotText).join(',')}]`;
  return {
    line: `${withEntries(about, entries).slice(0, -1)}${kept}}`,
    entries: entries.length,
    snapshots: snapshots.length,
    lacksPassword: members.name !== undefined && members.name.hash === undefined,
  };
}

function snapshotText({ snapshotId, createdAt, expiresAt, reason, fromId, entries }: SnapshotRecord): string {
  return withEntries({ snapshotId, createdAt, expiresAt, reason, fromId }, entries);
}

/** An object's JSON, with entries as its last member. */
function withEntries(about: object, entries: readonly PlacedRecord[]): string {
  const texts = entries.map(({ collection, key, text, version, changedAt, times = '{}' }) => {
    const kept = times === '{}' ? '' : `,"times":${inOneLine(times)}`;
    return `${JSON.stringify({ collection, key, version, changedAt }).slice(0, -1)}${kept},"value":${inOneLine(text)}}`;
  });
  return `${JSON.stringify(about).slice(0, -1)},"entries":[${texts.join(',')}]}`;
}

/** Ends of lines are white space in JSON, and nothing else: in its texts they are escaped. */
function inOneLine(text: string): string {
  return text.replaceAll(/[\r\n]/g, ' ');
}
