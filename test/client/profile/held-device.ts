import type { CollectionOptions } from '../../../src/client/profile/collection.js';
import { createEdit } from '../../../src/client/profile/edit.js';
import { discard, type EntryRecord, nextWrite, shownValue } from '../../../src/client/profile/entry-record.js';
import type { Change } from '../../../src/client/profile/page-writes.js';
import type { Home } from '../../../src/client/storage/home.js';
import { createMemoryHome } from '../../../src/client/storage/memory-home.js';
import { NoAnswerError, ServiceError } from '../../../src/errors.js';
import { saveLimits } from '../../../src/protocol/gaps/save-limits.js';
import { openParts } from './open-parts.js';
import { createTabStorages } from './tab-storages.js';

const maxBytes = saveLimits.valueBytes;

const name = 'progress\nmain';
const prefix = 'entry:ada:';
const rules = { coins: 'sum', names: 'union' } as const;

/** What the player has; the names tell whether each coin counts once. */
interface Purse {
  readonly coins: number;
  readonly names: readonly string[];
}

/** Something that the game has set; `done` once that was acknowledged, `gone` where its page was killed before. */
export interface SetCoin {
  readonly coin: string;
  readonly page: string;
  /** This and the others by one count of all that happens. */
  readonly begun: number;
  done?: number;
  gone?: number;
}

/** Something that was asked for: it is done when it is let, and answered, another time, when that is let. */
interface Held {
  readonly tab: number;
  isDone: boolean;
  done(): Promise<void>;
  answer(): void;
  fail?(): void;
}

/** Some turns, in which whatever can go on does. */
async function turns(count = 3): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

type Tab = Awaited<ReturnType<ReturnType<typeof createHeldDevice>['openTab']>>;

/**
 * A device of some tabs before a service that knows of each device name its last write. Each step of the home and each
 * request is held until it is let; tabs are hidden and killed at any moment between.
 */
export function createHeldDevice(
  options: CollectionOptions<unknown> = { merge: rules },
  how: { isLate?: boolean } = {},
) {
  const home = createMemoryHome(new Map());
  const storages = createTabStorages(how);
  const ledger = new Map<string, { write: string; version: number }>();
  let cloud: { version: number; value?: Purse } = { version: -1 };
  let steps: Held[] = [];
  let requests: Held[] = [];
  const tabs: Tab[] = [];
  const acknowledged: string[] = [];
  const givenUp: string[] = [];
  const sets: SetCoin[] = [];
  let collected = 0;
  let events = 0;
  const nextEvent = (): number => {
    events += 1;
    return events;
  };

  /** Holds a task. Nobody hears of it where the tab is gone, and nothing more of it is done. */
  function hold<T>(into: (held: Held) => void, tab: number, task: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let settle = (): void => {};
      into({
        tab,
        isDone: false,
        async done() {
          this.isDone = true;
          await task().then(
            (value) => {
              settle = () => resolve(value);
            },
            (error) => {
              settle = () => reject(error);
            },
          );
        },
        answer: () => settle(),
        fail: () => reject(new NoAnswerError('network', 'No network.')),
      });
    });
  }

  /** The service carries a write out, says that it has, or how it has the entry. */
  async function write(entry: { valueText: string; version: number; name: { device: string; write: string } }) {
    const last = ledger.get(entry.name.device);

    if (last?.write === entry.name.write) return { version: last.version };
    if (entry.version !== cloud.version) {
      const current = { currentVersion: cloud.version, currentValue: cloud.value, carriedOut: false };
      const problem = { status: 409, code: 'version_mismatch', title: 'x', ...current };
      throw new ServiceError(problem as never, { retryable: false });
    }
    cloud = { version: entry.version + 1, value: JSON.parse(entry.valueText) };
    ledger.set(entry.name.device, { write: entry.name.write, version: cloud.version });
    return { version: cloud.version };
  }

  async function openTab(index: number) {
    const heldHome: Home = {
      readAll: home.readAll,
      update: (key, change) =>
        hold(
          (held) => steps.push(held),
          index,
          () => home.update(key, change),
        ),
    };
    const updateEntry = (entry: never) =>
      hold(
        (held) => requests.push(held),
        index,
        () => write(entry),
      );
    const storage = storages.open();
    const { page, copy, sender, ...hidden } = await openParts({
      userId: 'ada',
      prefix,
      home: heldHome,
      storage,
      options,
      requests: { updateEntry, addSnapshot: async () => {} },
    });
    let isSending = false;
    return {
      index,
      pageId: page.id,
      copy,
      collect(isUpdate = false): void {
        collected += 1;
        const coin = `coin ${collected}`;
        const before = copy.value(name) as Purse | undefined;
        const add = ({ coins = 0, names = [] }: Partial<Purse> = {}) => ({ coins: coins + 1, names: [...names, coin] });
        // Without rules, what is set says nothing of what was there.
        const value = add(options.merge === undefined && !isUpdate ? undefined : before);
        const set: SetCoin = { coin, page: page.id, begun: nextEvent() };
        sets.push(set);
        const edit = createEdit({
          id: page.newWrite(),
          options,
          before: before as never,
          value: value as never,
          change: isUpdate ? (add as Change) : undefined,
          now: 1,
          maxBytes,
        });
        void copy.edit(name, edit).then(() => {
          acknowledged.push(coin);
          set.done = nextEvent();
        });
      },
      update(): void {
        this.collect(true);
      },
      /** One at a time, as the outbox does. */
      send(): void {
        if (isSending) return;
        isSending = true;
        sender
          .send(copy, name)
          .catch(() => {})
          .finally(() => {
            isSending = false;
          });
      },
      /** As the player does who gives up what is unsent, where something else is known to count then. */
      discard(): void {
        const giveUp = (record: EntryRecord | undefined): EntryRecord | undefined => {
          if (nextWrite(record) === undefined || record?.version === -1) return record;
          givenUp.push(...((shownValue(record) as Purse | undefined)?.names ?? []));
          return record && discard(record);
        };
        void copy.change(name, 'cloud', giveUp);
      },
      fold: (): void => void hidden.foldJournal(copy),
      hide: (): void => hidden.sendOnHide(copy, name, () => {}),
      /** It hears what other tabs have written to localStorage. */
      hear: storage.hear,
    };
  }

  /** Drops what was asked for by a tab that is gone; the home may still do what it has begun, and the service too. */
  async function kill(index: number, isDone: boolean): Promise<void> {
    for (const set of sets) if (set.page === tabs[index]?.pageId && set.done === undefined) set.gone = nextEvent();
    const mine = steps.filter((held) => held.tab === index);
    if (isDone) for (const held of mine) if (!held.isDone) await held.done();
    steps = steps.filter((held) => held.tab !== index);
    requests = requests.map((held) => (held.tab === index ? { ...held, answer: () => {}, fail: () => {} } : held));
  }

  /** The next of these that has not come so far. */
  function pick(held: readonly Held[], nth: number, isDone: boolean): Held | undefined {
    const meant = held.filter((one) => one.isDone === isDone);
    return meant[nth % Math.max(1, meant.length)];
  }

  const device = {
    openTab,
    open: async (index: number): Promise<void> => {
      tabs[index] = await openTab(index);
    },
    on: (index: number, act: 'collect' | 'update' | 'send' | 'discard' | 'fold' | 'hide' | 'hear'): void =>
      tabs[index]?.[act](),
    kill: async (index: number, isDone: boolean): Promise<void> => {
      await kill(index, isDone);
      await device.open(index);
    },
    takeStep: async (nth: number) => pick(steps, nth, false)?.done(),
    /** A step fails, though it may be done: it is tried again, as `steady-home.ts` does. */
    failStep: (nth: number): void => {
      const held = pick(steps, nth, true);
      if (held !== undefined) held.isDone = false;
    },
    answerStep: (nth: number): void => {
      const held = pick(steps, nth, true);
      steps = steps.filter((one) => one !== held);
      held?.answer();
    },
    serve: async (nth: number) => pick(requests, nth, false)?.done(),
    answer: (nth: number, isLost: boolean): void => {
      const held = pick(requests, nth, true);
      requests = requests.filter((one) => one !== held);
      if (isLost) held?.fail?.();
      else held?.answer();
    },
    /** Another device writes on what the service has. */
    writeElsewhere: (): void => {
      collected += 1;
      const { coins = 0, names = [] } = cloud.value ?? {};
      cloud = { version: cloud.version + 1, value: { coins: coins + 1, names: [...names, `coin ${collected}`] } };
      acknowledged.push(`coin ${collected}`);
    },
    turns,
    /** All that is held goes on, and every tab that lives sends what there is, until nothing more comes. */
    settle: async (): Promise<void> => {
      for (let round = 0; round < 12; round += 1) {
        for (const tab of tabs) {
          tab.hear();
          void tab.copy.sync();
          tab.fold();
          tab.send();
        }
        for (let pass = 0; pass < 12; pass += 1) {
          for (const held of [...steps, ...requests]) if (!held.isDone) await held.done();
          const due = [...steps, ...requests].filter(({ isDone }) => isDone);
          steps = steps.filter((held) => !due.includes(held));
          requests = requests.filter((held) => !due.includes(held));
          for (const held of due) held.answer();
          await turns(2);
        }
      }
    },
    /** What is there in the end, and what must be. */
    outcome: async () => {
      const texts = await home.readAll(prefix);
      const record = JSON.parse(texts.get(prefix + name) ?? 'null') as EntryRecord | undefined;
      const saved: Purse = cloud.value ?? { coins: 0, names: [] };
      const kept = acknowledged.filter((coin) => !givenUp.includes(coin));
      return { saved, kept, sets, unsent: nextWrite(record ?? undefined), journal: [...storages.texts().values()] };
    },
  };
  return device;
}
