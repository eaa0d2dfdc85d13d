import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { versions } from '../../protocol/gaps/versions.js';
import { sameJson } from '../../protocol/value-text.js';
import type { Quotas } from '../quotas.js';
import { keptSince } from '../retention.js';
import type { CarriedEntry } from '../stores/import-requests.js';
import type { AccountDetails, EntryName, LinkRecord, NewLink, Owner, Scope } from '../stores/records.js';
import { entryBytes } from '../stores/rules/quotas.js';
import { isAccountExpired } from '../stores/rules/retention.js';
import type { Store } from '../stores/store.js';
import type { ImportedEntry, ImportedPlayer, ImportHeader, LineProblem } from './import-format.js';
import { linksOfLine, type PlacedLink } from './player-links.js';
import { hashProblem } from './stored-hash.js';

export interface ImportTarget {
  store: Store;
  scope: Scope;
  header: ImportHeader | null;
  quotas: Quotas;
  now: number;
  newId(): string;
  /** Looks at everything and writes nothing. */
  isDryRun: boolean;
}

/**
 * What became of a player, or what is in the way. `expired` where the account would be removed at once: it has been an orphan, or
 * was being deleted, for as long as such accounts are kept.
 */
export type Imported = 'created' | 'completed' | 'there' | 'expired' | LineProblem;

/** What is not there yet. */
interface Missing {
  links: readonly PlacedLink[];
  entries: readonly ImportedEntry[];
  ban: NonNullable<ImportedPlayer['ban']> | null;
}

/** As many entries are asked for one by one at most: a profile takes four statements. */
const readAlone = 4;

/** What names an import in the audit log. */
const importer = { keyId: null, keyName: 'savepoint import', action: 'importPlayer' } as const;

const unusableFirebase: LineProblem = {
  path: ['name', 'firebase'],
  problem:
    'must be a hash and a salt as Firebase exports them, of a project with its signer key, within what a sign-in may take',
};

/**
 * Takes a player over; what is there already stays, so that an import can be run again. Looks at everything before it
 * writes anything: a player who does not fit what is there changes nothing.
 */
export async function importPlayer(target: ImportTarget, player: ImportedPlayer): Promise<Imported> {
  const { store, scope, header, isDryRun, now } = target;
  const { orphanedAt = null, deletedAt = null } = player;
  if (isAccountExpired({ orphanedAt, deletedAt }, keptSince(now))) return 'expired';
  const links = linksOfLine(scope, header, player);
  if (links === null) return { path: ['name', 'firebase'], problem: 'the file has no header with the parameters' };
  if (!areKeepable(links)) return unusableFirebase;
  const found = await Promise.all(links.map(({ link }) => store.findLink(link)));
  const userId = player.userId?.toLowerCase() ?? null;
  const accountId = userId ?? found.find((link) => link !== null)?.accountId ?? null;
  const known = accountId === null ? null : await store.readAccount({ ...scope, accountId });
  const problem = problemOfLinks(player, { links, found, accountId, known });
  if (problem !== null) return problem;
  if (links.filter(({ place }) => place === 'devices').length > target.quotas.devices) {
    return { path: ['devices'], problem: 'they are more than a player may have' };
  }
  const entries = await missingEntries(target, known, player.entries);
  if ('problem' in entries) return entries;
  const missing: Missing = {
    links: links.filter((_, index) => found[index] === null),
    entries: entries.missing,
    ban: missingBan(target, player, known),
  };
  const isThere = missing.links.length === 0 && missing.entries.length === 0 && missing.ban === null;
  if (known !== null && isThere) return 'there';
  if (!isDryRun) {
    const refused = await write(target, { player, known, accountId, missing });
    if (refused !== null) return refused;
  }
  return known === null ? 'created' : 'completed';
}

interface Found {
  links: readonly PlacedLink[];
  found: readonly (LinkRecord | null)[];
  accountId: string | null;
  known: AccountDetails | null;
}

/** Why what the line says of the player does not go together with what is there. */
function problemOfLinks(player: ImportedPlayer, { links, found, accountId, known }: Found): LineProblem | null {
  const isDeleted = known !== null && known.account.deletedAt !== null;
  if (isDeleted && player.deletedAt === undefined) return { path: [], problem: 'the player is being deleted' };
  if (known !== null && !isDeleted && player.deletedAt !== undefined) {
    return { path: ['deletedAt'], problem: 'the player is there, and is not being deleted' };
  }
  for (const [index, { place, link }] of links.entries()) {
    const held = found[index] ?? null;
    if (held !== null && held.accountId !== accountId) return { path: [place], problem: elsewhere(place, player) };
    const hasOther = link.method !== 'device' && known?.links.some(({ method }) => method === link.method) === true;
    if (held === null && hasOther) return { path: [place], problem: 'method_already_linked' };
    // Two people may have one name in two places: with nothing else that says who it is, the password has to.
    const isByNameAlone = place === 'name' && links.length === 1 && player.userId === undefined;
    if (isByNameAlone && held !== null && held.credential !== link.credential) {
      return { path: [place], problem: 'it is there already with another password' };
    }
  }
  return null;
}

function elsewhere(place: PlacedLink['place'], { userId, customId }: ImportedPlayer): string {
  const than = userId !== undefined ? 'userId' : customId !== undefined ? 'customId' : 'the others';
  return place === 'name' ? `it is the name of another player than ${than}` : `it leads to another player than ${than}`;
}

async function missingEntries(
  { store, scope, quotas }: ImportTarget,
  known: AccountDetails | null,
  entries: readonly ImportedEntry[],
): Promise<{ missing: ImportedEntry[] } | LineProblem> {
  const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), 0);
  const inCollection = new Map<string, number>();
  for (const { collection } of entries) inCollection.set(collection, (inCollection.get(collection) ?? 0) + 1);
  const isTooMuch =
    bytes > quotas.values ||
    inCollection.size > quotas.collections ||
    [...inCollection.values()].some((held) => held > quotas.entries);
  if (isTooMuch) return { path: ['entries'], problem: 'they are more than a player may have' };
  if (known === null) return { missing: [...entries] };
  const missing: ImportedEntry[] = [];
  const there = await heldTexts(store, { ...scope, accountId: known.account.accountId }, entries);
  for (const [index, entry] of entries.entries()) {
    const held = there.get(nameOf(entry));
    if (held === undefined) missing.push(entry);
    else if (held !== entry.text && !sameJson(JSON.parse(held), JSON.parse(entry.text))) {
      return { path: ['entries', index, 'value'], problem: 'another value is there already' };
    }
  }
  return { missing };
}

/**
 * The texts that an account has under the names of entries, by `nameOf`: few are asked for one
 * by one, many all together.
 */
async function heldTexts(
  store: Store,
  owner: Owner,
  entries: readonly ImportedEntry[],
): Promise<ReadonlyMap<string, string>> {
  const asked = entries.map(({ collection, key }) => ({ owner, collection, key }));
  const held =
    asked.length > readAlone
      ? ((await store.readProfile(owner))?.entries ?? [])
      : await Promise.all(asked.map(async (one) => ({ ...one, text: (await store.readEntry(one))?.text })));
  return new Map(held.flatMap((one) => (one.text === undefined ? [] : [[nameOf(one), one.text] as const])));
}

function nameOf({ collection, key }: EntryName): string {
  return JSON.stringify([collection, key]);
}

function missingBan({ now }: ImportTarget, { ban }: ImportedPlayer, known: AccountDetails | null): Missing['ban'] {
  if (ban === undefined || (ban.until !== null && ban.until <= now)) return null;
  const held = known?.account.ban ?? null;
  return held !== null && held.until === ban.until ? null : ban;
}

interface Writing {
  player: ImportedPlayer;
  known: AccountDetails | null;
  accountId: string | null;
  missing: Missing;
}

async function write(
  target: ImportTarget,
  { player, known, accountId, missing }: Writing,
): Promise<LineProblem | null> {
  const { store, scope, now, newId } = target;
  const owner: Owner = { ...scope, accountId: accountId ?? newId() };
  const refused =
    known === null ? await writeAll(target, owner, player, missing.links) : await complete(target, owner, missing);
  if (refused !== null || missing.ban === null) return refused;
  const mark = { ...importer, auditId: newId(), at: now, expiresAt: now + operatorDefaults.auditKeptMs };
  await store.changeAsOperator({ change: 'banAccount', request: { owner, ban: missing.ban }, mark });
  return null;
}

/** Makes the account with all that the line has, in one step. No moment of it is later than now. */
async function writeAll(
  { store, quotas, now }: ImportTarget,
  owner: Owner,
  player: ImportedPlayer,
  links: readonly PlacedLink[],
): Promise<LineProblem | null> {
  const past = (moment: number | undefined, otherwise: number): number => Math.min(now, moment ?? otherwise);
  const createdAt = past(player.createdAt, now);
  const linked = links.map(({ link, times }) => {
    const linkedAt = past(times.linkedAt, createdAt);
    return { ...atLatest(link, now), linkedAt, lastUsedAt: past(times.lastUsedAt, linkedAt) };
  });
  const recordOf = ({ version = versions.first, changedAt, ...entry }: ImportedEntry): CarriedEntry => {
    return { ...entry, version, changedAt: past(changedAt, now) };
  };
  const { outcome } = await store.importAccount({
    owner,
    createdAt,
    lastSeenAt: past(player.lastSeenAt, createdAt),
    orphanedAt: player.orphanedAt === undefined ? null : past(player.orphanedAt, now),
    deletedAt: player.deletedAt === undefined ? null : past(player.deletedAt, now),
    links: linked.sort((one, other) => one.linkedAt - other.linkedAt),
    entries: player.entries.map(recordOf),
    snapshots: player.snapshots
      .filter(({ expiresAt }) => expiresAt > now)
      .map((snapshot) => ({
        ...snapshot,
        createdAt: past(snapshot.createdAt, now),
        entries: snapshot.entries.map(recordOf),
      }))
      .sort((one, other) => one.createdAt - other.createdAt),
    quotas,
    snapshotQuotas: { max: quotas.snapshots, maxBytes: quotas.snapshotBytes },
  });
  if (outcome === 'imported') return null;
  return { path: [], problem: outcome === 'taken' ? 'somebody else has taken it meanwhile: run it again' : outcome };
}

/** A link as it is taken over now: its e-mail address was verified by now at the latest. */
function atLatest(link: NewLink, now: number): NewLink {
  const { mailAddress = null, mailAddressAt } = link;
  return mailAddress === null ? link : { ...link, mailAddressAt: Math.min(now, mailAddressAt ?? now) };
}

/** Writes what a player who is there has not. */
async function complete(target: ImportTarget, owner: Owner, missing: Missing): Promise<LineProblem | null> {
  const { store, quotas, now } = target;
  for (const { place, link } of missing.links) {
    const request = { owner, session: null, link: atLatest(link, now), now, quotas };
    const { outcome } = await store.linkMethod(request);
    if (outcome !== 'linked') return { path: [place], problem: outcome };
  }
  return writeEntries(target, owner, missing.entries);
}

async function writeEntries(
  { store, quotas, now, newId }: ImportTarget,
  owner: Owner,
  entries: readonly ImportedEntry[],
): Promise<LineProblem | null> {
  const snapshot = {
    snapshotId: newId(),
    expiresAt: now + accountDefaults.snapshotKeptMs,
    max: quotas.snapshots,
    maxBytes: quotas.snapshotBytes,
  };
  for (const { collection, key, text, times, changedAt = now } of entries) {
    const request = { owner, sessionId: null, collection, key, version: 'absent', snapshot } as const;
    const written = { text, times, now: Math.min(now, changedAt), quotas };
    const { outcome } = await store.updateEntry({ ...request, ...written });
    if (outcome !== 'written') return { path: ['entries'], problem: outcome };
  }
  return null;
}

/**
 * Whether what is kept of passwords is a hash that can be checked. A line has been looked at by itself before; only what Firebase
 * has made is put together of the line and of the file's header: with an empty one and an empty key, any password would fit.
 */
function areKeepable(links: readonly PlacedLink[]): boolean {
  return links.every(
    ({ place, link: { credential } }) => place !== 'name' || credential === null || hashProblem(credential) === null,
  );
}
