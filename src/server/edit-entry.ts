import { isFailure, SdkError, ServiceError } from '../errors.js';
import { cleanValue } from '../merge/earlier-notes.js';
import { failures } from '../protocol/failures.js';
import { versions } from '../protocol/gaps/versions.js';
import type { JsonObject } from '../protocol/messages.js';
import { encodeValue } from '../protocol/value-text.js';

/** How often an edit is tried. Each try that fails means that another write succeeded. */
const maxTries = 64;

/** An entry as it is stored; version -1 where there is none. */
type Current = { value: JsonObject; version: number } | { value: undefined; version: -1 };

/** Reads and writes one entry. */
export interface EntryAccess {
  read(): Promise<Current>;
  /** Version -1 creates the entry, or fails with `version_mismatch`. */
  write(valueText: string, version: number): Promise<{ version: number }>;
}

/**
 * Makes an entry's new value from its present one, which is undefined where there is no entry yet. Returns undefined to
 * leave the entry as it is. It may be called many times, so it should do nothing else.
 *
 * @see docs/interface.md#update-an-entry
 */
export type EntryChange = (value: JsonObject | undefined) => JsonObject | undefined | Promise<JsonObject | undefined>;

/**
 * The entry after an edit.
 *
 * @see docs/interface.md#update-an-entry
 */
export type EditedEntry = ChangedEntry | UnchangedEntry;

/** The entry after an edit that has written it. */
interface ChangedEntry {
  /** The edit has written the entry. */
  changed: true;
  /** The value that the edit has written. */
  value: JsonObject;
  /** The entry's new version: 0 for a new entry. */
  version: number;
}

/** The entry after an edit that returned undefined. */
interface UnchangedEntry {
  /** The edit has written nothing. */
  changed: false;
  /** The value that is stored; undefined where there is no entry. */
  value: JsonObject | undefined;
  /** The version that is stored; -1 where there is no entry. */
  version: number;
}

/**
 * Reads the entry, changes it, and writes it if nobody has written meanwhile; else starts over with what they wrote.
 */
export async function editEntry(entry: EntryAccess, change: EntryChange): Promise<EditedEntry> {
  let current = await entry.read();
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const { value: stored, version } = current;
    const shown = stored && cleanValue(stored).value;
    const next = await change(shown);
    if (next === undefined) return { changed: false, value: shown, version };
    const outcome = await write(entry, encodeValue(next), version);
    if (outcome.written) return { changed: true, value: next, version: outcome.version };
    current = outcome.current;
  }
  const problem = {
    status: failures.version_mismatch.status,
    code: 'version_mismatch',
    title: `The entry changed under each of ${maxTries} tries; nothing was written.`,
    currentVersion: current.version,
    currentValue: current.value,
  } as const;
  throw new ServiceError(problem, { retryable: true });
}

type Outcome = { written: true; version: number } | { written: false; current: Current };

async function write(entry: EntryAccess, valueText: string, version: number): Promise<Outcome> {
  let written: number;
  try {
    ({ version: written } = await entry.write(valueText, version));
  } catch (error) {
    if (!isFailure(error, 'version_mismatch')) throw error;
    if (error.currentVersion !== undefined && error.currentValue !== undefined) {
      return { written: false, current: { value: error.currentValue, version: error.currentVersion } };
    }
    // The entry was deleted, or a service of another make does not tell the value that is stored.
    return { written: false, current: await entry.read() };
  }
  if (version === versions.force && written !== versions.first) {
    throw new SdkError(
      'entry_overwritten',
      'The service does not support If-None-Match: this write has replaced an entry that another write created.',
    );
  }
  return { written: true, version: written };
}
