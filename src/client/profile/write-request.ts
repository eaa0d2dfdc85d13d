import type { FieldTimes } from '../../merge/rules.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { AccountCopy } from './account-copy.js';
import { splitName } from './entry-name.js';
import type { Write } from './entry-record.js';
import type { Journal } from './journal.js';
import type { PageWrites } from './page-writes.js';

/** A page may send no more than 64 KiB that outlive it. */
const keepaliveBytes = 20_000;

/** The service keeps no more times of an entry; without them the cloud's value counts as the later one. */
const maxTimesLength = 4_096;

/** Asks the service to write an entry on this version. Gives the version that it has made of the write. */
export type RequestWrite = (copy: AccountCopy, name: string, version: number, write: Write) => Promise<number>;

export function createRequestWrite(dependencies: {
  requests: Pick<Requests, 'updateEntry'>;
  /** Asks with the token of a copy's own account, or fails. */
  asOwner<T>(copy: AccountCopy, request: (player: PlayerOptions) => Promise<T>): Promise<T>;
  page: Pick<PageWrites, 'isHurried'>;
  journal: Pick<Journal, 'has'>;
  /** The device's public name for its writes. */
  writer(): string;
}): RequestWrite {
  const { requests, asOwner, page, journal, writer } = dependencies;

  return async (copy, name, version, write) => {
    const [collection, key] = splitName(name);
    const valueText = JSON.stringify(write.value);
    const isHurried = write.isHurried === true || page.isHurried(write.id) || journal.has(write.id);
    const writeName = { device: isHurried ? `${writer()}-h` : writer(), write: write.id };
    const entry = { collection, key, valueText, version, name: writeName, times: timesToSend(write.times) };
    const keepalive = valueText.length < keepaliveBytes;
    const made = await asOwner(copy, (player) => requests.updateEntry(entry, { ...player, keepalive }));
    return made.version;
  };
}

function timesToSend(times: FieldTimes | undefined): FieldTimes | undefined {
  return JSON.stringify(times ?? {}).length > maxTimesLength ? undefined : times;
}
