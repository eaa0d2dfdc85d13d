import type { LinkMethod } from '../../../protocol/conflict.js';
import type { AccountsRefusal, ChoiceRecord } from '../choice-requests.js';
import {
  type AccountRecord,
  type LinkKey,
  type NewSnapshot,
  type Owner,
  ownerOf,
  type SessionRecord,
} from '../records.js';
import { banOf } from './bans.js';

/** Why links may not go from one account to another; null where they may. */
export function refusedMove(
  accounts: readonly (AccountRecord | undefined)[],
  { moving, there, now }: { moving: readonly LinkKey[]; there: readonly LinkKey[]; now: number },
): AccountsRefusal | null {
  for (const account of accounts) if (account === undefined) return { outcome: 'no_account' };
  for (const account of accounts) {
    if (account?.deletedAt !== null) return { outcome: 'deleted' };
    const ban = banOf(account, now);
    if (ban !== null) return { outcome: 'banned', ban };
  }
  const method = methodOfBoth(moving, there);
  return method === null ? null : { outcome: 'method_already_linked', method };
}

/** The kind of which both have a link, though an account may have one; null where there is none. */
function methodOfBoth(moving: readonly LinkKey[], there: readonly LinkKey[]): LinkMethod | null {
  const found = moving.find(({ method }) => method !== 'device' && there.some((link) => link.method === method));
  return found?.method ?? null;
}

/** The choice that an account keeps. It can be taken back as long as what was not chosen is kept. */
export function choiceRecord(
  owner: Owner,
  {
    choice,
    from,
    moved,
    kept,
    own,
    now,
  }: {
    choice: ChoiceRecord['choice'];
    from: Owner;
    moved: readonly LinkKey[];
    /** The snapshot of the entries of `from`. */
    kept: NewSnapshot;
    /** The snapshot of the account's own entries. */
    own: string | null;
    now: number;
  },
): ChoiceRecord {
  return {
    ...ownerOf(owner),
    choiceId: kept.snapshotId,
    choice,
    fromId: from.accountId,
    moved: moved.map(({ method, subject }) => ({ method, subject })),
    snapshotId: own,
    madeAt: now,
    expiresAt: kept.expiresAt,
  };
}

/**
 * The choice that an account keeps of a merge. Where nothing led to the other account any more, because that was merged
 * or left before, it is taken back together with that: otherwise two clicks would make the first one final.
 */
export function withEarlier(choice: ChoiceRecord, earlier: ChoiceRecord | null): ChoiceRecord {
  if (choice.moved.length > 0 || earlier?.fromId !== choice.fromId) return choice;
  const { moved, expiresAt } = earlier;
  return { ...choice, moved, expiresAt, snapshotId: earlier.snapshotId ?? choice.snapshotId };
}

/** The order in which links leave an account: devices last, as they alone may push others out. */
export function inOrderOfMoving<Link extends LinkKey>(links: readonly Link[]): Link[] {
  const isDevice = ({ method }: LinkKey): boolean => method === 'device';
  return [...links.filter((link) => !isDevice(link)), ...links.filter(isDevice)];
}

/**
 * The sessions of an account that end as links leave it: those on devices that leave, and those that came from another
 * link that leaves, but for those on devices that stay.
 */
export function sessionsThatLeave(
  sessions: readonly SessionRecord[],
  { leaving, staying }: { leaving: readonly LinkKey[]; staying: readonly LinkKey[] },
): SessionRecord[] {
  const devicesOf = (links: readonly LinkKey[]): string[] =>
    links.filter(({ method }) => method === 'device').map(({ subject }) => subject);
  const [away, here] = [devicesOf(leaving), devicesOf(staying)];
  return sessions.filter((session) => {
    const cameFrom = leaving.some(({ method, subject }) => method === session.method && subject === session.subject);
    return away.includes(session.device) || (cameFrom && !here.includes(session.device));
  });
}
