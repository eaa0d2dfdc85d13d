import { ServiceError } from '../../errors.js';
import { looksCarriedOut } from '../../http/entries.js';
import type { Platform } from '../platform/platform.js';
import type { AccountCopy } from './account-copy.js';
import type { Decide } from './decide-clash.js';
import {
  askedVersion,
  type CloudEntry,
  confirmWrite,
  type EntryRecord,
  freeze,
  hasWrite,
  nextWrite,
  noteCounted,
  rebaseOn,
  rests,
  type Write,
} from './entry-record.js';
import type { Journal } from './journal.js';
import type { PageWrites } from './page-writes.js';
import { cloudOf, type RequestWrite } from './write-request.js';

/** Sends entries of an account's copy to the service. */
export interface EntrySender {
  /**
   * Sends the next write of an entry, and settles what another device has written meanwhile. Nothing happens where
   * nothing is unsent. Rejects with the `SdkError` that prevents it.
   */
  send(copy: AccountCopy, name: string): Promise<void>;
  /**
   * Asks the service to carry out a write of the entry whose record this is. Nothing may come between the look at the
   * record and this: from here on the write may be under way.
   */
  ask(copy: AccountCopy, name: string, record: EntryRecord, write: Write): Promise<void>;
  /** Whether the answer to a write is waited for. */
  isUnderWay(write: Write): boolean;
}

export function createEntrySender(dependencies: {
  requestWrite: RequestWrite;
  page: PageWrites;
  journal: Pick<Journal, 'settled'>;
  decide: Decide;
  /** Lets one tab send at a time, where the platform can: nothing depends on it but that requests are spared. */
  lock: Platform['lock'];
  lockName: string;
  now(): number;
}): EntrySender {
  const { page, journal, now } = dependencies;
  const underWay = new Set<string>();

  /** Asks the service to carry the next write out. Gives how the service has the entry where the write came second. */
  async function attempt(copy: AccountCopy, name: string): Promise<{ write: Write; cloud: CloudEntry } | null> {
    // Another tab may have sent it by now.
    await copy.sync([name]);
    // What the home has not got yet must not leave the device, and what it has got may be about to be replaced.
    if (copy.storing.has(name)) return null;
    const found = copy.record(name);
    // What another page has set, that page may be replacing at this moment: frozen, it stays what it is.
    const isForeign = found?.sent === undefined && found?.local !== undefined && found.by !== page.id;
    const record = isForeign ? await copy.change(name, 'tab', (latest) => latest && freeze(latest)) : found;
    const write = nextWrite(record);
    if (record === undefined || write === undefined) return null;
    const mayBeCarriedOut = page.mayHaveSent(write) || record.sent !== undefined;
    try {
      await ask(copy, name, record, write);
      return null;
    } catch (error) {
      const cloud = cloudOf(error);
      if (cloud === null) throw error;
      const isUnnamed = isOfOlderService(error) || write.wasUnnamed === true;
      const asked = { version: askedVersion(record), value: write.value };
      if (!mayBeCarriedOut || !isUnnamed || !looksCarriedOut(asked, cloud)) return { write, cloud };
      await confirm(copy, name, write, cloud.version);
      return null;
    }
  }

  async function ask(copy: AccountCopy, name: string, record: EntryRecord, write: Write): Promise<void> {
    page.sending(write);
    underWay.add(write.id);
    const request = dependencies.requestWrite(copy, name, askedVersion(record), write);
    const made = await request.finally(() => underWay.delete(write.id));
    await confirm(copy, name, write, made);
  }

  async function confirm(copy: AccountCopy, name: string, write: Write, version: number): Promise<void> {
    const confirmed = { id: write.id, version, now: now() };
    const next = await copy.change(name, 'cloud', (record) => {
      // It may be in the journal as well, and the page gone before it can say there that it counts.
      const noted =
        record && hasWrite(record, write.id) && page.isLeft(write.id) ? noteCounted(record, write.id) : record;
      return noted && confirmWrite(noted, confirmed);
    });
    // The home may still be about to get the write. Then it is known again by its name.
    settled(write, !copy.storing.has(name), !rests(next, version - 1));
  }

  /** `isMet`: nothing waits that may meet the write at the service. Until then it is known again by the journal. */
  function settled({ id }: Write, isStored: boolean, isMet: boolean): void {
    if (isStored) page.settled(id);
    if (isMet) journal.settled(id);
  }

  /** Puts what the merge has made in the place of a write that the service has not carried out. */
  async function settle(copy: AccountCopy, name: string, write: Write, cloud: CloudEntry): Promise<void> {
    for (;;) {
      // Another tab that has met the same may have settled it by now, and what the service has be its own doing.
      await copy.sync([name]);
      const record = copy.record(name);
      if (record === undefined || nextWrite(record)?.id !== write.id) return;
      const latest = record.local ?? write;
      const merged = await dependencies.decide(copy, name, record, cloud);
      let isDecided = false;
      await copy.change(name, 'cloud', (current) => {
        // What the game or another tab has set meanwhile is decided anew.
        isDecided = nextWrite(current)?.id === write.id && (current?.local ?? write).id === latest.id;
        return isDecided && current !== undefined ? rebaseOn(current, cloud, merged, page.id) : current;
      });
      if (isDecided) for (const one of [write, latest]) settled(one, true, true);
      if (isDecided) return;
    }
  }

  return {
    send: async (copy, name) => {
      const clash = await dependencies.lock(dependencies.lockName, () => attempt(copy, name));
      if (clash !== null) await settle(copy, name, clash.write, clash.cloud);
    },
    ask,
    isUnderWay: ({ id }) => underWay.has(id),
  };
}

/** A service that keeps no record of writes does not say whether it has carried this one out. */
function isOfOlderService(error: unknown): boolean {
  return error instanceof ServiceError && error.carriedOut === undefined;
}
