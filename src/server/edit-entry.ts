import { isFailure, SdkError } from '../errors.js';
import { untilAborted } from '../http/until-aborted.js';
import { versions } from '../protocol/gaps.js';
import type { JsonObject } from '../protocol/messages.js';
import { encodeValue } from '../protocol/value-text.js';

/** How often an edit starts over. Whenever it must, another one has got through. */
const maxTries = 64;

const absent = { value: undefined, version: -1 } as const;

type Current = { value: JsonObject; version: number } | typeof absent;

/** Reads and writes one entry. */
export interface EntryAccess {
  /** Tells this entry from every other. */
  address: string;
  read(): Promise<Current>;
  write(valueText: string, version: number): Promise<{ version: number }>;
}

/** What an entry becomes; `undefined` leaves it alone. `value` is undefined where there is no entry yet. */
export type EntryChange = (value: JsonObject | undefined) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** How the entry stands after an edit; version -1 where there is none. */
export type EditedEntry =
  | { changed: true; value: JsonObject; version: number }
  | { changed: false; value: JsonObject | undefined; version: number };

/**
 * Read, change, write if nobody else has meanwhile, else again with what they wrote.
 *
 * Creation is the one step that the wire cannot make conditional: an absent entry is created by version -1, which
 * writes over whatever is there. Within one client it happens in one place at a time, and looks again right before
 * it writes. Two processes that create the same entry within that one request can still meet: the answered version
 * then is above the first one, and the edit fails with `entry_overwritten` instead of hiding it.
 */
export function createEditEntry() {
  const creations = new Map<string, Promise<Current>>();

  return async function editEntry(
    entry: EntryAccess,
    change: EntryChange,
    signal: AbortSignal | undefined,
  ): Promise<EditedEntry> {
    let current = await entry.read();
    for (let tries = 1; tries <= maxTries; tries += 1) {
      const next = await change(current.value);
      if (next === undefined) return { changed: false, value: current.value, version: current.version };
      const valueText = encodeValue(next);
      const outcome =
        current.version === absent.version
          ? await create(entry, valueText, signal)
          : await replace(entry, valueText, current.version);
      if (outcome.written) return { changed: true, value: next, version: outcome.version };
      current = outcome.current;
    }
    throw new SdkError('version_mismatch', `The entry changed under each of ${maxTries} tries; nothing was written.`, {
      retryable: true,
    });
  };

  async function create(entry: EntryAccess, valueText: string, signal: AbortSignal | undefined): Promise<Outcome> {
    const underWay = creations.get(entry.address);
    if (underWay !== undefined) {
      // Whatever became of it concerns its own caller; this one starts over, with a copy of what it found or made.
      const shared = underWay.catch(() => absent);
      const current = structuredClone(await untilAborted(shared, signal));
      return { written: false, current };
    }
    const creation = createIfAbsent(entry, valueText);
    const settled = creation.then(
      (outcome): Current =>
        outcome.written ? { value: JSON.parse(valueText) as JsonObject, version: outcome.version } : outcome.current,
    );
    creations.set(entry.address, settled);
    try {
      await settled;
    } finally {
      creations.delete(entry.address);
    }
    return creation;
  }
}

type Outcome = { written: true; version: number } | { written: false; current: Current };

async function createIfAbsent(entry: EntryAccess, valueText: string): Promise<Outcome> {
  const current = await entry.read();
  if (current.version !== absent.version) return { written: false, current };
  const { version } = await entry.write(valueText, versions.force);
  if (version !== versions.first) {
    throw new SdkError(
      'entry_overwritten',
      'Another process created the entry at the same moment, and this write has replaced what it wrote.',
    );
  }
  return { written: true, version };
}

async function replace(entry: EntryAccess, valueText: string, version: number): Promise<Outcome> {
  try {
    return { written: true, ...(await entry.write(valueText, version)) };
  } catch (error) {
    if (!isFailure(error, 'version_mismatch')) throw error;
    if (error.currentVersion !== undefined && error.currentValue !== undefined) {
      return { written: false, current: { value: error.currentValue, version: error.currentVersion } };
    }
    // The entry is gone, or a service of another make does not say what it holds.
    return { written: false, current: await entry.read() };
  }
}
