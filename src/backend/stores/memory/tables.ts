import type {
  AccountRecord,
  EntryName,
  EntryRecord,
  LinkKey,
  LinkRecord,
  NewLink,
  Owner,
  SessionKey,
  SessionRecord,
  SnapshotRecord,
  TicketRecord,
} from '../records.js';
import type { Attempts } from '../rules/attempts.js';
import type { Ledger } from '../rules/ledger.js';

/** An account and everything that belongs to it. */
export interface MemoryAccount {
  record: AccountRecord;
  links: Map<string, LinkRecord>;
  sessions: Map<string, SessionRecord>;
  collections: Map<string, Map<string, EntryRecord>>;
  /** By `entryKey`; an entry that nobody wrote by a named write has none. */
  ledgers: Map<string, Ledger>;
  /** Oldest first. */
  snapshots: Map<string, SnapshotRecord>;
}

/** The memory store's state, and the steps that its operations are made of. */
export class MemoryTables {
  readonly accounts: Map<string, MemoryAccount> = new Map();
  readonly links: Map<string, LinkRecord> = new Map();
  readonly tickets: Map<string, TicketRecord> = new Map();
  /** By game: each nonce, and when it expires. */
  readonly nonces: Map<string, Map<string, number>> = new Map();
  readonly attempts: Map<string, Attempts> = new Map();

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

  session(key: SessionKey): SessionRecord | undefined {
    return this.account(key)?.sessions.get(key.sessionId);
  }

  addAccount(owner: Owner, now: number): MemoryAccount {
    const record: AccountRecord = {
      gameId: owner.gameId,
      environment: owner.environment,
      accountId: owner.accountId,
      createdAt: now,
      orphanedAt: null,
      deletedAt: null,
      deletedBy: null,
    };
    const account: MemoryAccount = {
      record,
      links: new Map(),
      sessions: new Map(),
      collections: new Map(),
      ledgers: new Map(),
      snapshots: new Map(),
    };
    this.accounts.set(ownerKey(owner), account);
    return account;
  }

  addLink(account: MemoryAccount, link: NewLink, now: number): LinkRecord {
    const { gameId, environment, method, subject, label, credential } = link;
    const { accountId } = account.record;
    const record = { gameId, environment, method, subject, label, credential, accountId, linkedAt: now };
    this.links.set(linkKey(record), record);
    account.links.set(linkKey(record), record);
    account.record.orphanedAt = null;
    return record;
  }

  removeLink(link: LinkRecord, now: number): void {
    this.links.delete(linkKey(link));
    const account = this.account(link);
    account?.links.delete(linkKey(link));
    if (account !== undefined && account.links.size === 0) account.record.orphanedAt = now;
  }

  removeAccount(account: MemoryAccount): void {
    for (const key of account.links.keys()) this.links.delete(key);
    this.accounts.delete(ownerKey(account.record));
  }

  moveLink(link: LinkRecord, account: MemoryAccount, now: number): LinkRecord {
    this.removeLink(link, now);
    return this.addLink(account, link, now);
  }
}

/** The parts are joined by a slash, which only the last one may hold: two owners never have one key. */
export function ownerKey({ gameId, environment, accountId }: Owner): string {
  return `${gameId}/${environment}/${accountId}`;
}

export function entryKey({ collection, key }: EntryName): string {
  return JSON.stringify([collection, key]);
}

export function linkKey({ gameId, environment, method, subject }: LinkKey): string {
  return `${gameId}/${environment}/${method}/${subject}`;
}
