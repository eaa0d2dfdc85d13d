import type { AdminPlayer, AuditEntry, SnapshotSummary } from '../../server/index.js';
import { auditColumns } from './audit.js';
import { type Columns, moment } from './table.js';

/** Something that was done to an account, or that its player has chosen. */
interface Deed {
  at: number;
  who: string;
  what: string;
  details: string;
  /** The snapshot that has what lost. */
  snapshot: string;
}

/**
 * The audit log of a player, and in it the player's own choices in conflicts: the latest one as long as it can be taken
 * back, the earlier ones as long as there is a snapshot of what lost. Newest first.
 */
export function deedsOf({
  player,
  snapshots,
  entries,
}: {
  player: AdminPlayer;
  snapshots: readonly SnapshotSummary[];
  entries: readonly AuditEntry[];
}): Deed[] {
  const done = entries.map((entry) => {
    const details = auditColumns['DETAILS']?.(entry) ?? '';
    return { at: entry.at, who: entry.by.name, what: entry.action, details, snapshot: '' };
  });
  // What an operator has merged is in the log already, and no choice of the player's.
  const ofOperators = new Set(entries.map(({ after }) => after?.['snapshot']));
  const ofPlayers = snapshots.filter(({ id }) => !ofOperators.has(id));
  return [...done, ...choicesOf(player, ofPlayers)].sort((one, other) => other.at - one.at);
}

function choicesOf({ userId, choice: latest }: AdminPlayer, snapshots: readonly SnapshotSummary[]): Deed[] {
  const chosen = (at: number, choice: 'local' | 'cloud' | 'merge', from: string, lost?: SnapshotSummary): Deed => {
    const details = `${choice === 'merge' ? 'with' : 'over'} ${from}`;
    return { at, who: 'the player', what: `chose ${choice}`, details, snapshot: lost?.id ?? '' };
  };
  const found = snapshots.flatMap((snapshot) => {
    const { id, reason, createdAt, fromUserId } = snapshot;
    if (fromUserId === userId || id === latest?.id) return [];
    const isChoice = reason === 'local' || reason === 'cloud' || reason === 'merge';
    return isChoice ? [chosen(createdAt, reason, fromUserId, snapshot)] : [];
  });
  if (latest === undefined || latest.choice === 'support') return found;
  const lost = snapshots.find(({ id }) => id === latest.id);
  return [...found, chosen(latest.madeAt, latest.choice, latest.fromUserId, lost)];
}

export const deedColumns: Columns<Deed> = {
  WHEN: ({ at }) => moment(at),
  WHO: ({ who }) => who,
  WHAT: ({ what }) => what,
  DETAILS: ({ details }) => details,
  SNAPSHOT: ({ snapshot }) => snapshot,
};
