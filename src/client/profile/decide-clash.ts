import { isSdkError, SdkError, StateError } from '../../errors.js';
import { mergeValues, timesOfChange } from '../../merge/merge-values.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { AccountCopy } from './account-copy.js';
import type { CollectionOptions } from './collection.js';
import { splitName } from './entry-name.js';
import {
  type CloudEntry,
  type EntryRecord,
  isAheadOf,
  isCounted,
  shownValue,
  timesOf,
  timesOrNone,
  type Write,
} from './entry-record.js';
import { type Journal, type JournalItem, lastOf } from './journal.js';
import type { Change, PageWrites } from './page-writes.js';
import { check, inTodaysForm, show } from './values.js';

/**
 * Decides an entry that was written here and elsewhere, by what the game has declared, and keeps what loses as a
 * snapshot. Gives what is to be written next; undefined where the cloud's value counts as it is. Rejects with
 * `entry_conflict` where it has to wait for the game.
 */
export type Decide = (
  copy: AccountCopy,
  name: string,
  record: EntryRecord,
  cloud: CloudEntry,
) => Promise<Write | undefined>;

/** What came of it, and whether all that both sides have set is in it. */
interface Decision {
  value: JsonObject;
  times?: Write['times'];
  isLossless: boolean;
  /** The changes by which it was made of the cloud's value. */
  changes?: readonly Change[] | undefined;
}

interface Dependencies {
  /** What the game has declared; undefined where it has not opened the collection yet. */
  optionsOf(collection: string): CollectionOptions<unknown> | undefined;
  page: PageWrites;
  journal: Pick<Journal, 'items'>;
  writer(): string | Promise<string>;
  requests: Pick<Requests, 'addSnapshot'>;
  asOwner<T>(copy: AccountCopy, request: (player: PlayerOptions) => Promise<T>): Promise<T>;
  serverTime(): number;
  /** The bytes that a value may have. */
  maxBytes(): number;
  report(error: unknown): void;
}

export function createDecide(dependencies: Dependencies): Decide {
  const { page, journal } = dependencies;

  return async (copy, name, record, cloud) => {
    const [collection, key] = splitName(name);
    const options = dependencies.optionsOf(collection);
    const local = shownValue(record) as JsonObject;
    const changes = options?.merge === undefined ? page.changesOf(record.sent, record.local) : undefined;
    const isUpdate = [record.sent, record.local].some((write) => write?.isUpdate === true);
    const countsNothing = options?.merge === undefined && changes === undefined && !isUpdate;
    // Without rules, and without changes that count, the same value is the same state.
    if (countsNothing && cloud.value !== undefined && sameJson(cloud.value, local)) return undefined;
    const left = (): readonly JournalItem[] => journal.items(copy.userId, name);
    const isOnOwn =
      countsNothing && options !== undefined && (isAheadOf(record, cloud) || isOwn(left(), record, cloud));
    // What takes the place of nothing, or was set whole after what the service has, is written as it is.
    if (cloud.value === undefined || isOnOwn) {
      const added = cloud.value === undefined ? addedTo(record, options) : null;
      return again({ value: local, times: timesOf(record), ...added, isLossless: true, changes });
    }
    if (options === undefined) {
      throw undecided('Another device has written the entry, and its collection is not open here.');
    }
    const sides = { key, base: record.base, local, cloud: cloud.value };
    const decision = await decideByGame(options, sides, { record, cloud, changes });
    // An update is lost even if it had made the same value: nobody knows any more how it was made.
    const losers = [local, cloud.value].filter(
      (side, index) => !sameJson(side, decision.value) || (index === 0 && isUpdate),
    );
    if (!decision.isLossless) await keepLosers(copy, name, record, losers);
    return sameJson(decision.value, cloud.value) ? undefined : again(decision);
  };

  function again({ value, times, changes }: Decision): Write {
    const id = page.newWrite();
    page.remember(id, changes);
    const isUpdate = changes === undefined ? undefined : true;
    return { id, value, times: timesOrNone(times), isUpdate };
  }

  /** A function of the game that fails is reported, and is never part of an error of ours. */
  async function decideByGame(
    options: CollectionOptions<unknown>,
    sides: Sides,
    past: { record: EntryRecord; cloud: CloudEntry; changes: readonly Change[] | undefined },
  ): Promise<Decision> {
    let decision: Decision;
    let isRuled = true;
    try {
      const ruled = decideByRules(options, sides, past, dependencies.maxBytes());
      isRuled = ruled !== null;
      decision = ruled ?? (await ask(options, sides, past.cloud));
    } catch (error) {
      dependencies.report(error);
      throw undecided("Another device has written the entry, and the game's own merge failed.");
    }
    try {
      // A copy: the game may go on using what it gave.
      return { ...decision, value: check({}, decision.value, dependencies.maxBytes()) };
    } catch (error) {
      dependencies.report(error);
      const reason = `Another device has written the entry, and both together cannot be stored: ${(error as Error).message}.`;
      throw isRuled && isSdkError(error) ? new SdkError('too_large', reason) : undecided(reason);
    }
  }

  async function ask(options: CollectionOptions<unknown>, sides: Sides, { times = {} }: CloudEntry): Promise<Decision> {
    const { key, base, local, cloud } = sides;
    if (options.onConflict === undefined) return { value: cloud, times, isLossless: false };
    const shown = { key, base: base && show(options, base), local: show(options, local), cloud: show(options, cloud) };
    const value = (await options.onConflict(shown)) as JsonObject;
    const now = dependencies.serverTime();
    const after = timesOfChange({ before: cloud, times, after: value, rules: options.merge, now });
    return { value, times: after, isLossless: false };
  }

  /** The service keeps one snapshot for each name, however often the decision is made again. */
  async function keepLosers(
    copy: AccountCopy,
    name: string,
    record: EntryRecord,
    losers: readonly JsonObject[],
  ): Promise<void> {
    const [collection, key] = splitName(name);
    const { id } = record.local ?? (record.sent as Write);
    for (const [index, value] of losers.entries()) {
      const snapshot = { device: await dependencies.writer(), write: `${id}-lost-${index}` };
      await dependencies.asOwner(copy, (player) =>
        dependencies.requests.addSnapshot({ collection, key, value }, snapshot, player),
      );
    }
  }
}

interface Sides {
  key: string;
  base: JsonObject | undefined;
  local: JsonObject;
  cloud: JsonObject;
}

/** Decides without asking; null where the game has to be asked. */
function decideByRules(
  options: CollectionOptions<unknown>,
  { base, local, cloud: theirs }: Sides,
  { record, cloud, changes }: { record: EntryRecord; cloud: CloudEntry; changes: readonly Change[] | undefined },
  maxBytes: number,
): Decision | null {
  const { merge: rules, onConflict } = options;
  if (rules !== undefined) {
    const [before, mine, cloudValue] = [base, local, theirs].map((stored) => stored && inTodaysForm(options, stored));
    const sides = { base: before ?? null, local: mine as JsonObject, cloud: cloudValue as JsonObject };
    const times = { local: timesOf(record), cloud: cloud.times ?? {} };
    const merged = mergeValues({ ...sides, rules, times });
    const isDecided = merged.unresolved.length === 0;
    if (!isDecided && onConflict !== undefined) return null;
    return { value: merged.value, times: merged.times, isLossless: typeof rules !== 'function' && isDecided };
  }
  if (changes === undefined) return null;
  const value = changes.reduce((stored, change) => check(options, change(show(options, stored)), maxBytes), theirs);
  return { value, isLossless: true, changes };
}

/**
 * What came to a new entry since the device's other home has taken over to send it: that one sends the rest. Null where
 * there is no such home, or where the rules do not say what has come.
 */
function addedTo(record: EntryRecord, options: CollectionOptions<unknown> | undefined): Pick<Decision, 'value'> | null {
  const rules = options?.merge;
  if (options === undefined || typeof rules !== 'object' || record.isAhead !== true) return null;
  const [base = {}, local = {}] = [record.base, shownValue(record)].map((side) => side && inTodaysForm(options, side));
  return mergeValues({ base, local, cloud: {}, rules, otherwise: 'local' });
}

/** Whether a hidden page of this device has made what the service has, and the record has what was set on top of it. */
function isOwn(left: readonly JournalItem[], record: EntryRecord, cloud: CloudEntry): boolean {
  return left.some(({ isAsked, version, writes }) => {
    const isMade = isAsked && version + 1 === cloud.version && sameJson(writes[0].value, cloud.value);
    return isMade && isCounted(record, lastOf(writes).id);
  });
}

/** The game has to say what becomes of the entry. */
function undecided(message: string): StateError {
  return new StateError('entry_conflict', message);
}
