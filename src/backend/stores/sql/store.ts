import { versions } from '../../../protocol/gaps/versions.js';
import type { AddSnapshotOutcome, UpdateOutcome, UpdateRequest } from '../entry-requests.js';
import type { Owner, ProfileRecord } from '../records.js';
import { outcomeWithoutWriting } from '../rules/ledger.js';
import type { Store } from '../store.js';
import {
  cancelDeletion,
  deleteAccount,
  endSessions,
  ensureAccount,
  ensureCustomAccount,
  linkMethod,
  openSession,
  reauthenticate,
  replaceCredential,
  replaceLink,
  restoreAccount,
  signOutOthers,
  unlinkMethod,
} from './account-operations.js';
import { countAttempt, forgiveAttempt } from './attempts.js';
import { listChoices, readChoice } from './choices.js';
import { makeCode, removeMailAddress, resetPassword, signInByCode, verifyMailAddress } from './codes.js';
import { listCollections } from './collections.js';
import { findConflict, openTicket, readConflictSides, resolveConflictInTurns } from './conflicts.js';
import { readCounts } from './counts.js';
import { findEntry, isRefusal, readEntries, replaceStoredEntry, updateLockedEntry } from './entries.js';
import { claimEvents, listDeadEvents, readEventQueue, settleEvent, trimEvents } from './events.js';
import { forceEntry } from './force-entry.js';
import { importAccount, readForExport } from './imports.js';
import { findLink, markUsed, readAccount } from './links.js';
import { createClaimNonce, isNonceClaimed } from './nonces.js';
import { changeAsOperator, findOperatorKey, listOperatorKeys, readAudit } from './operators.js';
import { readPlatforms, readPlatformsRevision } from './platforms.js';
import {
  listAccounts,
  listConflicts,
  listEntryInfos,
  listOpenConflicts,
  listScopes,
  listWrites,
  readEntry,
} from './players.js';
import { readCollectionInTurns, readInTurns } from './read-in-turns.js';
import { restoreSnapshotInTurns } from './restore-snapshot.js';
import { removeExpired } from './retention.js';
import { endSession, findSession, knowsDevice, listSessions, updateSession } from './sessions.js';
import { hasSnapshot, keepSnapshot, listSnapshots, readSnapshotInTurns } from './snapshots.js';
import type { SqlRunner, Steps } from './statement.js';
import { readUsage } from './usage.js';
import { lockForWrite } from './write-access.js';

/** A store on any database that `runner` runs statements on; the schema must be there. */
export function createSqlStore(runner: SqlRunner): Store {
  return {
    findLink: (key) => runner.read(() => findLink(key)),

    ensureAccount: (request) => runner.transaction(() => ensureAccount(request)),

    async ensureCustomAccount(request) {
      const known = await runner.read(() => findLink(request.custom));
      const onDevice = known === null ? null : await runner.read(() => findLink(request.device));
      // After a player's first time both lead somewhere, and nothing has to be written.
      if (known !== null && onDevice !== null) return known;
      return runner.transaction(() => ensureCustomAccount(request));
    },

    importAccount: (request) => runner.transaction(() => importAccount(request)),
    linkMethod: (request) => runner.transaction(() => linkMethod(request)),
    restoreAccount: (request) => runner.transaction(() => restoreAccount(request)),
    unlinkMethod: (request) => runner.transaction(() => unlinkMethod(request)),
    replaceLink: (request) => runner.transaction(() => replaceLink(request)),
    replaceCredential: (request) => runner.transaction(() => replaceCredential(request)),
    makeCode: (request) => runner.transaction(() => makeCode(request)),
    resetPassword: (request) => runner.transaction(() => resetPassword(request)),
    signInByCode: (request) => runner.transaction(() => signInByCode(request)),
    verifyMailAddress: (request) => runner.transaction(() => verifyMailAddress(request)),
    removeMailAddress: (request) => runner.transaction(() => removeMailAddress(request)),
    knowsDevice: (request) => runner.read(() => knowsDevice(request)),
    readAccount: (owner) => runner.read(() => readAccount(owner)),

    readProfile: (owner) => readProfile(runner, owner),

    readForExport: (owner) => runner.readTransaction(() => readForExport(owner)),

    deleteAccount: (request) => runner.transaction(() => deleteAccount(request)),
    cancelDeletion: (request) => runner.transaction(() => cancelDeletion(request)),
    openSession: (request) => runner.transaction(() => openSession(request)),
    reauthenticate: (request) => runner.transaction(() => reauthenticate(request)),
    markUsed: (request) => runner.transaction(() => markUsed(request)),
    findSession: (key) => runner.read(() => findSession(key)),
    updateSession: (session) => runner.write(() => updateSession(session)),
    endSession: (key) => runner.write(() => endSession(key)),
    listSessions: (owner) => runner.read(() => listSessions(owner)),
    endSessions: (owner) => runner.transaction(() => endSessions(owner)),
    signOutOthers: (request) => runner.transaction(() => signOutOthers(request)),
    openTicket: (ticket) => runner.transaction(() => openTicket(ticket)),
    findConflict: (request) => runner.read(() => findConflict(request)),
    readConflictSides: (request) => readConflictSides(runner, request),
    resolveConflict: (request) => resolveConflictInTurns(runner, request),
    listCollections: (request) => runner.readOften(() => listCollections(request)),
    readCollection: (request) => readCollectionInTurns(runner, request),
    readEntries: (request) => runner.readTransaction(() => readEntries(request)),
    updateEntry: (request) => updateEntry(runner, request),

    readUsage: (request) => runner.read(() => readUsage(request)),

    addSnapshot: (request) =>
      runner.transaction(function* (): Steps<AddSnapshotOutcome> {
        const { owner, entry, snapshot, now } = request;
        const refused = yield* lockForWrite(request, runner.rowLocks);
        if (refused !== null) return refused;
        if (!(yield* hasSnapshot({ ...owner, snapshotId: snapshot.snapshotId }))) {
          yield* keepSnapshot(owner, { reason: 'mismatch', entries: [entry], snapshot, now });
        }
        return { outcome: 'kept' };
      }),

    listSnapshots: ({ owner, now }) => runner.read(() => listSnapshots(owner, now)),
    readSnapshot: ({ key, now }) => readSnapshotInTurns(runner, key, now),
    restoreSnapshot: (request) => restoreSnapshotInTurns(runner, request),
    claimNonce: createClaimNonce(runner),
    isNonceClaimed: (request) => runner.read(() => isNonceClaimed(request)),
    countAttempt: (request) => runner.transaction(() => countAttempt(request)),
    forgiveAttempt: (request) => runner.write(() => forgiveAttempt(request)),
    listAccounts: (request) => runner.read(() => listAccounts(request)),
    listScopes: () => runner.read(listScopes),
    listEntries: (request) => runner.readTransaction(() => listEntryInfos(request)),
    listWrites: (request) => runner.read(() => listWrites(request, runner.rowOrder)),
    readEntry: (request) => runner.read(() => readEntry(request)),
    readChoice: (request) => runner.read(() => readChoice(request)),
    listConflicts: (request) => runner.read(() => listConflicts(request)),
    listChoices: (request) => runner.read(() => listChoices(request)),
    listOpenConflicts: (request) => runner.read(() => listOpenConflicts(request)),
    findOperatorKey: (keyId) => runner.read(() => findOperatorKey(keyId)),
    listOperatorKeys: () => runner.read(listOperatorKeys),
    changeAsOperator: (request) => runner.transaction(() => changeAsOperator(request, runner)),
    readAudit: (request) => runner.read(() => readAudit(request)),
    claimEvents: (request) => runner.write(() => claimEvents(request, runner.rowLocks)),
    settleEvent: (request) => runner.write(() => settleEvent(request)),
    trimEvents: (request) => runner.transaction(() => trimEvents(request)),
    readEventQueue: (request) => runner.read(() => readEventQueue(request)),
    listDeadEvents: (request) => runner.read(() => listDeadEvents(request)),
    readCounts: (request) => runner.read(() => readCounts(request)),
    readPlatformsRevision: (scope) => runner.read(() => readPlatformsRevision(scope)),
    readPlatforms: (scope) => runner.read(() => readPlatforms(scope)),
    removeExpired: (request) => removeExpired(runner, request),
  };
}

function readProfile(runner: SqlRunner, owner: Owner): Promise<ProfileRecord | null> {
  return readInTurns(runner, {
    owners: async () => [owner],
    *read(entriesOf): Steps<ProfileRecord | null> {
      const details = yield* readAccount(owner);
      return details === null ? null : { ...details, entries: yield* entriesOf(owner) };
    },
  });
}

/**
 * `Store.updateEntry`. An update of a stored entry is one statement. A transaction is needed only to make an entry,
 * because the collection's entries have to be counted; for a value that does not fit its room any more; to force a
 * write while somebody else writes the entry; and for a device's first named write of an entry, because the ledger's
 * devices have to be counted.
 */
async function updateEntry(runner: SqlRunner, request: UpdateRequest): Promise<UpdateOutcome> {
  const { version } = request;
  const { canWriteInWith, rowLocks } = runner;
  const updateLocked = () => runner.transaction(() => updateLockedEntry(request, rowLocks));
  if (version === versions.force) {
    const written = canWriteInWith ? await runner.write(() => forceEntry(request, rowLocks)) : null;
    return written === null ? updateLocked() : { outcome: 'written', version: written };
  }
  if (version !== 'absent') {
    const written = await runner.write(() => replaceStoredEntry(runner, { ...request, version }));
    if (written !== null) return { outcome: 'written', version: written };
  }
  const found = await runner.read(() => findEntry(request));
  if (isRefusal(found)) return found;
  // Where the version matches, the value has outgrown its room, or another request has written the entry since the
  // first statement: the transaction decides.
  return outcomeWithoutWriting(request, found.record, found.ledger) ?? updateLocked();
}
