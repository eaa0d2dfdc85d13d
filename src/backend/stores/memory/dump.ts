import type { ChoiceRecord } from '../choice-requests.js';
import type { CodeRecord } from '../code-requests.js';
import type { CountRecord } from '../count-requests.js';
import type { EventRecord } from '../event-requests.js';
import type { AuditRecord, OperatorKeyRecord } from '../operator-requests.js';
import type { PlatformsRecord } from '../platform-requests.js';
import type {
  AccountLink,
  AccountRecord,
  EntryRecord,
  PlacedRecord,
  Scope,
  SessionRecord,
  SnapshotRecord,
  TicketRecord,
} from '../records.js';
import type { Attempts } from '../rules/attempts.js';
import { listEntries } from '../rules/held-entries.js';
import { readLedger, writeLedger } from '../rules/ledger.js';
import { entryBytes } from '../rules/quotas.js';
import { bytesOfEntries } from '../rules/snapshots.js';
import { countKey } from './counts.js';
import { scopeKey } from './platforms.js';
import { copySession } from './sessions.js';
import { copySnapshot } from './snapshots.js';
import { codeKey, entryKey, linkKey, type MemoryAccount, MemoryTables, ownerKey } from './tables.js';

/**
 * Everything that a memory store holds, as data that JSON can carry. No password, token, ticket or device id is in it.
 */
export interface MemoryDump {
  /** The version of this form. */
  format: 1;
  /** All accounts, each with its entries and snapshots. */
  accounts: DumpedAccount[];
  /** All login methods that lead to an account. */
  links: AccountLink[];
  /** All sessions that have not been ended. */
  sessions: SessionRecord[];
  /** The tickets of conflicts, by their hashes. */
  tickets: TicketRecord[];
  /** The nonces of signed requests. */
  nonces: DumpedNonce[];
  /** The attempts that rate limits have counted. */
  attempts: DumpedAttempts[];
  /** One-time codes, by their hashes. Dumps of an earlier version have none. */
  codes?: CodeRecord[];
  /** Operators' keys, by their hashes. Dumps of an earlier version have none. */
  operatorKeys?: OperatorKeyRecord[];
  /** What operators have changed. Dumps of an earlier version have none. */
  audit?: AuditRecord[];
  /** Events that have not been delivered, in their order. Dumps of an earlier version have none. */
  events?: EventRecord[];
  /** What was counted, by days. Dumps of an earlier version have none. */
  counts?: (Scope & CountRecord)[];
  /**
   * The platforms that operators have registered; what is secret of them is sealed. Dumps of an
   * earlier version have none.
   */
  platforms?: (Scope & Omit<PlatformsRecord, 'former'> & Partial<PlatformsRecord>)[];
}

/** An account with its entries and snapshots. */
export interface DumpedAccount extends AccountRecord {
  /** All entries, by collection and key. */
  entries: DumpedEntry[];
  /** All snapshots, oldest first. */
  snapshots: SnapshotRecord[];
  /** The latest choice that the account was chosen by. Dumps of an earlier version have none. */
  choice?: ChoiceRecord | null;
}

/** An entry and its ledger. */
export interface DumpedEntry extends PlacedRecord {
  /** The last named write of each device, and the version that it made; absent where there was none. */
  writes?: { [device: string]: readonly [write: string, version: number] };
}

/** A nonce of a signed request. */
export interface DumpedNonce {
  /** The game. */
  gameId: string;
  /** The nonce itself, as the request has carried it. */
  nonce: string;
  /** Until when it is claimed, in ms since 1970. */
  expiresAt: number;
}

/** The attempts at one key. */
export interface DumpedAttempts extends Attempts {
  /** What is limited, such as a name or an address. */
  key: string;
}

export function dumpTables(tables: MemoryTables): MemoryDump {
  const accounts = [...tables.accounts.values()];
  return {
    format: 1,
    accounts: accounts.map((account) => ({
      ...account.record,
      entries: listEntries(account).map((entry) => dumpEntry(account, entry)),
      snapshots: [...account.snapshots.values()].map(copySnapshot),
      choice: structuredClone(account.choice),
    })),
    links: [...tables.links.values()].map((link) => ({ ...link })),
    sessions: accounts.flatMap((account) => [...account.sessions.values()].map(copySession)),
    tickets: [...tables.tickets.values()].map((ticket) => ({ ...ticket })),
    nonces: [...tables.nonces].flatMap(([gameId, nonces]) =>
      [...nonces].map(([nonce, expiresAt]) => ({ gameId, nonce, expiresAt })),
    ),
    attempts: [...tables.attempts].map(([key, attempt]) => ({ key, ...attempt })),
    codes: [...tables.codes.values()].map((code) => ({ ...code })),
    operatorKeys: [...tables.operatorKeys.values()].map((key) => ({ ...key })),
    audit: [...tables.audit.values()].map((entry) => structuredClone(entry)),
    events: [...tables.events.values()].map((event) => structuredClone(event)),
    counts: [...tables.counts.values()].map((counted) => ({ ...counted })),
    platforms: [...tables.platforms.values()].map(({ scope, record }) => structuredClone({ ...scope, ...record })),
  };
}

function dumpEntry(account: MemoryAccount, entry: PlacedRecord): DumpedEntry {
  const ledger = account.ledgers.get(entryKey(entry));
  return ledger === undefined ? entry : { ...entry, writes: writeLedger(ledger) };
}

/** Throws TypeError for what is not a dump. */
export function loadTables(dump: MemoryDump): MemoryTables {
  if (typeof dump !== 'object' || dump === null || dump.format !== 1) {
    throw new TypeError('dump must be what a memory store gave with dump()');
  }
  const tables = new MemoryTables();
  for (const { entries, snapshots, choice = null, ...record } of dump.accounts) {
    const account = tables.addAccount(record, record.createdAt);
    Object.assign(account.record, record);
    account.choice = structuredClone(choice);
    for (const { collection, writes, ...entry } of entries) {
      if (writes !== undefined) account.ledgers.set(entryKey({ collection, key: entry.key }), readLedger(writes));
      const stored = account.collections.get(collection) ?? new Map<string, EntryRecord>();
      account.collections.set(collection, stored.set(entry.key, { ...entry }));
      account.valueBytes += entryBytes(entry);
    }
    for (const snapshot of snapshots) {
      const kept = snapshot.entries.map((entry) => ({ ...entry }));
      account.snapshots.set(snapshot.snapshotId, { ...snapshot, entries: kept, bytes: bytesOfEntries(kept) });
    }
  }
  // Dumps of an earlier version know no revisions, no e-mail addresses or not their time, not when a link was used, and
  // not when a session was last authenticated.
  for (const link of dump.links) {
    const { revision = 0, lastUsedAt = link.linkedAt, mailAddress = null, mailAddressAt = null } = link;
    const record = { ...link, revision, lastUsedAt, mailAddress, mailAddressAt };
    tables.revision = Math.max(tables.revision, record.revision);
    tables.links.set(linkKey(record), record);
    tables.accounts.get(ownerKey(record))?.links.set(linkKey(record), record);
  }
  for (const session of dump.sessions) {
    const record = { ...session, authenticatedAt: session.authenticatedAt ?? session.openedAt };
    tables.account(session)?.sessions.set(session.sessionId, copySession(record));
  }
  for (const ticket of dump.tickets) {
    const record = { ...ticket, linkRevision: ticket.linkRevision ?? 0 };
    tables.revision = Math.max(tables.revision, record.linkRevision);
    tables.tickets.set(record.ticket, record);
  }
  for (const { gameId, nonce, expiresAt } of dump.nonces) {
    const nonces = tables.nonces.get(gameId) ?? new Map<string, number>();
    tables.nonces.set(gameId, nonces.set(nonce, expiresAt));
  }
  for (const { key, ...attempt } of dump.attempts) tables.attempts.set(key, attempt);
  for (const code of dump.codes ?? []) {
    tables.codes.set(codeKey(code, code.kind), { ...code, mailAddress: code.mailAddress ?? null });
  }
  for (const key of dump.operatorKeys ?? []) tables.operatorKeys.set(key.keyId, { ...key });
  for (const entry of dump.audit ?? []) tables.audit.set(entry.auditId, structuredClone(entry));
  for (const event of dump.events ?? []) {
    tables.lastOrdinal = Math.max(tables.lastOrdinal, event.ordinal);
    tables.events.set(event.eventId, { ...structuredClone(event), lastStatus: event.lastStatus ?? null });
  }
  for (const counted of dump.counts ?? []) tables.counts.set(countKey(counted), { ...counted });
  for (const { gameId, environment, ...record } of dump.platforms ?? []) {
    const scope = { gameId, environment };
    tables.platforms.set(scopeKey(scope), { scope, record: { former: [], ...structuredClone(record) } });
  }
  return tables;
}
