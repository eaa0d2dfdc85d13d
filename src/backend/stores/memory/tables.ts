import type { ChoiceRecord } from '../choice-requests.js';
import type { CodeKind, CodeRecord } from '../code-requests.js';
import type { CountRecord } from '../count-requests.js';
import type { EventRecord } from '../event-requests.js';
import type { AuditRecord, OperatorKeyRecord } from '../operator-requests.js';
import type { PlatformsRecord } from '../platform-requests.js';
import type {
  AccountLink,
  AccountRecord,
  CheckedLink,
  EntryName,
  EntryRecord,
  LinkKey,
  NewLink,
  Owner,
  Scope,
  SessionKey,
  SessionRecord,
  SnapshotRecord,
  TicketRecord,
} from '../records.js';
import type { Attempts } from '../rules/attempts.js';
import { accountCodeKey } from '../rules/codes.js';
import type { Ledger } from '../rules/ledger.js';

/** An account and everything that belongs to it. */
export interface MemoryAccount {
  record: AccountRecord;
  links: Map<string, AccountLink>;
  sessions: Map<string, SessionRecord>;
  collections: Map<string, Map<string, EntryRecord>>;
  /** The bytes of all values together, as UTF-8. */
  valueBytes: number;
  /** By `entryKey`; an entry that nobody wrote by a named write has none. */
  ledgers: Map<string, Ledger>;
  /** Oldest first. */
  snapshots: Map<string, MemorySnapshot>;
  /** The latest choice that the account was chosen by. */
  choice: ChoiceRecord | null;
}

export interface MemorySnapshot extends SnapshotRecord {
  /** The bytes of its values together, as UTF-8. */
  bytes: number;
}

/** The memory store's state, and the steps that its operations are made of. */
export class MemoryTables {
  readonly accounts: Map<string, MemoryAccount> = new Map();
  readonly links: Map<string, AccountLink> = new Map();
  readonly tickets: Map<string, TicketRecord> = new Map();
  /** By game: each nonce, and when it expires. */
  readonly nonces: Map<string, Map<string, number>> = new Map();
  readonly attempts: Map<string, Attempts> = new Map();
  /** By `codeKey`. */
  readonly codes: Map<string, CodeRecord> = new Map();
  /** By the keys' ids. */
  readonly operatorKeys: Map<string, OperatorKeyRecord> = new Map();
  /** By the entries' ids. */
  readonly audit: Map<string, AuditRecord> = new Map();
  /** By the events' ids, in the order in which they happened. */
  readonly events: Map<string, EventRecord> = new Map();
  /** By `countKey`. */
  readonly counts: Map<string, Scope & CountRecord> = new Map();
  /** By `scopeKey`. */
  readonly platforms: Map<string, { scope: Scope; record: PlatformsRecord }> = new Map();
  /** The ordinal of the last event. */
  lastOrdinal = 0;
  /** The highest revision that a link has had. */
  revision = 0;

  account(owner: Owner): MemoryAccount | undefined {
    return this.accounts.get(ownerKey(owner));
  }

  /** An account that is not being deleted. */
  activeAccount(owner: Owner): MemoryAccount | undefined {
    const account = this.account(owner);
    return account?.record.deletedAt === null ? account : undefined;
  }

  accountOfLink(key: LinkKey): MemoryAccount | undefined {
    const link = this.links.get(linkKey(key));
    return link === undefined ? undefined : this.account(link);
  }

  /** Whether a link is still what it was when a credential was checked against it. */
  isUnchanged({ accountId, revision, ...key }: CheckedLink): boolean {
    const link = this.links.get(linkKey(key));
    return link?.accountId === accountId && link.revision === revision;
  }

  /** Makes a link another one than it was: what it has allowed before is allowed no longer. */
  renewLink(link: AccountLink): void {
    this.revision += 1;
    link.revision = this.revision;
  }

  session(key: SessionKey): SessionRecord | undefined {
    return this.account(key)?.sessions.get(key.sessionId);
  }

  addAccount(owner: Owner, now: number): MemoryAccount {
    const record: AccountRecord = {
      gameId: owner.gameId,
      environment: owner.environment,
      accountId: owner.accountId,
      createdAt: now,
      lastSeenAt: now,
      orphanedAt: null,
      deletedAt: null,
      deletedBy: null,
      ban: null,
    };
    const account: MemoryAccount = {
      record,
      links: new Map(),
      sessions: new Map(),
      collections: new Map(),
      valueBytes: 0,
      ledgers: new Map(),
      snapshots: new Map(),
      choice: null,
    };
    this.accounts.set(ownerKey(owner), account);
    return account;
  }

  addLink(account: MemoryAccount, link: NewLink, now: number): AccountLink {
    const { gameId, environment, method, subject, label, credential } = link;
    const { mailAddress = null, mailAddressAt = null } = link;
    const record: AccountLink = {
      gameId,
      environment,
      method,
      subject,
      label,
      credential,
      mailAddress,
      mailAddressAt,
      accountId: account.record.accountId,
      linkedAt: now,
      lastUsedAt: now,
      revision: 0,
    };
    this.renewLink(record);
    const key = linkKey(record);
    this.links.set(key, record);
    account.links.set(key, record);
    account.record.orphanedAt = null;
    return record;
  }

  removeLink(link: AccountLink): void {
    this.links.delete(linkKey(link));
    this.account(link)?.links.delete(linkKey(link));
  }

  /** The code that would sign in to the account ends with them. */
  endAllSessions({ record, sessions }: MemoryAccount): void {
    sessions.clear();
    this.codes.delete(codeKey(accountCodeKey(record), 'sign_in'));
  }

  removeAccount(account: MemoryAccount): void {
    for (const key of account.links.keys()) this.links.delete(key);
    this.accounts.delete(ownerKey(account.record));
  }

  /** Makes a link lead to another account. True where that leaves the former one as an orphan, which has no session. */
  moveLink(link: AccountLink, account: MemoryAccount, now: number): boolean {
    const former = this.account(link);
    this.removeLink(link);
    this.addLink(account, link, now);
    if (former === undefined || former.links.size > 0) return false;
    former.record.orphanedAt = now;
    this.endAllSessions(former);
    return true;
  }
}

/** The parts are joined by a slash, which only the last one may hold: two owners never have one key. */
export function ownerKey({ gameId, environment, accountId }: Owner): string {
  return `${gameId}/${environment}/${accountId}`;
}

export function entryKey({ collection, key }: EntryName): string {
  return JSON.stringify([collection, key]);
}

export function codeKey(link: LinkKey, kind: CodeKind): string {
  return `${kind}/${linkKey(link)}`;
}

export function linkKey({ gameId, environment, method, subject }: LinkKey): string {
  return `${gameId}/${environment}/${method}/${subject}`;
}
