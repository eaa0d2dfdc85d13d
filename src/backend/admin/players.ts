import type {
  AdminEntry,
  AdminPlayer,
  EntrySummary,
  FoundMethod,
  PlayerSummary,
} from '../../protocol/admin-messages.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { isUuid } from '../../protocol/ids.js';
import { describeChoice, describeLinkToOthers } from '../accounts/accounts.js';
import { maskedMailAddress } from '../accounts/mail-address.js';
import { usernameSubject } from '../accounts/usernames.js';
import { requireName } from '../entries/entries.js';
import { readUsage } from '../entries/usage.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { type AccountList, accountLists } from '../stores/operator-requests.js';
import type { AccountDetails, AccountLink, EntryName, LinkKey, ListPlace, Owner, Scope } from '../stores/records.js';
import { banOf, forGood } from '../stores/rules/bans.js';
import { readableSubjects } from '../stores/rules/readable-subjects.js';
import type { Operator } from './operators.js';
import { type Page, pageOf, wrong } from './pages.js';

/** What of an e-mail address an operator may see. */
type ShowAddress = (mailAddress: string) => string;

/** Which list is asked for, and where it is asked what somebody is called, nothing else. */
export function readList({ searchParams }: URL): AccountList {
  const list = searchParams.get('list') ?? 'newest';
  const known = accountLists.find((one) => one === list);
  if (known === undefined) throw wrong('list', `must be one of ${accountLists.join(', ')}`);
  return known;
}

/** A page of a game's players. */
export async function listPlayers(
  { store, now }: Service,
  scope: Scope,
  list: AccountList,
  page: Page<ListPlace>,
): Promise<{ players: PlayerSummary[]; cursor?: string }> {
  const at = now();
  const found = await store.listAccounts({ scope, list, after: page.after, max: page.max + 1, now: at });
  const { items, ...next } = pageOf(page, found, ({ account }) => ({
    at: placeOf(list, account),
    id: account.accountId,
  }));
  return { players: items.map((one) => summarize(one, at)), ...next };
}

function placeOf(list: AccountList, account: AccountDetails['account']): number {
  const { createdAt, lastSeenAt, orphanedAt, deletedAt, ban } = account;
  const banned = ban?.until ?? forGood;
  return { newest: createdAt, last_seen: lastSeenAt, orphaned: orphanedAt ?? 0, deleted: deletedAt ?? 0, banned }[list];
}

/**
 * The players that an address asks for by what they are called: `id`, `name`, `custom`, or `method` with
 * `provider` and `subject`. Null where it asks for none of these. Every text is looked up as it is, so that it
 * finds one player or nobody.
 */
export async function findPlayers(service: Service, scope: Scope, url: URL): Promise<PlayerSummary[] | null> {
  const accountId = await findAccountId(service, scope, url);
  if (accountId === undefined) return null;
  const found = accountId === null ? null : await service.store.readAccount({ ...scope, accountId });
  return found === null ? [] : [summarize(found, service.now())];
}

/** Null where there is none; undefined where the address does not ask for somebody. */
async function findAccountId({ store }: Service, scope: Scope, url: URL): Promise<string | null | undefined> {
  const given = (name: string): string | null => searchText(url, name);
  const [id, name, custom, method] = [given('id'), given('name'), given('custom'), given('method')];
  const asked = [id, name, custom, method].filter((text) => text !== null);
  if (asked.length === 0) return undefined;
  if (asked.length > 1) throw wrong('id', 'cannot be asked for with name, custom or method: search by one of them');
  if (id !== null) return isUuid(id) ? id.toLowerCase() : null;
  const link = await store.findLink({ ...scope, ...linkOf({ name, custom, method }, given) });
  return link?.accountId ?? null;
}

function linkOf(
  { name, custom, method }: { name: string | null; custom: string | null; method: string | null },
  given: (name: string) => string | null,
): Pick<LinkKey, 'method' | 'subject'> {
  if (name !== null) return { method: 'name', subject: usernameSubject(name) };
  if (custom !== null) return { method: 'custom', subject: custom };
  const [provider, subject] = [given('provider'), given('subject')];
  if (method !== 'identity' && method !== 'social') throw wrong('method', 'must be identity or social');
  if (provider === null || subject === null) throw wrong('subject', 'and "provider" must be given with method');
  return { method, subject: JSON.stringify([provider, subject]) };
}

function searchText({ searchParams }: URL, name: string): string | null {
  const text = searchParams.get(name);
  const { operatorSearchLength: max } = operatorDefaults;
  if (text !== null && (text === '' || text.length > max)) throw wrong(name, `must have 1 to ${max} characters`);
  return text;
}

/** All that can be said of a player without a value of theirs. */
export async function readPlayer(service: Service, owner: Owner, { scope }: Operator): Promise<AdminPlayer> {
  const { store, now, tokens } = service;
  const details = await store.readAccount(owner);
  const usage = await readUsage(service, owner);
  if (details === null || usage === null) throw new Refusal('user_not_found');
  const devices: AdminPlayer['devices'] = [];
  for (const { method, subject, linkedAt, lastUsedAt } of details.links) {
    if (method === 'device') devices.push({ id: await tokens.deviceName(subject), linkedAt, lastUsedAt });
  }
  const sessions: AdminPlayer['sessions'] = [];
  for (const session of await store.listSessions(owner)) {
    const { sessionId: id, method, openedAt, authenticatedAt, expiresAt } = session;
    if (expiresAt <= now()) continue;
    sessions.push({
      id,
      method,
      device: await tokens.deviceName(session.device),
      openedAt,
      authenticatedAt,
      expiresAt,
    });
  }
  const conflicts = (await store.listConflicts({ owner, now: now() })).map(
    ({ method, localId, cloudId, expiresAt }) => {
      return { method, localUserId: localId, cloudUserId: cloudId, expiresAt };
    },
  );
  const choice = await store.readChoice({ owner, now: now() });
  const chosen = choice === null ? {} : { choice: describeChoice(choice) };
  const logName = service.pseudonymOf(owner.accountId);
  const named = logName === null ? {} : { logName };
  const show = scope === 'read' ? maskedMailAddress : (mailAddress: string) => mailAddress;
  return { ...summarize(details, now(), show), ...named, devices, sessions, usage, conflicts, ...chosen };
}

/** A list says nothing of e-mail addresses: it would be one of mailboxes. */
function summarize(
  { account, links }: AccountDetails,
  now: number,
  showAddress: ShowAddress | null = null,
): PlayerSummary {
  const { accountId: userId, createdAt, lastSeenAt, orphanedAt, deletedAt } = account;
  const ban = banOf(account, now);
  return {
    userId,
    createdAt,
    lastSeenAt,
    methods: links.filter(({ method }) => method !== 'device').map((link) => showLink(link, showAddress)),
    deviceCount: links.filter(({ method }) => method === 'device').length,
    ...(orphanedAt === null ? {} : { orphanedAt, removedAt: orphanedAt + accountDefaults.orphanKeptMs }),
    ...(deletedAt === null ? {} : { deletedAt, removedAt: deletedAt + accountDefaults.deletionGraceMs }),
    ...(ban === null ? {} : { ban }),
  };
}

/** Of a name the label says who it is, and of a recovery code nothing may. */
export function showLink(link: AccountLink, showAddress: ShowAddress | null): FoundMethod {
  const { method, subject, mailAddress } = link;
  const address = mailAddress === null ? undefined : showAddress?.(mailAddress);
  return {
    ...describeLinkToOthers(link),
    ...(address === undefined ? {} : { address }),
    ...(readableSubjects.includes(method) ? { subject } : {}),
  };
}

export async function listPlayerEntries(
  { store }: Service,
  owner: Owner,
  page: Page<EntryName>,
): Promise<{ entries: EntrySummary[]; cursor?: string }> {
  const found = await store.listEntries({ owner, after: page.after, max: page.max + 1 });
  if (found === null) throw new Refusal('user_not_found');
  const { items, ...next } = pageOf(page, found, ({ collection, key }) => ({ collection, key }));
  return { entries: items, ...next };
}

/** An entry with its value, letter for letter, as JSON text. */
export async function readPlayerEntry(
  { store }: Service,
  owner: Owner,
  { collection, key }: EntryName,
): Promise<string> {
  requireName(collection);
  requireName(key);
  const entry = await store.readEntry({ owner, collection, key });
  if (entry === null) throw await nothingThere(store, owner);
  const { text, version, changedAt } = entry;
  const about: Omit<AdminEntry, 'value'> = { collection, key, version, changedAt };
  return `${JSON.stringify(about).slice(0, -1)},"value":${text}}`;
}

/** Why there is nothing: no such player, or the player has no such thing. */
export async function nothingThere(store: Service['store'], owner: Owner): Promise<Refusal> {
  return new Refusal((await store.readAccount(owner)) === null ? 'user_not_found' : 'not_found');
}
