import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { createEdit } from '../../../src/client/profile/edit.js';
import type { EntryRecord } from '../../../src/client/profile/entry-record.js';
import type { Home } from '../../../src/client/storage/home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { ServiceError } from '../../../src/errors.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';
import { createMemoryStorage } from '../world.js';
import { openParts } from './open-parts.js';

const maxBytes = saveLimits.valueBytes;

export const name = 'progress\nmain';
const never = new Promise<never>(() => {});
export async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A device whose tabs can be stalled and killed one by one, before a service with a ledger. */
export function createDevice(options: CollectionOptions<unknown> = { merge: { coins: 'sum' } }) {
  const texts = new Map<string, string>();
  const inner = createMemoryHome(texts);
  const storage = createMemoryStorage();
  const ledger = new Map<string, { write: string; version: number }>();
  let cloud: { version: number; value?: { coins: number } } = { version: -1 };
  let isRefusing = false;
  const requests = {
    updateEntry: async (entry: { valueText: string; version: number; name: { device: string; write: string } }) => {
      await turns(1);
      if (isRefusing)
        throw new ServiceError({ status: 413, code: 'too_large', title: 'x' } as never, { retryable: false });
      const { device, write } = entry.name;
      const last = ledger.get(device);
      if (last?.write === write) return { version: last.version };
      if (entry.version !== cloud.version) {
        const current = { currentVersion: cloud.version, currentValue: cloud.value, carriedOut: false };
        const problem = { status: 409, code: 'version_mismatch', title: 'x', ...current };
        throw new ServiceError(problem as never, { retryable: false });
      }
      cloud = { version: entry.version + 1, value: JSON.parse(entry.valueText) };
      ledger.set(device, { write, version: cloud.version });
      return { version: cloud.version };
    },
    addSnapshot: async () => ({ id: 'kept' }),
  };

  async function open(prefix = 'entry:ada:', userId: string | null = 'ada') {
    let gate: Promise<unknown> = Promise.resolve();
    let isDead = false;
    const answers: Promise<'done' | 'failed'>[] = [];
    const home: Home = {
      readAll: inner.readAll,
      update: async (key, change) => {
        await gate;
        if (isDead) return never;
        // What fails is tried again, as `steady-home.ts` does.
        for (;;) {
          const text = await inner.update(key, change);
          if ((await answers.shift()) !== 'failed') return text;
        }
      },
    };
    let way: Promise<unknown> = Promise.resolve();
    const { page, copy, takeIn, sender, ...hidden } = await openParts({
      userId,
      prefix,
      home,
      storage,
      options,
      requests: {
        ...requests,
        updateEntry: async (entry: Parameters<typeof requests.updateEntry>[0]) => {
          await way;
          return requests.updateEntry(entry);
        },
      },
      heard: (answer) => (isDead ? never : answer),
    });
    function set(coins: number): Promise<void> {
      const made = { before: copy.value(name), value: { coins }, change: undefined, now: 1, maxBytes };
      return copy.edit(name, createEdit({ id: page.newWrite(), options, ...made }));
    }
    return {
      copy,
      sender,
      takeIn,
      send: (): Promise<void> => sender.send(copy, name),
      hide: (): void => hidden.sendOnHide(copy, name, () => {}),
      fold: (): Promise<void> => hidden.foldJournal(copy),
      set,
      add: (coins: number): Promise<void> => set(Number(copy.value(name)?.['coins'] ?? 0) + coins),
      /** What this tab sends is held up; the function lets it go on. */
      stallWay(): () => void {
        let letGo = (): void => {};
        way = new Promise<void>((resolve) => {
          letGo = resolve;
        });
        return letGo;
      },
      /** The home stops answering this tab; the function lets it go on. */
      stall(): () => void {
        let letGo = (): void => {};
        gate = new Promise<void>((resolve) => {
          letGo = resolve;
        });
        return letGo;
      },
      /**
       * The home carries its next step out, and says when the function is called that it is done, or has failed; each call
       * is for one step more.
       */
      stallAnswer(): (how?: 'done' | 'failed') => void {
        let answer = (_: 'done' | 'failed'): void => {};
        answers.push(
          new Promise((resolve) => {
            answer = resolve;
          }),
        );
        return (how = 'done') => answer(how);
      },
      kill(): void {
        isDead = true;
      },
    };
  }
  type Tab = Awaited<ReturnType<typeof open>>;
  return {
    open,
    texts,
    record: () => JSON.parse(texts.get(`entry:ada:${name}`) ?? 'null') as EntryRecord,
    coins: () => cloud.value?.coins,
    /** Whatever stands before the service refuses the entry, though that may have the write already. */
    refuse: (isOn: boolean): void => {
      isRefusing = isOn;
    },
    /** Another device writes. */
    writeElsewhere: (coins: number) => {
      cloud = { version: cloud.version + 1, value: { coins } };
    },
    settle: async (...tabs: Tab[]) => {
      for (let round = 0; round < 6; round += 1) {
        for (const tab of tabs) {
          await tab.fold();
          await tab.send();
          await turns();
        }
      }
    },
  };
}
