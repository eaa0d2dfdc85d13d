import { versions } from '../../../protocol/gaps/versions.js';
import type { WriteOutcome, WriteRequest } from '../records.js';
import type { Store } from '../store.js';
import {
  deleteAccount,
  ensureAccount,
  ensureCustomAccount,
  linkToAccount,
  relink,
  replaceCredential,
  replaceLink,
  restoreAccount,
  unlink,
} from './account-steps.js';
import { lockLiving } from './accounts.js';
import { countAttempt, forgiveAttempt } from './attempts.js';
import { openTicket, readConflict, resolveConflict } from './conflicts.js';
import { findEntry, forceEntry, readAllEntries, readCollection, replaceEntry, writeEntry } from './entries.js';
import { readDetails, readLink } from './links.js';
import { createNonces } from './nonces.js';
import { restoreSnapshot } from './restore-snapshot.js';
import { removeExpired } from './retention.js';
import { endSession, endSessions, openSession, readSession, readSessions, updateSession } from './sessions.js';
import { keepSnapshot, listSnapshots, readSnapshot } from './snapshots.js';
import type { SqlRunner, Steps } from './statement.js';

/** The store on any database whose runner is given; its schema has to be there. */
export function createSqlStore(runner: SqlRunner): Store {
  return {
    findLink: (key) => runner.read(() => readLink(key)),

    ensureAccount: (request) => runner.change(() => ensureAccount(request)),

    async ensureCustomAccount(request) {
      const known = await runner.read(() => readLink(request.custom));
      const onDevice = known === null ? null : await runner.read(() => readLink(request.device));
      // Nothing is to be done where both lead somewhere, which is so all but once.
      if (known !== null && onDevice !== null) return { accountId: known.accountId };
      return runner.change(() => ensureCustomAccount(request));
    },

    link: (request) => runner.change(() => linkToAccount(request)),
    relink: (request) => runner.change(() => relink(request)),
    unlink: (request) => runner.change(() => unlink(request)),
    replaceLink: (request) => runner.change(() => replaceLink(request)),
    replaceCredential: (request) => runner.change(() => replaceCredential(request)),
    findAccount: (owner) => runner.read(() => readDetails(owner)),

    readProfile: (owner) =>
      runner.picture(function* () {
        const details = yield* readDetails(owner);
        return details === null ? null : { ...details, entries: yield* readAllEntries(owner) };
      }),

    deleteAccount: (request) => runner.change(() => deleteAccount(request)),
    restoreAccount: (request) => runner.change(() => restoreAccount(request)),
    openSession: (session) => runner.change(() => openSession(session)),
    findSession: (key) => runner.read(() => readSession(key)),
    updateSession: (session) => runner.single(() => updateSession(session)),
    endSession: (key) => runner.single(() => endSession(key)),
    listSessions: (owner) => runner.read(() => readSessions(owner)),
    endSessions: (owner) => runner.single(() => endSessions(owner)),
    openTicket: (ticket) => runner.single(() => openTicket(ticket)),
    readConflict: (request) => runner.picture(() => readConflict(request)),
    resolveConflict: (request) => runner.change(() => resolveConflict(request)),
    readCollection: ({ owner, collection }) => runner.read(() => readCollection(owner, collection)),
    writeEntry: (request) => writeThrough(runner, request),

    addSnapshot: ({ owner, entry, lost, now }) =>
      runner.change(function* (): Steps<boolean> {
        if ((yield* lockLiving(owner)) === null) return false;
        yield* keepSnapshot(owner, { reason: 'mismatch', entries: [entry], lost, now });
        return true;
      }),

    listSnapshots: ({ owner, now }) => runner.read(() => listSnapshots(owner, now)),
    findSnapshot: ({ key, now }) => runner.read(() => readSnapshot(key, now)),
    restoreSnapshot: (request) => runner.change(() => restoreSnapshot(request)),
    claimNonce: createNonces(runner),
    countAttempt: (request) => runner.change(() => countAttempt(request)),
    forgiveAttempt: (request) => runner.single(() => forgiveAttempt(request)),
    removeExpired: (request) => removeExpired(runner, request),
  };
}

/**
 * An update is one statement. What that cannot do takes a transaction: to make an entry, for a collection's entries have
 * to be counted, and to force one while somebody else writes it.
 */
async function writeThrough(runner: SqlRunner, request: WriteRequest): Promise<WriteOutcome> {
  const { owner, version, now } = request;
  if (version === versions.force) {
    const written = runner.writesInWith ? await runner.single(() => forceEntry(request)) : null;
    return written === null ? runner.change(() => writeEntry(request)) : { outcome: 'written', version: written };
  }
  if (version !== 'absent') {
    const written = await runner.single(() => replaceEntry(owner, request, { version, now }));
    if (written !== null) return { outcome: 'written', version: written };
  }
  const current = await runner.read(() => findEntry(owner, request));
  if (current === 'no_account') return { outcome: 'no_account' };
  const isMismatch = version === 'absent' ? current !== null : current?.version !== version;
  // It may have become the version that was asked for after the look for it.
  return isMismatch ? { outcome: 'mismatch', current } : runner.change(() => writeEntry(request));
}
