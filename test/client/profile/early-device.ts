import { type AccountCopy, openAccountCopy } from '../../../src/client/profile/account-copy.js';
import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { createTakeIn, giveAway } from '../../../src/client/profile/early-copy.js';
import { createEdit } from '../../../src/client/profile/edit.js';
import type { EntryRecord } from '../../../src/client/profile/entry-record.js';
import { createPageWrites } from '../../../src/client/profile/page-writes.js';
import type { Home } from '../../../src/client/storage/home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';
import type { JsonObject } from '../../../src/protocol/messages.js';

export const maxBytes = saveLimits.valueBytes;

export const main = 'progress\nmain';
export const other = 'progress\nother';
const earlyPrefix = 'entry::';
export const accountPrefix = 'entry:ada:';
export const merge = { coins: 'sum' } as const;
export const coinsOf = (value: JsonObject | undefined): number => Number(value?.['coins'] ?? 0);
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** What a device has: entries before an account, and those of one account. */
export function createEarlyDevice(
  options: { [collection: string]: CollectionOptions<unknown> } = { progress: { merge } },
) {
  const texts = new Map<string, string>();
  const inner = createMemoryHome(texts);
  let now = 0;
  const read = (key: string): EntryRecord | undefined => {
    const text = texts.get(key);
    return text === undefined ? undefined : (JSON.parse(text) as EntryRecord);
  };

  /** A page; after so many operations of the home it is gone, and hears of nothing any more. */
  async function open(lives = Number.POSITIVE_INFINITY) {
    const page = createPageWrites();
    let left = lives;
    const home: Home = {
      readAll: inner.readAll,
      update: async (key, change) => {
        await turn();
        if (left <= 0) return new Promise(() => {});
        left -= 1;
        const text = await inner.update(key, change);
        return left <= 0 ? new Promise(() => {}) : text;
      },
    };
    const openCopy = async (userId: string | null, prefix: string): Promise<AccountCopy> => {
      const copy = openAccountCopy(userId, prefix, {
        home,
        page,
        journal: { has: () => false, isBlind: () => false, items: () => [] },
        now: () => {
          now += 1;
          return now;
        },
        heir: () => null,
        seen: () => {},
        stored: () => {},
        report: (error) => {
          throw error;
        },
      });
      await copy.opened;
      return copy;
    };
    const [early, account] = [await openCopy(null, earlyPrefix), await openCopy('ada', accountPrefix)];
    const bob = await openCopy('bob', 'entry:bob:');
    const takeIn = createTakeIn({
      page,
      optionsOf: (collection) => options[collection],
      now: () => now,
      serverTime: () => now,
      maxBytes: () => maxBytes,
    });
    const edit = (copy: AccountCopy, name: string, value: JsonObject, before = copy.value(name)): Promise<void> =>
      copy.edit(
        name,
        createEdit({
          id: page.newWrite(),
          options: options['progress'] ?? {},
          before,
          value,
          change: undefined,
          now,
          maxBytes,
        }),
      );
    return {
      page,
      early,
      account,
      bob,
      takeIn,
      set: (copy: AccountCopy, value: JsonObject, name = main, before = copy.value(name)) =>
        edit(copy, name, value, before),
      add: (copy: AccountCopy, coins: number, name = main) =>
        edit(copy, name, { coins: coinsOf(copy.value(name)) + coins }),
      give: (to = account) => giveAway(early, to, takeIn),
    };
  }

  return {
    texts,
    open,
    early: (name = main) => read(earlyPrefix + name),
    account: (name = main) => read(accountPrefix + name),
    putAccount: (record: EntryRecord, name = main) => void texts.set(accountPrefix + name, JSON.stringify(record)),
    putEarly: (record: EntryRecord, name = main) => void texts.set(earlyPrefix + name, JSON.stringify(record)),
  };
}
