import type { AccountCopy } from './account-copy.js';
import type { TakeIn } from './early-copy.js';
import { foldIn, hasWrite, nextWrite, shownValue, type Write } from './entry-record.js';
import type { Journal, JournalItem } from './journal.js';
import type { PageWrites } from './page-writes.js';
import { cloudOf, type EntrySender } from './send-entry.js';
import type { RequestWrite } from './write-request.js';

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

  function sendOnHide(copy: AccountCopy, name: string): void {
    const stored = copy.record(name);
    const planned = copy.planned(name);
    const record = planned ?? stored;
    const write = nextWrite(record);
    // The request of a write whose answer is waited for outlives the page by itself.
    if (record === undefined || write === undefined || copy.userId === null || sender.isUnderWay(write)) return;
    if (planned === undefined || nextWrite(stored)?.id === write.id) {
      // No tab hears of a page that is killed: what it sends must be frozen in the home, or its own with nothing to come.
      const isSafe = stored?.sent !== undefined || (planned === undefined && record.by === page.id);
      if (isSafe) sender.ask(copy, name, record, write).catch(() => {});
      return;
    }
    // A page is hidden more than once: twice as it goes. What is there twice would be folded in twice.
    if (journal.has(write.id)) return;
    // Where something is unsent already, or another page's may be under way, this only must not get lost.
    const isAlone = nextWrite(stored) === undefined && journal.items(copy.userId).every((item) => item.name !== name);
    const hurried: Write = { ...write, isHurried: true };
    const item = { userId: copy.userId, name, write: hurried, version: record.version, isAsked: isAlone };
    const before = stored === undefined ? record.base : shownValue(stored);
    if (!journal.add({ ...item, before })) return;
    page.hurry(write.id, stored);
    if (isAlone) sender.ask(copy, name, record, hurried).catch(() => {});
  }

  async function fold(copy: AccountCopy, item: JournalItem): Promise<void> {
    const { name, write, before: base } = item;
    let record = copy.record(name);
    if (item.isAsked) record = await copy.change(name, 'tab', (latest) => foldIn(latest, item, now()));
    if (!hasWrite(record, write.id) && !(item.isAsked && (await isCarriedOut(copy, item)))) {
      // Another tab has come in between, and this was never carried out: it is set again on top.
      record = await copy.change(name, 'tab', (latest) => takeIn(name, latest, { write, base, since: undefined }));
      // It has to wait until the game has opened the collection.
      if (record?.adopted !== write.id) return;
    }
    journal.remove(write.id);
  }

  async function isCarriedOut(copy: AccountCopy, { name, version, write }: JournalItem): Promise<boolean> {
    try {
      await dependencies.requestWrite(copy, name, version, write);
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
      await Promise.allSettled(journal.items(copy.userId).map((item) => fold(copy, item)));
    },
  };
}
