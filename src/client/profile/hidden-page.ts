import type { AccountCopy, PlannedRecords } from './account-copy.js';
import type { TakeIn } from './early-copy.js';
import { type EntryRecord, foldIn, hasWrite, isCounted, nextWrite, shownValue, type Write } from './entry-record.js';
import { type Journal, type JournalItem, lastOf } from './journal.js';
import type { PageWrites } from './page-writes.js';
import type { EntrySender } from './send-entry.js';
import { cloudOf, type RequestWrite } from './write-request.js';

/** What a page sends that may be gone the next moment, and what it leaves behind for the next one. */
export interface HiddenPage {
  /** Sends what was set without waiting for anything. */
  sendOnHide(copy: AccountCopy, name: string): void;
  /** Takes in what hidden pages have left in the journal. What cannot be settled now stays there. Never rejects. */
  foldJournal(copy: AccountCopy): Promise<void>;
}

export function createHiddenPage(dependencies: {
  sender: Pick<EntrySender, 'ask' | 'isUnderWay'>;
  requestWrite: RequestWrite;
  page: PageWrites;
  journal: Journal;
  takeIn: TakeIn;
  now(): number;
}): HiddenPage {
  const { sender, page, journal, takeIn, now } = dependencies;

  /** Sends what the home has. The request of a write whose answer is waited for outlives the page by itself. */
  function sendStored(copy: AccountCopy, name: string): void {
    const record = copy.record(name);
    const write = nextWrite(record);
    if (record === undefined || write === undefined || sender.isUnderWay(write)) return;
    // No tab hears of a page that is killed: what it sends must be frozen in the home, or its own.
    const isSafe = record.sent !== undefined || record.by === page.id;
    if (isSafe) sender.ask(copy, name, record, write).catch(() => {});
  }

  /** What the home has not got yet, each once. */
  function writesToCome({ basis, records }: PlannedRecords): Write[] {
    const writes = records.flatMap(({ local }) => local ?? []).filter(({ id }) => !isCounted(basis, id));
    return writes.filter(({ id }, index) => writes.findIndex((other) => other.id === id) === index);
  }

  function sendOnHide(copy: AccountCopy, name: string): void {
    if (copy.userId === null) return;
    const planned = copy.planned(name);
    // What is unsent in the home is about to be replaced, unless it is frozen.
    if (planned === undefined || copy.record(name)?.sent !== undefined) sendStored(copy, name);
    if (planned !== undefined) leave(copy, copy.userId, name, planned);
  }

  /** Leaves in the journal what the home has not got yet, and sends it where nothing else can be under way. */
  function leave(copy: AccountCopy, userId: string, name: string, planned: PlannedRecords): void {
    const { basis, records } = planned;
    const [record] = records;
    const [first, ...others] = writesToCome(planned);
    if (record === undefined || first === undefined) return;
    const last = lastOf([first, ...others]);
    const left = journal.find(last.id);
    // A page is hidden more than once: twice as it goes.
    if (left !== undefined && left.writes.length > others.length) return;
    const items = journal.items(userId).filter((item) => item.name === name);
    // Where something is unsent already, or the home may get a part, this only must not get lost.
    const isAlone = others.length === 0 && nextWrite(basis) === undefined && items.length === 0;
    const isAsked = isAlone || journal.isAsked(first.id);
    const writes = [first, ...others] as const;
    const before = shownValue(basis) ?? record.base;
    if (!journal.put({ userId, name, writes, version: record.version, before, isAsked })) return;
    const ids = writes.map(({ id }) => id);
    for (const [index, id] of ids.entries()) page.leave(id, { basis, after: ids.slice(0, index) });
    if (isAlone) sender.ask(copy, name, record, first).catch(() => {});
  }

  /** Gives whether it is settled; else it has to wait, until it is sent or the game has opened the collection. */
  async function fold(copy: AccountCopy, { name, writes }: JournalItem): Promise<boolean> {
    const { id } = lastOf(writes);
    const counted = await foldAsked(copy, id);
    let isSettled = false;
    await copy.change(name, 'tab', (latest) => {
      const item = journal.find(id);
      isSettled = false;
      // Another tab has settled it, or its page goes on with it.
      if (item === undefined) return latest;
      const next = withRest(name, latest, item, counted);
      // As long as it waits to be sent, it is known by the journal what the service was asked for.
      const isWaiting = item.isAsked && hasWrite(next, item.writes[0].id);
      isSettled = (counted.has(id) || isCounted(next, id)) && !isWaiting;
      return next;
    });
    if (isSettled) journal.settled(id);
    return isSettled;
  }

  /** Sets again what was never carried out, on top of what counts already. */
  function withRest(
    name: string,
    latest: EntryRecord | undefined,
    { writes, before }: JournalItem,
    counted: ReadonlySet<string>,
  ): EntryRecord | undefined {
    const last = lastOf(writes);
    const done = writes.filter(({ id }) => counted.has(id) || isCounted(latest, id));
    if (done.includes(last)) return latest;
    const base = [before, ...done.map(({ value }) => value)][done.length];
    return takeIn(name, latest, { write: last, base, since: undefined });
  }

  /**
   * Puts the write in that the service may have been asked for, or asks whether that is carried out. Gives which writes of
   * the item count: what the home has had by now may be sent, and gone from there, the next moment.
   */
  async function foldAsked(copy: AccountCopy, id: string): Promise<ReadonlySet<string>> {
    const item = journal.find(id);
    if (item === undefined) return new Set();
    const [write] = item.writes;
    const asked = { ...item, write };
    const record = await copy.change(item.name, 'tab', (latest) =>
      journal.isAsked(write.id) ? foldIn(latest, asked, now()) : latest,
    );
    const counted = new Set(item.writes.map((one) => one.id).filter((one) => isCounted(record, one)));
    if (item.isAsked && counted.size === 0 && (await isCarriedOut(copy, item))) counted.add(write.id);
    return counted;
  }

  async function isCarriedOut(copy: AccountCopy, { name, version, writes }: JournalItem): Promise<boolean> {
    try {
      await dependencies.requestWrite(copy, name, version, writes[0]);
      return true;
    } catch (error) {
      if (cloudOf(error) === null) throw error;
      return false;
    }
  }

  return {
    sendOnHide,
    foldJournal: async (copy) => {
      if (copy.userId === null) return;
      const folding = new Map<string, Promise<boolean>>();
      for (const item of journal.items(copy.userId)) {
        // One after the other, as they were set.
        const before = folding.get(item.name) ?? Promise.resolve(true);
        folding.set(
          item.name,
          before.then((isSettled) => isSettled && fold(copy, item)),
        );
      }
      await Promise.allSettled(folding.values());
    },
  };
}
