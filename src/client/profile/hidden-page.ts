import type { AccountCopy, PlannedRecords } from './account-copy.js';
import { askedVersion, isCounted, nextWrite, shownValue, type Write } from './entry-record.js';
import { type Journal, lastOf } from './journal.js';
import type { PageWrites } from './page-writes.js';
import type { EntrySender } from './send-entry.js';

/**
 * Sends what was set in an entry without waiting for anything, for the page may be gone the next moment, and leaves in
 * the journal what the home has not got. `failed` hears why a request was refused, where the page is still there.
 */
export type SendOnHide = (copy: AccountCopy, name: string, failed: (error: unknown) => void) => void;

type Failed = Parameters<SendOnHide>[2];

export function createSendOnHide(dependencies: {
  sender: Pick<EntrySender, 'ask' | 'isUnderWay'>;
  page: PageWrites;
  journal: Pick<Journal, 'find' | 'items' | 'isAsked' | 'put'>;
}): SendOnHide {
  const { sender, page, journal } = dependencies;

  /** Sends what the home has. The request of a write whose answer is waited for outlives the page by itself. */
  function sendStored(copy: AccountCopy, name: string, failed: Failed): void {
    const record = copy.record(name);
    const write = nextWrite(record);
    if (record === undefined || write === undefined || sender.isUnderWay(write)) return;
    // No tab hears of a page that is killed: what it sends must be frozen in the home, or its own.
    const isSafe = record.sent !== undefined || record.by === page.id;
    if (isSafe) sender.ask(copy, name, record, write).catch(failed);
  }

  /** Leaves in the journal what the home has not got yet, and sends it where nothing else can be under way. */
  function leave(copy: AccountCopy, name: string, planned: PlannedRecords, failed: Failed): void {
    const { basis, records } = planned;
    const { userId } = copy;
    const [record] = records;
    const [first, ...others] = writesToCome(planned);
    if (userId === null || record === undefined || first === undefined) return;
    const last = lastOf([first, ...others]);
    const left = journal.find(last.id);
    // A page is hidden more than once: twice as it goes.
    if (left !== undefined && left.writes.length > others.length) return;
    const items = journal.items(userId, name);
    // Where something is unsent already, or the home may get a part, this only must not get lost.
    const isAlone = others.length === 0 && nextWrite(basis) === undefined && items.length === 0;
    const isAsked = isAlone || journal.isAsked(first.id);
    const writes = [first, ...others] as const;
    const before = shownValue(basis) ?? record.base;
    if (!journal.put({ userId, name, writes, version: askedVersion(record), before, isAsked })) return;
    const ids = writes.map(({ id }) => id);
    for (const [index, id] of ids.entries()) page.leave(id, { basis, after: ids.slice(0, index) });
    if (isAlone) sender.ask(copy, name, record, first).catch(failed);
  }

  return (copy, name, failed) => {
    if (copy.userId === null) return;
    const planned = copy.planned(name);
    // What is unsent in the home is about to be replaced, unless it is frozen.
    if (planned === undefined || copy.record(name)?.sent !== undefined) sendStored(copy, name, failed);
    if (planned !== undefined) leave(copy, name, planned, failed);
  };
}

/** What the home has not got yet, each once. */
function writesToCome({ basis, records }: PlannedRecords): Write[] {
  const writes = records.flatMap(({ local }) => local ?? []).filter(({ id }) => !isCounted(basis, id));
  return writes.filter(({ id }, index) => writes.findIndex((other) => other.id === id) === index);
}
