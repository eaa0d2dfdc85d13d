import { cleanValue } from '../../merge/earlier-notes.js';
import type { FieldTimes } from '../../merge/rules.js';
import { versions } from '../../protocol/gaps/versions.js';
import type { JsonObject } from '../../protocol/messages.js';
import { isPlainObject, sameJson } from '../../protocol/value-text.js';

/** How many writes a record notes of which nobody is known to look for them; more where that cannot be known. */
const maxCounted = { known: 8, blind: 64 };

/** A value that is to be written to the service, under a name of its own. */
export interface Write {
  /** No other write of this device has it: the service knows by it what it has carried out already. */
  readonly id: string;
  readonly value: JsonObject;
  /** When the fields under the rule `latest` were set. */
  readonly times?: FieldTimes | undefined;
  /** It was made by `update`: it counts, also where another device has made the same value. */
  readonly isUpdate?: true | undefined;
  /** An earlier version of this package may have sent it, without a name: the service cannot know it again. */
  readonly wasUnnamed?: true | undefined;
  /** The device's name under which it may have been sent, where that was another than the present one. */
  readonly device?: string | undefined;
}

/** What was set elsewhere on this device, and is to come into an account's copy once. */
export interface SetElsewhere {
  readonly write: Write;
  /** What the game had changed; undefined where it had no past. */
  readonly base: JsonObject | undefined;
  readonly since: number | undefined;
  /** It is what another account had, as a second device would have it: it takes the place of nothing. */
  readonly isOthers?: true | undefined;
}

/** What was set before an account, and was offered to one: from then on it is that account's alone. */
export interface Offer extends SetElsewhere {
  readonly userId: string;
}

/**
 * An entry of one account as this device keeps it, shared by its tabs. Every change of it is one of the functions
 * below, carried out in one step of the device's home.
 */
export interface EntryRecord {
  /** The version of `base` at the service; -1 where the service has none, as far as is known. */
  readonly version: number;
  /** The value that the service has under that version; with -1, what the game had changed, wherever that was. */
  readonly base?: JsonObject | undefined;
  /** `base` has more than the service has under that version: the device's other home sends the rest. */
  readonly isAhead?: true | undefined;
  /**
   * The device's name for what is written from now on: the service knows of each name its last write alone, and what
   * came before under another one the device's other home asks for.
   */
  readonly device?: string | undefined;
  /** The times of `base`. */
  readonly times?: FieldTimes | undefined;
  /** A write that may be under way: it is asked for, as it is, until the service has answered. */
  readonly sent?: Write | undefined;
  /** What the game has set since. Nobody but the page that made it may have sent it. */
  readonly local?: Write | undefined;
  /** The page that made `local`. */
  readonly by?: string | undefined;
  /** When the entry began to be unsent, by the device's clock: the longest unsent is sent first. */
  readonly since?: number | undefined;
  /**
   * The last writes that came from elsewhere, or that another page than their own has frozen or replaced, and of all
   * such those that are in the journal: they count, wherever they are found once more.
   */
  readonly counted?: readonly string[] | undefined;
  /** Of a record before an account: what waits to come into the copies of accounts, as it was set. */
  readonly offers?: readonly Offer[] | undefined;
  /** What was unsent as the device's other home began to take the entry over: it is that one's, which may have it already. */
  readonly handed?: EntryRecord | undefined;
  /** Of a guest to whom nothing leads any more: the value up to which his heir has got the entry. */
  readonly given?: JsonObject | undefined;
}

/** An entry as the service has it. */
export interface CloudEntry {
  readonly version: number;
  /** Undefined where the service has no such entry. */
  readonly value: JsonObject | undefined;
  readonly times?: FieldTimes | undefined;
}

/**
 * The record on which something is put; begun where the home has nothing of the entry. `before` is what the game had
 * changed: another tab may have dropped or given up what it was seen in, and the service may have that all the same.
 */
export function beginRecord(before?: JsonObject, record?: EntryRecord): EntryRecord {
  const isKnown = record !== undefined && (record.version !== versions.force || shownValue(record) !== undefined);
  return isKnown ? record : { ...record, version: versions.force, base: before };
}

/** Reads the text of a record; undefined where nothing is stored, or it is damaged. */
export function readRecord(text: string | null): EntryRecord | undefined {
  if (text === null) return undefined;
  try {
    const record: unknown = JSON.parse(text);
    return isPlainObject(record) && Number.isSafeInteger(record['version'])
      ? (record as unknown as EntryRecord)
      : undefined;
  } catch {
    return undefined;
  }
}

/** The write that the service gets next: a frozen one first. */
export function nextWrite(record: EntryRecord | undefined): Write | undefined {
  return record?.sent ?? record?.local;
}

/** The version to write on. Ahead of the service it is one that no entry has: what it has is to be heard first. */
export function askedVersion({ version, isAhead }: EntryRecord): number {
  return isAhead === true ? versions.max : version;
}

/** Whether the service has nothing of which the record does not know: at most what it is ahead by. */
export function isAheadOf({ isAhead, version, base }: EntryRecord, cloud: CloudEntry): boolean {
  return isAhead === true && (cloud.version <= version || sameJson(cloud.value, base));
}

/** The value as the game sees it. */
export function shownValue(record: EntryRecord | undefined): JsonObject | undefined {
  return (record?.local ?? record?.sent)?.value ?? record?.base;
}

/** The times of that value. */
export function timesOf(record: EntryRecord | undefined): FieldTimes {
  return (record?.local ?? record?.sent ?? record)?.times ?? {};
}

/** None where they say nothing of any field. */
export function timesOrNone(times: FieldTimes | undefined): FieldTimes | undefined {
  return times === undefined || Object.keys(times).length === 0 ? undefined : times;
}

/** Puts what the game has set on top. `mayHaveSent` says of a write whether this page may have sent it. */
export function setLocal(
  record: EntryRecord = beginRecord(),
  local: Write,
  page: { id: string; now: number; mayHaveSent: (write: Write) => boolean },
): EntryRecord {
  const { sent = mayBeUnderWay(record, page), local: replaced } = record;
  const isForeign = replaced !== undefined && record.by !== page.id;
  const begun = isForeign ? noteCounted(record, replaced.id) : record;
  return { ...begun, sent, local: named(record, local), by: page.id, since: record.since ?? page.now };
}

/** A write with the name under which the record sends it. */
function named({ device }: EntryRecord, write: Write): Write {
  return device === undefined ? write : { device, ...write };
}

function mayBeUnderWay(
  { local, by }: EntryRecord,
  page: { id: string; mayHaveSent: (write: Write) => boolean },
): Write | undefined {
  return local !== undefined && (by !== page.id || page.mayHaveSent(local)) ? local : undefined;
}

/** A record of what was set before an account: nobody sends it, so that nothing in it is ever under way. */
export function setEarly(
  record: EntryRecord | undefined,
  local: Write,
  { before, by, now }: { before: JsonObject | undefined; by: string; now: number },
): EntryRecord {
  if (nextWrite(record) !== undefined) return { ...(record as EntryRecord), local, by };
  return { ...beginRecord(before, record), local, by, since: now };
}

/** Makes all that was set before an account the account's: from now on nobody else sees it or gets it. */
export function offerTo(userId: string, record: EntryRecord): EntryRecord {
  const { sent, local, base, times: _, by: __, since, offers = [], ...rest } = record;
  const writes = [sent, local].filter((write) => write !== undefined);
  if (writes.length === 0) return record;
  const made = writes.map((write, index) => ({ userId, write, base: [base, sent?.value][index], since }));
  const offered = { ...rest, version: versions.force, offers: [...offers, ...made] };
  return noteCounted(offered, ...writes.map(({ id }) => id));
}

/** What a record has for an account, in the order in which it was set. */
export function offersOf(userId: string | null | undefined, record: EntryRecord | undefined): readonly Offer[] {
  return record?.offers?.filter((offer) => offer.userId === userId) ?? [];
}

/** The account has got it. Null where nothing is left. */
export function endOffer(id: string, { offers = [], ...rest }: EntryRecord): EntryRecord | null {
  const left = offers.filter(({ write }) => write.id !== id);
  if (left.length > 0) return { ...rest, offers: left };
  return nextWrite(rest) === undefined ? null : rest;
}

/**
 * Puts in what a page was about to store when it was hidden, and has sent. Where the write counts already, or another
 * tab has come in between, the record stays as it is.
 */
export function foldIn(
  stored: EntryRecord | undefined,
  item: { write: Write; version: number; before: JsonObject | undefined },
  now: number,
): EntryRecord | undefined {
  const record = beginRecord(item.before, stored);
  const isAsBefore = nextWrite(record) === undefined && record.version === item.version;
  if (!isAsBefore || isCounted(stored, item.write.id)) return stored;
  // Its page may come back to life when it has been sent, and looks for it then.
  return noteCounted({ ...record, sent: item.write, since: now }, item.write.id);
}

/** Whether a write is one of those that wait in the record. */
export function hasWrite(record: EntryRecord | undefined, id: string): boolean {
  return record?.sent?.id === id || record?.local?.id === id;
}

/** Whether something that waits rests on this version: at the service it meets what was sent beside it on the same. */
export function rests(record: EntryRecord | undefined, version: number): boolean {
  return nextWrite(record) !== undefined && record?.version === version;
}

/** Whether a write counts, as far as a record says: it waits there, or has been there. */
export function isCounted(record: EntryRecord | undefined, id: string): boolean {
  return hasWrite(record, id) || record?.counted?.includes(id) === true;
}

/** Notes that writes are in what the record has now, the last of them as the latest. */
export function noteCounted(record: EntryRecord, ...ids: string[]): EntryRecord {
  if (ids.length === 0) return record;
  const noted = [...(record.counted ?? []), ...ids];
  return { ...record, counted: noted.filter((id, index) => noted.lastIndexOf(id) === index) };
}

/** A record of which nothing is left but the names of the writes that count; null where it has none. */
export function onlyCounted({ counted = [] }: Pick<EntryRecord, 'counted'> = {}): EntryRecord | null {
  return counted.length === 0 ? null : { version: versions.force, counted };
}

/** Forgets which writes count, but the last ones, and those that somebody is known to look for still. */
export function forgetCounted(
  record: EntryRecord,
  lookedFor: { has(id: string): boolean; isBlind(): boolean },
): EntryRecord {
  const { counted = [] } = record;
  if (counted.length <= maxCounted.known) return record;
  const old = counted.length - (lookedFor.isBlind() ? maxCounted.blind : maxCounted.known);
  return { ...record, counted: counted.filter((id, index) => index >= old || lookedFor.has(id)) };
}

/** Notes what is about to leave the record unsent: a hidden page may have left it elsewhere too. */
function noteUnsent(record: EntryRecord): EntryRecord {
  return noteCounted(record, ...[record.sent, record.local].flatMap((write) => write?.id ?? []));
}

/**
 * A record as a tab goes on with it whose home another one has taken the place of: it shows what was set, and the other
 * one alone sends that, or both would merge it at the service. `device` is a name that nobody has written under.
 */
export function handOver(record: EntryRecord, device: string): EntryRecord {
  const { sent: _, local: __, by: ___, since: ____, ...rest } = noteUnsent(record);
  return { ...rest, base: shownValue(record), times: timesOf(record), isAhead: true, device, handed: record };
}

/** Makes the next write one that any page may send: as long as it is under way, nothing takes its place. */
export function freeze(record: EntryRecord): EntryRecord {
  const { sent, local, ...rest } = record;
  return sent === undefined && local !== undefined ? noteCounted({ ...rest, sent: local }, local.id) : record;
}

/** The service has carried a write out, under this version. Nothing changes where that is known already. */
export function confirmWrite(
  record: EntryRecord,
  { id, version, now }: { id: string; version: number; now: number },
): EntryRecord {
  const { sent, local, by, since, ...rest } = record;
  const write = sent ?? local;
  if (write?.id !== id) return record;
  // It may have been carried out long before: what the record rests on has come after it then.
  const isLatest = version > record.version;
  const confirmed = isLatest ? { ...rest, ...knownFrom({ ...write, version }) } : rest;
  // What was set meanwhile goes to the end of the line.
  return sent !== undefined && local !== undefined ? { ...confirmed, local, by, since: now } : confirmed;
}

/**
 * The service has not carried a write out, and never will: it has the entry under another version. What the merge of
 * both has made takes the place of all that is unsent; without it the cloud's value counts.
 */
export function rebaseOn(record: EntryRecord, cloud: CloudEntry, merged: Write | undefined, by: string): EntryRecord {
  const { sent: _, local: __, by: ___, since, ...rest } = noteUnsent(record);
  const base = { ...rest, ...knownFrom(cloud) };
  return merged === undefined ? base : { ...base, local: named(record, merged), by, since };
}

/** The service has been read. What is unsent stays: it meets the other's value when it is sent. */
export function refresh(record: EntryRecord | undefined, cloud: CloudEntry): EntryRecord {
  // An answer may have been overtaken by a later one.
  if (record !== undefined && (nextWrite(record) !== undefined || record.version >= cloud.version)) return record;
  return { ...record, ...knownFrom(cloud) };
}

/** What a record says that rests on what the service has. */
function knownFrom({ version, value, times }: CloudEntry) {
  return { version, base: value, isAhead: undefined, times };
}

/** What is unsent is given up, and the value that the service is known to have counts. */
export function discard(record: EntryRecord): EntryRecord {
  const { sent: _, local: __, by: ___, since: ____, ...rest } = noteUnsent(record);
  if (rest.version !== versions.force) return rest;
  const { base: _____, times: ______, isAhead: _______, ...unknown } = rest;
  return unknown;
}

/** What the service answers, without what an earlier version of this package has kept inside the value. */
export function cleanCloud(version: number, value: JsonObject | undefined, times?: FieldTimes): CloudEntry {
  if (value === undefined) return { version, value };
  const clean = cleanValue(value, times);
  return { version, value: clean.value, times: timesOrNone(clean.times) };
}
