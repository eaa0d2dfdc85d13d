import { ServiceError } from '../../errors.js';
import type { FieldTimes } from '../../merge/rules.js';
import { sizes } from '../../protocol/gaps/sizes.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { AccountCopy } from './account-copy.js';
import { splitName } from './entry-name.js';
import { type CloudEntry, cleanCloud, type Write } from './entry-record.js';
import type { Journal } from './journal.js';
import type { PageWrites } from './page-writes.js';

/** A page may send no more than 64 KiB that outlive it. */
const keepaliveBytes = 20_000;

/** Asks the service to write an entry on this version. Gives the version that it has made of the write. */
export type RequestWrite = (copy: AccountCopy, name: string, version: number, write: Write) => Promise<number>;

export function createRequestWrite(dependencies: {
  requests: Pick<Requests, 'updateEntry'>;
  /** Asks with the token of a copy's own account, or fails. */
  asOwner<T>(copy: AccountCopy, request: (player: PlayerOptions) => Promise<T>): Promise<T>;
  journal: Pick<Journal, 'isAsked' | 'isBlind'>;
  page: Pick<PageWrites, 'isOwn' | 'isLeft'>;
  /** The device's public name for its writes. */
  writer(): string | Promise<string>;
}): RequestWrite {
  const { requests, asOwner, journal, page, writer } = dependencies;

  return async (copy, name, version, write) => {
    const [collection, key] = splitName(name);
    const valueText = JSON.stringify(write.value);
    const keepalive = valueText.length < keepaliveBytes;
    const ask = async (isHurried: boolean): Promise<number> => {
      // The service knows of each device only its last write, and a hidden page could not wait for the other tabs.
      const own = write.device ?? (await writer());
      const device = isHurried ? `${own}-h` : own;
      const entry = {
        collection,
        key,
        valueText,
        version,
        name: { device, write: write.id },
        times: timesToSend(write.times),
      };
      const made = await asOwner(copy, (player) => requests.updateEntry(entry, { ...player, keepalive }));
      return made.version;
    };
    const isHurried = journal.isAsked(write.id);
    try {
      return await ask(isHurried);
    } catch (error) {
      // What a page has sent that was hidden before it heard that the home had it, another tab may have sent too, or a
      // worker, which cannot read what the page has left; nor can that itself, where localStorage is denied by now.
      const mayBeLeft = !page.isOwn(write) || page.isLeft(write.id);
      const isHurriedToo = journal.isAsked(write.id) || (mayBeLeft && journal.isBlind());
      if (cloudOf(error) === null || !isHurriedToo) throw error;
      return ask(!isHurried);
    }
  };
}

/** How the service has the entry, where it has answered that a write came second; else null. */
export function cloudOf(error: unknown): CloudEntry | null {
  if (!(error instanceof ServiceError) || error.currentVersion === undefined) return null;
  return cleanCloud(error.currentVersion, error.currentValue, error.currentTimes);
}

function timesToSend(times: FieldTimes | undefined): FieldTimes | undefined {
  // The service keeps no more of them; without them the cloud's value counts as the later one.
  return JSON.stringify(times ?? {}).length > sizes.entryTimesBytes ? undefined : times;
}
