import { versions } from '../../protocol/gaps/versions.js';
import { newUuid } from '../../protocol/ids.js';
import { sameJson } from '../../protocol/value-text.js';
import type { Change, RawHome } from '../storage/home.js';
import type { OtherEntry, UniteEntry } from '../storage/unite-homes.js';
import {
  askedVersion,
  beginRecord,
  type EntryRecord,
  handOver,
  isCounted,
  nextWrite,
  noteCounted,
  type Offer,
  offerTo,
  readRecord,
  refresh,
  shownValue,
  timesOf,
  timesOrNone,
  type Write,
} from './entry-record.js';
import type { Journal, JournalItem } from './journal.js';

/** Unites the entries of two homes of this version of the package, record by record. */
export function createUniteEntry(
  prefixOf: (userId: string | null) => string,
  journal: Pick<Journal, 'put'>,
): UniteEntry {
  const keyOf = ({ userId, name }: OtherEntry): string => prefixOf(userId) + name;

  /**
   * An entry of an account that has been played in both homes. What is unsent is handed over in localStorage first: a tab
   * that lives on there would merge and rename it while it is on its way, and both would count. What is unsent in both
   * goes through the journal.
   */
  async function uniteOwn(home: RawHome, entry: OtherEntry): Promise<Change | null> {
    const { userId, name } = entry;
    const device = newUuid();
    // Where localStorage is full, it is taken as it is.
    await entry.change((text) => handText(text, device)).catch(() => {});
    let items: JournalItem[] = [];
    const takeOver = ({ handed, ...other }: EntryRecord, stored: EntryRecord | undefined): EntryRecord | undefined => {
      const record = handed === undefined ? stored : takeOver(handed, stored);
      const [first, ...others] = writesOf(other, entry.writer);
      if (first === undefined) {
        // What it is ahead by has come with what was unsent then.
        if (other.isAhead === true) return record;
        return refresh(record, { version: other.version, value: other.base, times: other.times });
      }
      const writes = [first, ...others] as const;
      if (isCounted(record, (others[0] ?? first).id)) return record;
      if (nextWrite(record) === undefined && !isCounted(record, first.id)) {
        const [sent, local] = other.sent === undefined ? [undefined, first] : writes;
        const counted = [...(record?.counted ?? []), ...(other.counted ?? []), ...writes.map(({ id }) => id)];
        return noteCounted({ ...other, sent, local }, ...counted);
      }
      items.push({ userId, name, writes, version: askedVersion(other), before: other.base, isAsked: true });
      return record;
    };
    const takeAll = (other: EntryRecord, record: EntryRecord | undefined): EntryRecord | undefined => {
      items = [];
      return takeOver(other, record);
    };
    const { leave } = await change(home, keyOf(entry), entry, takeAll, (...found) => leaveHanded(...found, device));
    return items.every((item) => journal.put(item)) ? leave : null;
  }

  /** An entry of a guest to whom nothing leads any more: his heir gets what has come since he has got it last. */
  async function give(home: RawHome, entry: OtherEntry, heir: string): Promise<Change | null> {
    const id = newUuid();
    const { leave, united } = await change(home, keyOf(entry), entry, (other, record) => {
      const value = shownValue(other);
      if (value === undefined || sameJson(value, record?.given)) return record;
      const { isUpdate } = other.local ?? other.sent ?? {};
      const write = { id, value, times: timesOrNone(timesOf(other)), isUpdate };
      // What it is ahead by is his own: it was on its way to what the home has of him, and may not be there.
      const past = other.isAhead === true ? other.handed : other;
      const base = record?.given ?? (past?.version === versions.force ? past.base : undefined);
      const offer: Offer = { userId: heir, write, base, since: other.since, isOthers: true };
      return { ...beginRecord(undefined, record), given: value, offers: [...(record?.offers ?? []), offer] };
    });
    const offers = united?.offers ?? [];
    if (offers.length > 0) await passOn(home, offers, { from: keyOf(entry), to: prefixOf(null) + entry.name });
    return leave;
  }

  /** What was set before an account, and what of it was offered to one. */
  async function uniteEarly(home: RawHome, entry: OtherEntry): Promise<Change | null> {
    const { heirs, next, read } = entry;
    let isLeft = false;
    const { leave } = await change(home, keyOf(entry), entry, (other, record) => {
      const offered = next === null ? other : offerTo(next, other);
      const hasGot = ({ userId, write }: Offer): boolean => isCounted(readRecord(read(userId)), write.id);
      const offers = (offered.offers ?? []).flatMap((offer): Offer[] => {
        const heir = heirs.get(offer.userId);
        if (heir !== undefined && hasGot(offer)) return [];
        return [{ ...offer, userId: heir ?? offer.userId, isOthers: true }];
      });
      const united = offers.length === 0 ? record : withOffers(record, offers);
      const write = nextWrite(offered);
      if (write === undefined || isCounted(record, write.id)) return united;
      // Nobody has come yet: then both are kept apart.
      isLeft = nextWrite(record) !== undefined;
      return isLeft ? united : noteCounted({ ...other, offers: united?.offers, counted: united?.counted }, write.id);
    });
    return isLeft ? null : leave;
  }

  return (home, entry) => {
    if (entry.userId === '') return uniteEarly(home, entry);
    const heir = entry.heirs.get(entry.userId);
    return heir === undefined ? uniteOwn(home, entry) : give(home, entry, heir);
  };
}

/** Makes what is unsent there the other home's: a tab that lives on shows it, and sends no more of it. */
function handText(text: string | null, device: string): string | null {
  const record = readRecord(text);
  return record === undefined || nextWrite(record) === undefined ? text : JSON.stringify(handOver(record, device));
}

/**
 * What becomes of an entry in localStorage that the home has got as it was found; null where it may go if nobody has
 * written there since.
 */
function leaveHanded(found: EntryRecord, text: string | null, device: string): Change | null {
  const { handed } = found;
  if (handed === undefined) {
    if (nextWrite(found) === undefined) return null;
    const { handed: _, ...rest } = handOver(found, device);
    return (now) => (now === text ? JSON.stringify(rest) : now);
  }
  return (now) => {
    const { handed: latest, ...rest } = readRecord(now) ?? {};
    return sameJson(latest, handed) ? JSON.stringify(rest) : now;
  };
}

/**
 * Changes what the home has by what localStorage has in the same step. Gives what becomes of that there, and what the
 * home has come to. `leaveOf` gives what is left there at once; null where nothing is.
 */
async function change(
  home: RawHome,
  key: string,
  { userId, read }: OtherEntry,
  unite: (other: EntryRecord, record: EntryRecord | undefined) => EntryRecord | undefined,
  leaveOf: (other: EntryRecord, text: string | null) => Change | null = () => null,
) {
  let leave: Change | null = null;
  const text = await home.update(
    key,
    (stored) => {
      const found = read(userId);
      const other = readRecord(found);
      const record = readRecord(stored);
      const next = other === undefined ? record : unite(other, record);
      leave = other === undefined ? null : leaveOf(other, found);
      // What is damaged stays where it is. What is an account's is removed by a later start that finds nothing new in
      // it: the page of a tab that lives on shows it.
      const mayGo = other !== undefined && (userId === '' || next === record);
      if (leave === null && mayGo) leave = (now) => (now === found ? null : now);
      return next === record ? stored : JSON.stringify(next);
    },
    { strict: true },
  );
  return { leave: leave as Change | null, united: readRecord(text) };
}

/** Lays offers where those of all accounts wait: there first, so that they are somewhere at any moment. */
async function passOn(
  home: RawHome,
  offers: readonly Offer[],
  { from, to }: { from: string; to: string },
): Promise<void> {
  const add = (text: string | null): string => JSON.stringify(withOffers(readRecord(text), offers));
  await home.update(to, add, { strict: true });
  const given = offers.map(({ write }) => write.id);
  await home.update(from, (text) => {
    const record = readRecord(text);
    return JSON.stringify({ ...record, offers: record?.offers?.filter(({ write }) => !given.includes(write.id)) });
  });
}

/** What is unsent in a record, with the name under which it may have been sent. */
function writesOf({ sent, local }: EntryRecord, writer: string | null): Write[] {
  const device = writer ?? undefined;
  return [sent, local].flatMap((write) => (write === undefined ? [] : { device, ...write }));
}

/** A record before an account with these offers, each of them once. */
function withOffers(record: EntryRecord | undefined, offers: readonly Offer[]): EntryRecord {
  const fresh = offers.filter(({ write }) => !isCounted(record, write.id));
  const known = beginRecord(undefined, record);
  return noteCounted({ ...known, offers: [...(known.offers ?? []), ...fresh] }, ...fresh.map(({ write }) => write.id));
}
