import { type AccountCopy, openAccountCopy, type Writer } from '../../../src/client/profile/account-copy.js';
import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { createEdit } from '../../../src/client/profile/edit.js';
import type { EntryRecord } from '../../../src/client/profile/entry-record.js';
import { type Change, createPageWrites } from '../../../src/client/profile/page-writes.js';
import type { Home } from '../../../src/client/storage/home.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';
import type { JsonObject } from '../../../src/protocol/messages.js';

const maxBytes = saveLimits.valueBytes;

export const prefix = 'entry:ada:';

export const main = 'progress\nmain';

/** A device: what its home has, and the tabs that were opened on it. */
export function createDevice(openHome: (texts: Map<string, string>) => Home) {
  const texts = new Map<string, string>();
  const steps: string[] = [];
  let now = 0;

  /** A tab that has read what the home has. */
  async function open(options: { userId?: string | null; home?: Home } = {}) {
    const tab = start(options);
    await tab.copy.opened;
    return tab;
  }

  function start({ userId = 'ada', home = openHome(texts) }: { userId?: string | null; home?: Home } = {}) {
    const page = createPageWrites();
    const seen: [name: string, by: Writer][] = [];
    const stored: string[] = [];
    const reported: unknown[] = [];
    const counting: Home = {
      readAll: home.readAll,
      update: (key, change, options) => {
        steps.push(key);
        return home.update(key, change, options);
      },
    };
    const copy: AccountCopy = openAccountCopy(userId, prefix, {
      home: counting,
      page,
      journal: { has: () => false, isBlind: () => false, items: () => [] },
      now: () => {
        now += 1;
        return now;
      },
      heir: () => null,
      seen: (name, by) => void seen.push([name, by]),
      stored: (name) => void stored.push(name),
      report: (error) => void reported.push(error),
    });
    const edit = (value: JsonObject, name: string, options: CollectionOptions<unknown>, change?: Change) => {
      const before = copy.value(name);
      return copy.edit(
        name,
        createEdit({ id: page.newWrite(), options, before, value, change, now: now + 1, maxBytes }),
      );
    };
    return {
      copy,
      page,
      seen,
      stored,
      reported,
      set: (value: JsonObject, name = main, options: CollectionOptions<unknown> = {}) => edit(value, name, options),
      /** Adds to a number under the rule `sum`. */
      add: (coins: number, name = main) =>
        edit({ coins: coinsOf(copy.value(name)) + coins }, name, { merge: { coins: 'sum' } }),
      /** As the game's `update` does. */
      update: (change: (value: JsonObject | undefined) => JsonObject, name = main) =>
        edit(change(copy.value(name)), name, {}, change as Change),
    };
  }

  return {
    texts,
    /** The keys of all steps that were asked of the home. */
    steps,
    open,
    start,
    record: (name = main): EntryRecord | undefined => {
      const text = texts.get(prefix + name);
      return text === undefined ? undefined : (JSON.parse(text) as EntryRecord);
    },
    put: (name: string, record: EntryRecord) => void texts.set(prefix + name, JSON.stringify(record)),
  };
}

export function coinsOf(value: JsonObject | undefined): number {
  return Number(value?.['coins'] ?? 0);
}

/** Whether a promise has settled by now. */
export function watch(promise: Promise<unknown>) {
  const state = { isSettled: false };
  const settle = (): void => {
    state.isSettled = true;
  };
  promise.then(settle, settle);
  return state;
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
