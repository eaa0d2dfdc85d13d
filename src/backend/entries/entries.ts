import { entryNameProblem } from '../../protocol/entry-name.js';
import { versions } from '../../protocol/gaps/versions.js';
import { checkValueText, isPlainObject, memberText } from '../../protocol/value-text.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { EntryRecord, Owner, PlacedRecord } from '../stores/records.js';
import { newSnapshot } from './new-snapshot.js';

/** The body of an update: parsed, and as text, from which the value is taken letter for letter. */
export interface UpdateBody {
  text: string;
  json: unknown;
  /** The header If-None-Match, or null. */
  condition: string | null;
}

/**
 * * A collection as the JSON text of its answer, with its values letter for letter; null where there is no such user.
 *
 * @see docs/interface.md#read-a-collection
 */
export async function readCollection(service: Service, owner: Owner, collection: string): Promise<string | null> {
  requireName(collection);
  const entries = await service.store.readCollection({ owner, collection });
  return entries === null ? null : `[${entries.map(entryText).join(',')}]`;
}

/**
 * * Writes an entry, and answers its new version, or null where there is no such user. Spec gap: with `If-None-Match:
 * *`, version -1 creates the entry and overwrites none.
 *
 * @see docs/interface.md#update-an-entry
 */
export async function updateEntry(
  service: Service,
  owner: Owner,
  { collection, key, body }: { collection: string; key: string; body: UpdateBody },
): Promise<{ version: number } | null> {
  requireName(collection);
  requireName(key);
  const { version, text } = readUpdate(body, service.sizes.valueBytes);
  const maxEntries = service.sizes.entriesPerCollection;
  const written = await service.store.updateEntry({
    owner,
    collection,
    key,
    text,
    version,
    snapshot: newSnapshot(service),
    maxEntries,
    now: service.now(),
  });
  switch (written.outcome) {
    case 'written':
      return { version: written.version };
    case 'no_account':
      return null;
    case 'full':
      throw collectionFull(service);
    case 'mismatch':
      throw versionMismatch(written.current);
  }
}

export function collectionFull({ sizes }: Service): Refusal {
  return new Refusal('too_large', { detail: `A collection has at most ${sizes.entriesPerCollection} entries.` });
}

function versionMismatch(current: EntryRecord | null): Refusal {
  if (current === null) return new Refusal('version_mismatch', { currentVersion: versions.force });
  return new Refusal('version_mismatch', { currentVersion: current.version, currentValueText: current.text });
}

function readUpdate(
  { text, json, condition }: UpdateBody,
  maxBytes: number,
): { version: number | 'absent'; text: string } {
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
  return { version: condition === null ? version : 'absent', text: valueText };
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

function entryText({ key, text, version }: EntryRecord): string {
  return `{"key":${JSON.stringify(key)},"value":${text},"version":${version}}`;
}

/** A list of entries with their collections, as JSON text. */
export function entriesText(entries: readonly PlacedRecord[]): string {
  const texts = entries.map(
    (entry) => `{"collection":${JSON.stringify(entry.collection)},${entryText(entry).slice(1)}`,
  );
  return `[${texts.join(',')}]`;
}
