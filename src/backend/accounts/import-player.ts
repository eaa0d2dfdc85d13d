import { base64url } from 'jose';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { quotaDefaults } from '../../protocol/gaps/quotas.js';
import type { NewLink, Owner, Scope } from '../stores/records.js';
import { bytesOf } from '../stores/rules/quotas.js';
import type { Store } from '../stores/store.js';
import type { ImportedPlayer, ImportHeader, LineProblem } from './import-format.js';
import { usernameSubject } from './usernames.js';

export interface ImportTarget {
  store: Store;
  scope: Scope;
  header: ImportHeader | null;
  now: number;
  newId(): string;
  /** Looks at everything and writes nothing. */
  isDryRun: boolean;
}

/** What became of a player, or what is in the way. */
export type Imported = 'created' | 'completed' | 'there' | LineProblem;

type Entry = NonNullable<ImportedPlayer['entries']>[number];

/**
 * Takes a player over; what is there already stays, so that an import can be run again. Looks at everything before it
 * writes anything: a player who does not fit what is there changes nothing.
 */
export async function importPlayer(target: ImportTarget, player: ImportedPlayer): Promise<Imported> {
  const { store, isDryRun } = target;
  const links = linksOf(target, player);
  if (links === null) return { path: ['name', 'firebase'], problem: 'the file has no header with the parameters' };
  const found = await Promise.all(links.map((link) => store.findLink(link)));
  const [known, other] = found.filter((link) => link !== null);
  if (known !== undefined && other !== undefined && known.accountId !== other.accountId) {
    return { path: ['name'], problem: 'it is the name of another player than customId' };
  }
  const isByName = player.customId === undefined && known !== undefined;
  if (isByName && known.credential !== links[0]?.credential) {
    return { path: ['name'], problem: 'it is there already with another password' };
  }
  const missing = await missingEntries(target, known?.accountId ?? null, player.entries ?? []);
  if ('problem' in missing) return missing;
  const free = links.filter((_, index) => found[index] === null);
  if (known !== undefined && free.length === 0 && missing.entries.length === 0) return 'there';
  if (!isDryRun) {
    const problem = await write(target, { accountId: known?.accountId ?? null, links: free, entries: missing.entries });
    if (problem !== null) return problem;
  }
  return known === undefined ? 'created' : 'completed';
}

/** Null where a hash needs the header. */
function linksOf({ scope, header }: ImportTarget, { customId, name }: ImportedPlayer): NewLink[] | null {
  const links: NewLink[] = [];
  if (customId !== undefined)
    links.push({ ...scope, method: 'custom', subject: customId, label: null, credential: null });
  if (name === undefined) return links;
  const credential = 'hash' in name ? name.hash : header === null ? null : firebaseHash(header, name.firebase);
  if (credential === null) return null;
  return [...links, { ...scope, method: 'name', subject: usernameSubject(name.name), label: name.name, credential }];
}

function firebaseHash(
  { firebase: { signerKey, saltSeparator, rounds, memCost } }: ImportHeader,
  { salt, passwordHash }: { salt: string; passwordHash: string },
): string {
  const url = (text: string): string =>
    base64url.encode(base64url.decode(text.replaceAll('+', '-').replaceAll('/', '_')));
  const parameters = [2 ** memCost, rounds, 1, url(saltSeparator), url(signerKey)].join(',');
  return ['firebase-scrypt', parameters, url(salt), url(passwordHash)].join('$');
}

async function missingEntries(
  { store, scope }: ImportTarget,
  accountId: string | null,
  entries: readonly Entry[],
): Promise<{ entries: Entry[] } | LineProblem> {
  const bytes = entries.reduce((sum, { value }) => sum + bytesOf(JSON.stringify(value)), 0);
  if (bytes > quotaDefaults.values) return { path: ['entries'], problem: 'they are more than a player may have' };
  if (accountId === null) return { entries: [...entries] };
  const missing: Entry[] = [];
  for (const [index, entry] of entries.entries()) {
    const held = await store.readEntry({
      owner: { ...scope, accountId },
      collection: entry.collection,
      key: entry.key,
    });
    if (held === null) missing.push(entry);
    else if (held.text !== JSON.stringify(entry.value)) {
      return { path: ['entries', index, 'value'], problem: 'another value is there already' };
    }
  }
  return { entries: missing };
}

async function write(
  { store, scope, now, newId }: ImportTarget,
  { accountId, links, entries }: { accountId: string | null; links: readonly NewLink[]; entries: readonly Entry[] },
): Promise<LineProblem | null> {
  const [first, ...more] = links;
  const isNew = accountId === null && first !== undefined;
  const made = isNew ? await store.ensureAccount({ link: first, accountId: newId(), now }) : null;
  const owner: Owner = { ...scope, accountId: made?.link.accountId ?? accountId ?? '' };
  for (const link of isNew ? more : links) {
    const { outcome } = await store.linkMethod({ owner, session: null, link, now, quotas: quotaDefaults });
    if (outcome !== 'linked') return { path: [link.method === 'name' ? 'name' : 'customId'], problem: outcome };
  }
  const snapshot = {
    snapshotId: newId(),
    expiresAt: now + accountDefaults.snapshotKeptMs,
    max: quotaDefaults.snapshots,
    maxBytes: quotaDefaults.snapshotBytes,
  };
  for (const { collection, key, value } of entries) {
    const request = { owner, sessionId: null, collection, key, version: 'absent', snapshot, now } as const;
    const { outcome } = await store.updateEntry({ ...request, text: JSON.stringify(value), quotas: quotaDefaults });
    if (outcome !== 'written') return { path: ['entries'], problem: outcome };
  }
  return null;
}
