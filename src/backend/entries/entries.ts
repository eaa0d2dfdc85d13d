import { entryNameProblem, fitsUtf8 } from '../../protocol/entry-name.js';
import { isEntryTimes } from '../../protocol/entry-times.js';
import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { sizes } from '../../protocol/gaps/sizes.js';
import { versions } from '../../protocol/gaps/versions.js';
import type { WriteName } from '../../protocol/idempotency-key.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { CollectionRevision } from '../../protocol/player-messages.js';
import { checkValueText, isPlainObject, memberText } from '../../protocol/value-text.js';
import type { Text } from '../http/answers.js';
import { quotaExceeded } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { UpdateOutcome, WriteRefusal } from '../stores/entry-requests.js';
import {
  type EntryRecord,
  type Owner,
  ownerOf,
  type PlacedRecord,
  type SessionKey,
  sessionIdOf,
} from '../stores/records.js';
import { newSnapshot } from './new-snapshot.js';

/** An update: its body, parsed and as text, from which the value is taken letter for letter, and its headers. */
export interface UpdateBody {
  text: string;
  json: unknown;
  /** The header If-None-Match, or null. */
  condition: string | null;
  /** The header Idempotency-Key, if there is one. */
  name: WriteName | undefined;
}

/** Who asks: only a player's devices are shown what they keep beside the values, and change it. */
export type Wire = 'player' | 'game';

/**
 * A collection as the JSON text of its answer, with its values letter for letter; null where there is no such user, or
 * the player's session has ended.
 *
 * @see docs/interface.md#read-a-collection
 */
export async function readCollection(
  service: Service,
  by: SessionKey | Owner,
  { collection, wire }: { collection: string; wire: Wire },
): Promise<Text | null> {
  requireName(collection);
  return service.wholeReads({ line: by.accountId, part: collection }, async (weigh, grows) => {
    const asked = { owner: ownerOf(by), sessionId: sessionIdOf(by), collection, grows };
    const entries = await service.store.readCollection(asked);
    if (entries === null) return null;
    const bytes = lengthOf(entries);
    weigh(bytes);
    const parts = listText(entries, wire, noBeginning);
    // In one text it takes less of whoever writes the answer.
    return bytes < accountDefaults.largeReadBytes ? parts.join('') : parts;
  });
}

/**
 * The collections of an account, each with its revision: whoever knows a collection sees by it
 * whether to read it again. Null where the player's session has ended.
 */
export async function listCollections(
  { store }: Service,
  by: SessionKey,
): Promise<{ collections: CollectionRevision[] } | null> {
  const found = await store.listCollections({ owner: ownerOf(by), sessionId: by.sessionId });
  return found && { collections: found.map(({ collection, revision }) => ({ name: collection, revision })) };
}

/** What a read of entries takes, roughly, in bytes. */
export function lengthOf(entries: readonly EntryRecord[]): number {
  return entries.reduce((sum, { text, times = '' }) => sum + text.length + times.length, 0);
}

/**
 * Writes an entry, and answers its new version. A player's request gives the session that asks, a game's back end the
 * account alone. Spec gap: with `If-None-Match: *`, version -1 creates the entry and overwrites none; a write with an
 * Idempotency-Key is carried out once, however often it comes.
 *
 * @see docs/interface.md#update-an-entry
 */
export async function updateEntry(
  service: Service,
  by: SessionKey | Owner,
  { collection, key, body }: { collection: string; key: string; body: UpdateBody },
): Promise<{ version: number }> {
  requireName(collection);
  requireName(key);
  const { version, text, times } = readUpdate(body, service.sizes.valueBytes);
  const sessionId = sessionIdOf(by);
  const wire = sessionId === null ? 'game' : 'player';
  const written = await service.store.updateEntry({
    owner: ownerOf(by),
    sessionId,
    collection,
    key,
    text,
    times: wire === 'player' ? times() : undefined,
    version,
    name: body.name,
    snapshot: newSnapshot(service),
    quotas: service.quotas,
    now: service.now(),
  });
  switch (written.outcome) {
    case 'written':
      return { version: written.version };
    case 'quota_exceeded':
      throw quotaExceeded(written);
    case 'mismatch':
      throw versionMismatch(written, wire);
    default:
      throw writeRefused(written);
  }
}

/**
 * Who may not write. Spec gap: a player's session that has ended is refused in the step that writes; a game's back end
 * can write to an account that nothing leads to, which may come back, and not to one that its player has deleted.
 */
export function writeRefused(refused: WriteRefusal): Refusal {
  switch (refused.outcome) {
    case 'no_session':
      return new Refusal('unauthorized');
    case 'no_account':
      return new Refusal('user_not_found');
    case 'deleted':
      return new Refusal('account_deleted', { removedAt: refused.deletedAt + accountDefaults.deletionGraceMs });
  }
}

function versionMismatch(
  { current, carriedOut }: Extract<UpdateOutcome, { outcome: 'mismatch' }>,
  wire: Wire,
): Refusal {
  const known = carriedOut === undefined ? {} : { carriedOut };
  if (current === null) return new Refusal('version_mismatch', { currentVersion: versions.force, ...known });
  const { version: currentVersion, text: currentValueText, times } = current;
  const beside = times === undefined || wire === 'game' ? {} : { currentTimesText: times };
  return new Refusal('version_mismatch', { currentVersion, currentValueText, ...beside, ...known });
}

interface Update {
  version: number | 'absent';
  text: string;
  /** The JSON of the times that the body brings, if it brings some. */
  times(): string | undefined;
}

function readUpdate({ text, json, condition }: UpdateBody, maxBytes: number): Update {
  if (!isPlainObject(json)) throw new Refusal('invalid_request', { detail: 'The body must be an object.' });
  const version = Object.hasOwn(json, 'version') ? json['version'] : undefined;
  if (!isVersion(version)) throw new Refusal('invalid_version');
  // A condition that is not understood must not be ignored: it could protect an entry that would then be overwritten.
  if (condition !== null && (condition !== '*' || version !== versions.force)) {
    throw new Refusal('invalid_request', { detail: 'If-None-Match takes "*" alone, with version -1.' });
  }
  const valueText = Object.hasOwn(json, 'value') && isPlainObject(json['value']) ? memberText(text, 'value') : null;
  if (valueText === null) throw new Refusal('invalid_request', { detail: '"value" must be an object.' });
  requireStorable(valueText, maxBytes);
  return { version: condition === null ? version : 'absent', text: valueText, times: () => readTimes(json) };
}

/** The JSON of the member `times`, as the store keeps it; undefined where there is no such member. */
export function readTimes(json: JsonObject): string | undefined {
  const times = Object.hasOwn(json, 'times') ? json['times'] : undefined;
  if (times === undefined) return undefined;
  if (!isEntryTimes(times)) throw new Refusal('invalid_request', { detail: '"times" must be an object of numbers.' });
  const text = JSON.stringify(times);
  const { entryTimesBytes } = sizes;
  if (fitsUtf8(text, entryTimesBytes)) return text;
  throw new Refusal('too_large', { detail: `"times" may have at most ${entryTimesBytes} bytes of JSON.` });
}

/** Refuses a value that cannot be kept, with `too_large` or `value_not_storable`. */
export function requireStorable(valueText: string, maxBytes: number): void {
  const checked = checkValueText(valueText, maxBytes);
  if (checked.ok) return;
  throw new Refusal(checked.tooLarge === true ? 'too_large' : 'value_not_storable', { detail: checked.problem });
}

function isVersion(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= versions.force && (value as number) <= versions.max;
}

export function requireName(name: string): void {
  const problem = entryNameProblem(name);
  if (problem !== null) throw new Refusal('invalid_key', { detail: problem });
}

/** A list of entries with their collections, as JSON text in parts. */
export function entriesText(entries: readonly PlacedRecord[], wire: Wire): string[] {
  return listText(entries, wire, ({ collection }) => `"collection":${JSON.stringify(collection)},`);
}

const noBeginning = (): string => '';

/** Each value is a part of its own, which is not copied. `beginningOf` makes an entry's first members. */
function listText<Entry extends EntryRecord>(
  entries: readonly Entry[],
  wire: Wire,
  beginningOf: (entry: Entry) => string,
): string[] {
  const parts = ['['];
  for (const entry of entries) {
    const { key, text, version, times } = entry;
    const beside = times === undefined || wire === 'game' ? '' : `,"times":${times}`;
    parts.push(
      `${parts.length === 1 ? '' : ','}{${beginningOf(entry)}"key":${JSON.stringify(key)},"value":`,
      text,
      `,"version":${version}${beside}}`,
    );
  }
  parts.push(']');
  return parts;
}
