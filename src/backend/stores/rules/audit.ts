import { versions } from '../../../protocol/gaps/versions.js';
import type {
  AuditDetails,
  AuditRecord,
  OperatorChange,
  OperatorChanges,
  OperatorKeyRecord,
  OperatorRequest,
} from '../operator-requests.js';
import type { PlatformRecord } from '../platform-requests.js';
import { ownerOf, type Scope } from '../records.js';
import { type BothStates, changeOf, type DeviceNames } from './audited-state.js';
import { bytesOf } from './quotas.js';

/** What was there before a change and after it, and how operators call the devices in it. */
interface Seen extends BothStates {
  names: DeviceNames;
}

/**
 * What the audit log says of each change; null where nothing was changed. It names what was changed, and holds none of
 * a player's values: they are the player's, and go when the account goes.
 */
const detailsOf: {
  readonly [Change in OperatorChange]: (
    request: OperatorChanges[Change]['request'],
    outcome: OperatorChanges[Change]['outcome'],
    seen: Seen,
  ) => AuditDetails | null;
} = {
  addOperatorKey: (key) => ({ owner: null, what: { key: key.keyId }, after: shownKey(key) }),
  removeOperatorKey: (keyId, removed) =>
    removed === null ? null : { owner: null, what: { key: keyId }, before: shownKey(removed) },
  updateEntry({ owner, collection, key, text, snapshot }, written) {
    if (written.outcome !== 'written') return null;
    const after = { version: written.version, bytes: bytesOf(text) };
    // What was there before is in the snapshot, as long as the player's account has it.
    const before = { version: written.version - 1, snapshot: snapshot.snapshotId };
    return { owner, what: { collection, key }, ...(written.version === versions.first ? {} : { before }), after };
  },
  restoreSnapshot({ key: { snapshotId, ...owner }, snapshot }, restored) {
    if (restored.outcome !== 'restored') return null;
    const before = { snapshot: snapshot.snapshotId };
    return { owner, what: { snapshot: snapshotId }, before, after: { entries: restored.entries.length } };
  },
  endSessions: (owner, ended) =>
    ended === null ? null : { owner, what: {}, before: { sessions: ended }, after: { sessions: 0 } },
  unlinkMethod({ owner, method, device }, outcome, seen) {
    if (outcome !== 'unlinked') return null;
    const what = { method, ...(device === undefined ? {} : { device: seen.names.get(device) }) };
    return { owner, what, ...changeOfAccount(seen) };
  },
  deleteAccount: ({ session }, deletedAt, seen) =>
    deletedAt === null ? null : { owner: ownerOf(session), what: {}, ...changeOfAccount(seen) },
  restoreAccount({ owner, link }, isThere, seen) {
    if (!isThere) return null;
    const from = seen.before.other?.account.accountId;
    const what = { device: seen.names.get(link.subject), ...(from === undefined ? {} : { from }) };
    return { owner, what, ...changeOfAccount(seen) };
  },
  undelete: ({ owner }, outcome, seen) =>
    outcome === 'restored' ? { owner, what: {}, ...changeOfAccount(seen) } : null,
  banAccount({ owner, ban }, outcome) {
    if (outcome === null) return null;
    const { before, sessions } = outcome;
    return { owner, what: {}, before: { ban: before, sessions }, after: { ban, sessions: 0 } };
  },
  unbanAccount: ({ owner }, before) =>
    typeof before === 'string' ? null : { owner, what: {}, before: { ban: before }, after: { ban: null } },
  makeCode({ link, kind, expiresAt }, outcome, seen) {
    if (outcome !== 'made') return null;
    return { owner: ownerOf(link), what: { method: link.method, kind }, ...changeOfCode(seen, expiresAt) };
  },
  makeSignInCode: ({ owner, expiresAt }, outcome, seen) =>
    outcome === 'made' ? { owner, what: { kind: 'sign_in' }, ...changeOfCode(seen, expiresAt) } : null,
  mergeAccounts({ owner, into, entries, snapshots: [kept, own] }, outcome) {
    if (outcome.outcome !== 'merged') return null;
    const { moved, sessions, written } = outcome;
    const what = { from: owner.accountId, entries, methods: moved };
    // The log of the account that the player has since.
    const before = { leadTo: owner.accountId, sessions, snapshot: entries === 'take' ? own.snapshotId : null };
    return { owner: into, what, before, after: { leadTo: into.accountId, written, snapshot: kept.snapshotId } };
  },
  undoChoice({ owner, snapshot }, outcome) {
    if (outcome.outcome !== 'undone') return null;
    const { choice, sessions, written } = outcome;
    const what = { choice: choice.choice, id: choice.choiceId, methods: choice.moved.map(({ method }) => method) };
    const kept = choice.snapshotId === null ? null : snapshot.snapshotId;
    const before = { leadTo: owner.accountId, sessions, snapshot: kept };
    return { owner, what, before, after: { leadTo: choice.fromId, written } };
  },
  retryEvents: ({ gameId, eventId }, events) =>
    events.length === 0
      ? null
      : {
          owner: null,
          what: { game: gameId, event: eventId },
          before: { dead: events.length },
          after: { waiting: events.length },
        },
  savePlatform({ scope, platform: { name } }, saved) {
    if (saved.outcome !== 'saved') return null;
    const before = saved.before === null ? {} : { before: shownPlatform(saved.before) };
    return { owner: null, what: platformAt(scope, name), ...before, after: shownPlatform(saved.platform) };
  },
  removePlatform: ({ scope, name }, removed) =>
    removed.outcome === 'removed'
      ? { owner: null, what: platformAt(scope, name), before: shownPlatform(removed.before) }
      : null,
  noteExport: (owner, isThere) => (isThere ? { owner, what: {} } : null),
  noteSignIn: ({ from }) => ({ owner: null, what: { from } }),
};

function changeOfAccount({ before, after, names }: Seen): Pick<AuditDetails, 'before' | 'after'> {
  return changeOf(before.account, after.account, names);
}

/** Until when a code counts: the former one, and the one in its place. */
function changeOfCode({ before }: Seen, expiresAt: number) {
  return { before: { expiresAt: before.codeUntil }, after: { expiresAt } };
}

/** The account besides, and what its log says otherwise than that of the first one. */
type OtherAccount = { accountId: string } & Pick<AuditDetails, 'before' | 'after'>;

/**
 * The account besides, where a change concerns two: each has it in its log, so that whoever looks at
 * either finds the other one.
 */
const otherAccountOf: {
  readonly [Change in OperatorChange]?: (
    request: OperatorChanges[Change]['request'],
    outcome: OperatorChanges[Change]['outcome'],
    seen: Seen,
  ) => OtherAccount | null;
} = {
  restoreAccount(_request, _outcome, { before, after, names }) {
    const { other } = before;
    return other === null ? null : { accountId: other.account.accountId, ...changeOf(other, after.other, names) };
  },
  mergeAccounts: ({ owner }) => ({ accountId: owner.accountId }),
  undoChoice: (_, outcome) => (outcome.outcome === 'undone' ? { accountId: outcome.choice.fromId } : null),
};

/**
 * The entries of the audit log for a change: none where nothing was changed, and one in the log of each
 * account that it concerns.
 */
export function auditRecords<Change extends OperatorChange>(
  { change, request, mark: { otherAuditId, ...mark }, deviceNames: names = new Map() }: OperatorRequest<Change>,
  outcome: OperatorChanges[Change]['outcome'],
  states: BothStates,
): AuditRecord[] {
  const seen = { ...states, names };
  const details = detailsOf[change](request, outcome, seen);
  if (details === null) return [];
  const first = { ...mark, ...details };
  const other = otherAccountOf[change]?.(request, outcome, seen) ?? null;
  if (other === null || details.owner === null || otherAuditId === undefined) return [first];
  const { accountId, ...sides } = other;
  return [first, { ...first, ...sides, auditId: otherAuditId, owner: { ...details.owner, accountId } }];
}

function platformAt({ gameId: game, environment: env }: Scope, platform: string) {
  return { game, env, platform };
}

/** Of what is secret the names alone. */
function shownPlatform({ preset, isOn, settings, secrets, version }: PlatformRecord) {
  return { preset, isOn, settings, secrets, version };
}

function shownKey({ name, scope }: OperatorKeyRecord) {
  return { name, scope };
}
