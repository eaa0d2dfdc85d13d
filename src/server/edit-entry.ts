import { isFailure, SdkError, ServiceError } from '../errors.js';
import { noteChange } from '../merge/merge-values.js';
import { openNotes } from '../merge/notes.js';
import type { MergeRules } from '../merge/rules.js';
import { failures } from '../protocol/failures.js';
import { versions } from '../protocol/gaps/versions.js';
import type { JsonObject } from '../protocol/messages.js';
import { encodeValue } from '../protocol/value-text.js';

/** How often an edit starts over. Whenever it must, another one has got through. */
const maxTries = 64;

/**
 * The back end's name in an entry's sub-totals. One for all its processes: each of its writes rests on the one before, so
 * that there is one line of them, as with a device.
 */
const backEnd = 'back-end';

/** How an entry is stored; version -1 where there is none. */
type Current = { value: JsonObject; version: number } | { value: undefined; version: -1 };

/** Reads and writes one entry. */
export interface EntryAccess {
  read(): Promise<Current>;
  /** Version -1 creates the entry, or fails with `version_mismatch`. */
  write(valueText: string, version: number): Promise<{ version: number }>;
}

/** What an entry becomes; `undefined` leaves it alone. `value` is undefined where there is no entry yet. */
export type EntryChange = (value: JsonObject | undefined) => JsonObject | undefined | Promise<JsonObject | undefined>;

/** How the entry stands after an edit; version -1 where there is none. */
export type EditedEntry =
  | { changed: true; value: JsonObject; version: number }
  | { changed: false; value: JsonObject | undefined; version: number };

/** Read, change, write if nobody else has meanwhile, else again with what they wrote. */
export async function editEntry(
  entry: EntryAccess,
  change: EntryChange,
  { merge, now }: { merge: MergeRules | undefined; now: () => number },
): Promise<EditedEntry> {
  let current = await entry.read();
  for (let tries = 1; tries <= maxTries; tries += 1) {
    const { value: stored, version } = current;
    const shown = stored === undefined || merge === undefined ? stored : openNotes(stored).value;
    const next = await change(shown);
    if (next === undefined) return { changed: false, value: shown, version };
    // Checked before it is taken apart, so that what cannot be stored is refused as it was given.
    const plain = encodeValue(next);
    const noted = (rules: MergeRules): JsonObject =>
      noteChange({ before: stored ?? null, after: next, rules, device: backEnd, now: now() });
    const outcome = await write(entry, merge === undefined ? plain : encodeValue(noted(merge)), version);
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
    // The entry is gone, or a service of another make does not say what it holds.
    return { written: false, current: await entry.read() };
  }
  if (version === versions.force && written !== versions.first) {
    throw new SdkError(
      'entry_overwritten',
      'The service does not create entries conditionally, and this write has replaced what another one created.',
    );
  }
  return { written: true, version: written };
}
