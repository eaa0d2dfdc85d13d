import { ServiceError } from '../../errors.js';
import type { AccountCopy } from './account-copy.js';
import type { TakeIn } from './early-copy.js';
import {
  beginRecord,
  type EntryRecord,
  foldIn,
  hasWrite,
  isCounted,
  nextWrite,
  noteCounted,
  rests,
  type Write,
} from './entry-record.js';
import { type Journal, type JournalItem, lastOf } from './journal.js';
import type { PageWrites } from './page-writes.js';
import { stopsAll } from './troubles.js';
import { cloudOf, type RequestWrite } from './write-request.js';

/** Takes in what hidden pages have left in the journal. What cannot be settled now stays there; rejects with why. */
export type FoldJournal = (copy: AccountCopy) => Promise<void>;

export function createFoldJournal(dependencies: {
  requestWrite: RequestWrite;
  journal: Journal;
  page: PageWrites;
  takeIn: TakeIn;
  now(): number;
}): FoldJournal {
  const { requestWrite, journal, page, takeIn, now } = dependencies;

  /** Gives whether it is settled; else it has to wait, until it is sent or the game has opened the collection. */
  async function fold(copy: AccountCopy, { name, writes }: JournalItem): Promise<boolean> {
    const { id } = lastOf(writes);
    const { counted, isRefused } = await foldAsked(copy, id);
    let isSettled = false;
    await copy.change(name, 'tab', (latest) => {
      const item = journal.find(id);
      isSettled = false;
      // Another tab has settled it, or its page goes on with it.
      if (item === undefined) return latest;
      // What is refused may have been carried out before. It is known as soon as what waits beside it is taken.
      if (isRefused && nextWrite(latest) !== undefined) return latest;
      const next = withRest(name, latest, item, counted);
      // As long as it waits to be sent, or what waits may meet it, it is known by the journal what
      // the service was asked for.
      const isWaiting = item.isAsked && (hasWrite(next, item.writes[0].id) || rests(next, item.version));
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
    { writes, before, isAsked }: JournalItem,
    counted: ReadonlySet<string>,
  ): EntryRecord | undefined {
    const last = lastOf(writes);
    const done = writes.filter(({ id }) => counted.has(id) || isCounted(latest, id));
    // Its page may come back to life, and looks for it then.
    if (done.includes(last)) return isCounted(latest, last.id) ? latest : noteCounted(latest ?? beginRecord(), last.id);
    const base = [before, ...done.map(({ value }) => value)][done.length];
    page.remakeAfter(last, done);
    const write = isAsked && writes.length === 1 ? renamed(last) : last;
    const next = takeIn(name, latest, { write, base, since: undefined });
    if (next === undefined || !isCounted(next, write.id)) return next;
    // Another page may find some of them in an item of their own: localStorage is not one for all in the same moment.
    return noteCounted(next, ...writes.map(({ id }) => id));
  }

  /**
   * What the service has refused to carry out is asked for under another name: it knows of all hidden pages their last
   * write alone, and another page may have to ask for its own yet.
   */
  function renamed(write: Write): Write {
    const id = page.newWrite();
    page.remember(id, page.changesOf(write));
    return { ...write, id };
  }

  /**
   * Puts the write in that the service may have been asked for, or asks whether that is carried out. Gives which writes
   * of the item count: what the home has had by now may be sent, and gone from there, the next moment.
   */
  async function foldAsked(copy: AccountCopy, id: string): Promise<{ counted: Set<string>; isRefused: boolean }> {
    const item = journal.find(id);
    if (item === undefined) return { counted: new Set(), isRefused: false };
    const [write] = item.writes;
    const asked = { ...item, write };
    const record = await copy.change(item.name, 'tab', (latest) =>
      journal.isAsked(write.id) ? foldIn(latest, asked, now()) : latest,
    );
    const counted = new Set(item.writes.map((one) => one.id).filter((one) => isCounted(record, one)));
    const outcome = item.isAsked && counted.size === 0 ? await outcomeOf(requestWrite, copy, item) : null;
    if (outcome === 'carried out') counted.add(write.id);
    return { counted, isRefused: outcome === 'refused' };
  }

  return async (copy) => {
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
    await allEnded([...folding.values()]);
  };
}

/** Asks the service for the first write of an item; it has carried it out before, does so now, or never will. */
async function outcomeOf(
  requestWrite: RequestWrite,
  copy: AccountCopy,
  { name, version, writes }: JournalItem,
): Promise<'carried out' | 'never' | 'refused'> {
  try {
    await requestWrite(copy, name, version, writes[0]);
    return 'carried out';
  } catch (error) {
    if (cloudOf(error) !== null) return 'never';
    // What the service refuses for a reason of its own is held as other entries are: the game can give it up there.
    if (error instanceof ServiceError && !error.retryable && !stopsAll(error)) return 'refused';
    throw error;
  }
}

/** Waits for all of them, and rejects where one did. */
async function allEnded(promises: readonly Promise<unknown>[]): Promise<void> {
  await Promise.allSettled(promises);
  await Promise.all(promises);
}
