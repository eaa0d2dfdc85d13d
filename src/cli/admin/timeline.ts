import type { AccountChosen, SnapshotSummary, TimelineEvent } from '../../server/index.js';
import { auditColumns } from './audit.js';
import { type Columns, moment } from './table.js';

const choices: { readonly [choice in AccountChosen['choice']]: string } = {
  local: 'this account, that of the device, over',
  cloud: 'this account, that of the login, over',
  merge: 'this account, merged with',
  support: 'this account, into which an operator merged',
};

const reasons: { readonly [reason: string]: string } = {
  merge: 'was there before a merge',
  overwrite: 'was overwritten',
  mismatch: 'came second',
};

/** What happened, in words. */
function whatOf(event: TimelineEvent): string {
  switch (event.kind) {
    case 'made':
      return 'made';
    case 'linked':
      return `linked ${event.method}`;
    case 'signed_in':
      return `signed in by ${event.method}`;
    case 'conflict':
      return `met a conflict by ${event.method}`;
    case 'chosen':
      return 'chosen';
    case 'kept':
      return 'replaced';
    case 'undone':
      return 'undone';
    case 'written':
      return 'written';
    case 'operator':
      return event.deed.action;
    case 'orphaned':
      return 'orphaned';
    case 'deleted':
      return `deleted by ${event.by === 'player' ? 'the player' : 'an operator'}`;
  }
}

function detailsOf(event: TimelineEvent): string {
  switch (event.kind) {
    case 'made':
      return '';
    case 'linked':
      return [event.label, event.subject, event.device].filter((text) => text !== undefined).join(' ');
    case 'signed_in':
      return `on ${event.device}, open until ${moment(event.expiresAt)}`;
    case 'conflict':
      return `${event.localUserId} or ${event.cloudUserId}, until ${moment(event.expiresAt)}`;
    case 'chosen':
      return `${choices[event.choice]} ${event.fromUserId}`;
    case 'kept':
      return `${savesOf(event.snapshot)} ${reasons[event.snapshot.reason] ?? event.snapshot.reason}`;
    case 'undone':
      return `a snapshot was restored; ${savesOf(event.snapshot)} of before kept`;
    case 'written':
      return `${event.entry.collection}/${event.entry.key} version ${event.entry.version}`;
    case 'operator':
      return `${event.deed.by.name}: ${auditColumns['DETAILS']?.(event.deed) ?? ''}`;
    case 'orphaned':
    case 'deleted':
      return `removed at ${moment(event.removedAt)}`;
  }
}

function savesOf({ entries }: SnapshotSummary): string {
  return entries === 1 ? '1 save' : `${entries} saves`;
}

/** What happened to a player. `SNAPSHOT` is what `players restore` takes to go back there. */
export const timelineColumns: Columns<TimelineEvent> = {
  WHEN: ({ at }) => moment(at),
  WHAT: whatOf,
  DETAILS: detailsOf,
  SNAPSHOT: (event) => ('snapshot' in event ? (event.snapshot?.id ?? '') : ''),
};
