import type { Store } from '../store.js';
import {
  cancelDeletion,
  deleteAccount,
  ensureAccount,
  ensureCustomAccount,
  readAccount,
  readProfile,
  restoreAccount,
} from './accounts.js';
import { countAttempt, forgiveAttempt } from './attempts.js';
import { listChoices, readChoice } from './choices.js';
import { makeCode, removeMailAddress, resetPassword, signInByCode, verifyMailAddress } from './codes.js';
import { findConflict, openTicket, readConflictSides, resolveConflict } from './conflicts.js';
import { readCounts } from './counts.js';
import { dumpTables, loadTables, type MemoryDump } from './dump.js';
import { listCollections, readCollection, readEntries, updateEntry } from './entries.js';
import { claimEvents, listDeadEvents, readEventQueue, settleEvent, trimEvents } from './events.js';
import { importAccount, readForExport } from './imports.js';
import { findLink, linkMethod, replaceCredential, replaceLink, unlinkMethod } from './links.js';
import { claimNonce, isNonceClaimed } from './nonces.js';
import { changeAsOperator, findOperatorKey, listOperatorKeys, readAudit } from './operators.js';
import { readPlatforms } from './platforms.js';
import {
  listAccounts,
  listConflicts,
  listEntryInfos,
  listOpenConflicts,
  listScopes,
  listWrites,
  readEntry,
} from './players.js';
import { removeExpired } from './retention.js';
import {
  endSession,
  endSessions,
  findSession,
  knowsDevice,
  listSessions,
  markUsed,
  openSession,
  reauthenticate,
  signOutOthers,
  updateSession,
} from './sessions.js';
import { addSnapshot, listSnapshots, readSnapshot, restoreSnapshot } from './snapshots.js';
import { MemoryTables } from './tables.js';
import { readUsage } from './usage.js';

/**
 * A store in memory. Everything in it is gone when the process ends, unless it is dumped before and loaded afterwards.
 */
export interface MemoryStore extends Store {
  /** Gives a copy of everything that the store holds, as data that JSON can carry. */
  dump(): MemoryDump;
  /** Replaces everything that the store holds by a dump. Throws TypeError for what is not one. */
  load(dump: MemoryDump): void;
}

/** Makes a store in memory, for tests, demos and `savepoint dev`. */
export function createMemoryStore(): MemoryStore {
  // Every operation is atomic because its function does all its work before it returns to the event loop.
  let tables = new MemoryTables();

  return {
    dump: () => dumpTables(tables),

    load(dump) {
      tables = loadTables(dump);
    },

    findLink: async (key) => findLink(tables, key),
    ensureAccount: async (request) => ensureAccount(tables, request),
    ensureCustomAccount: async (request) => ensureCustomAccount(tables, request),
    importAccount: async (request) => importAccount(tables, request),
    linkMethod: async (request) => linkMethod(tables, request),
    restoreAccount: async (request) => restoreAccount(tables, request),
    unlinkMethod: async (request) => unlinkMethod(tables, request),
    replaceLink: async (request) => replaceLink(tables, request),
    replaceCredential: async (request) => replaceCredential(tables, request),
    makeCode: async (request) => makeCode(tables, request),
    resetPassword: async (request) => resetPassword(tables, request),
    signInByCode: async (request) => signInByCode(tables, request),
    verifyMailAddress: async (request) => verifyMailAddress(tables, request),
    removeMailAddress: async (request) => removeMailAddress(tables, request),
    knowsDevice: async (request) => knowsDevice(tables, request),
    readAccount: async (owner) => readAccount(tables, owner),
    readProfile: async (owner) => readProfile(tables, owner),
    readForExport: async (owner) => readForExport(tables, owner),
    deleteAccount: async (request) => deleteAccount(tables, request),
    cancelDeletion: async (request) => cancelDeletion(tables, request),
    openSession: async (session) => openSession(tables, session),
    reauthenticate: async (request) => reauthenticate(tables, request),
    markUsed: async (request) => markUsed(tables, request),
    findSession: async (key) => findSession(tables, key),
    updateSession: async (session) => updateSession(tables, session),
    endSession: async (key) => endSession(tables, key),
    listSessions: async (owner) => listSessions(tables, owner),
    endSessions: async (owner) => endSessions(tables, owner),
    signOutOthers: async (request) => signOutOthers(tables, request),
    openTicket: async (ticket) => openTicket(tables, ticket),
    findConflict: async (request) => findConflict(tables, request),
    readConflictSides: async (request) => readConflictSides(tables, request),
    resolveConflict: async (request) => resolveConflict(tables, request),
    listCollections: async (request) => listCollections(tables, request),
    readCollection: async (request) => readCollection(tables, request),
    readEntries: async (request) => readEntries(tables, request),
    updateEntry: async (request) => updateEntry(tables, request),
    readUsage: async (request) => readUsage(tables, request),
    addSnapshot: async (request) => addSnapshot(tables, request),
    listSnapshots: async (request) => listSnapshots(tables, request),
    readSnapshot: async (request) => readSnapshot(tables, request),
    restoreSnapshot: async (request) => restoreSnapshot(tables, request),
    claimNonce: async (request) => claimNonce(tables, request),
    isNonceClaimed: async (request) => isNonceClaimed(tables, request),
    countAttempt: async (request) => countAttempt(tables, request),
    forgiveAttempt: async (request) => forgiveAttempt(tables, request),
    listAccounts: async (request) => listAccounts(tables, request),
    listScopes: async () => listScopes(tables),
    listEntries: async (request) => listEntryInfos(tables, request),
    listWrites: async (request) => listWrites(tables, request),
    readEntry: async (request) => readEntry(tables, request),
    readChoice: async (request) => readChoice(tables, request),
    listConflicts: async (request) => listConflicts(tables, request),
    listChoices: async (request) => listChoices(tables, request),
    listOpenConflicts: async (request) => listOpenConflicts(tables, request),
    findOperatorKey: async (keyId) => findOperatorKey(tables, keyId),
    listOperatorKeys: async () => listOperatorKeys(tables),
    changeAsOperator: async (request) => changeAsOperator(tables, request),
    readAudit: async (request) => readAudit(tables, request),
    claimEvents: async (request) => claimEvents(tables, request),
    settleEvent: async (request) => settleEvent(tables, request),
    trimEvents: async (request) => trimEvents(tables, request),
    readEventQueue: async (request) => readEventQueue(tables, request),
    listDeadEvents: async (request) => listDeadEvents(tables, request),
    readCounts: async (request) => readCounts(tables, request),
    readPlatformsRevision: async (scope) => readPlatforms(tables, scope).revision,
    readPlatforms: async (scope) => readPlatforms(tables, scope),
    removeExpired: async (request) => removeExpired(tables, request),
  };
}
