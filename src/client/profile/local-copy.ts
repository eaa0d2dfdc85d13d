import type { JsonObject } from '../../protocol/messages.js';
import { isPlainObject } from '../../protocol/value-text.js';
import type { Ladder } from '../storage/ladder.js';

/** An entry as this device has it; values as they are stored, with the notes of their merge rules. */
export interface Slot {
  /** The version of `base` at the service; -1 where the service has none, as far as is known. */
  readonly version: number;
  readonly base?: JsonObject | undefined;
  /** What the game has set since, and the service has not confirmed. */
  readonly local?: JsonObject | undefined;
  /** What was sent on `version` and is not answered: it is sent again as it was, until it is. */
  readonly sent?: JsonObject | undefined;
}

/** The entries of a copy, by `nameOf(collection, key)`. */
export type Slots = Map<string, Slot>;

/** A change of the copy. It may be made again on what another tab has written, and must hold there too. */
export type Change = (slots: Slots, copy: { device: string }) => void;

/** All that a device has of one account, shared by its tabs, in one record that is written in one piece. */
export interface LocalCopy {
  /** Null before there is an account. */
  readonly userId: string | null;
  /** The device's name for itself in this account; no secret. */
  readonly device: string;
  readonly slots: ReadonlyMap<string, Slot>;
  /** Makes a change at once; settles when the storage has it. */
  commit(change: Change): Promise<void>;
  /** Takes over what another tab has written. */
  sync(): Promise<void>;
}

/** Stands between collection and key: no name may hold it. */
const separator = '\n';

export function nameOf(collection: string, key: string): string {
  return collection + separator + key;
}

export function splitName(name: string): [collection: string, key: string] {
  return name.split(separator) as [string, string];
}

export async function openLocalCopy(
  userId: string | null,
  storageKey: string,
  dependencies: {
    ladder: Ladder;
    newDevice(): string;
    /** The storage has something new for the other tabs. */
    notifyTabs(): void;
    /** Another tab has changed something; `before` is how it was. */
    taken(before: ReadonlyMap<string, Slot>): void;
  },
): Promise<LocalCopy> {
  const { ladder } = dependencies;
  let text = (await ladder.getItem(storageKey)) ?? '';
  let held = read(text);
  const waiting: { change: Change; done: () => void }[] = [];
  let saving: Promise<void> | null = null;

  function read(stored: string): { device: string; slots: Slots } {
    try {
      const { device, slots } = JSON.parse(stored) as { device: string; slots: [string, Slot][] };
      return {
        device,
        slots: new Map(slots.filter(([name, slot]) => typeof name === 'string' && isPlainObject(slot))),
      };
    } catch {
      // Nothing is stored, or it is damaged.
      return { device: dependencies.newDevice(), slots: new Map() };
    }
  }

  function take(stored: string): void {
    const before = held.slots;
    text = stored;
    held = read(stored);
    for (const { change } of waiting) change(held.slots, held);
    dependencies.taken(before);
  }

  async function save(): Promise<void> {
    // One write takes all that the game sets in one task.
    await Promise.resolve();
    while (waiting.length > 0) {
      const count = waiting.length;
      const next = JSON.stringify({ device: held.device, slots: [...held.slots] });
      const isNew = next !== text;
      const other = isNew ? await ladder.swap(storageKey, text, next) : null;
      if (other !== null) {
        take(other);
        continue;
      }
      text = next;
      for (const { done } of waiting.splice(0, count)) done();
      // Without a change no tab is notified: two tabs would notify each other for ever.
      if (isNew) dependencies.notifyTabs();
    }
    saving = null;
  }

  return {
    userId,
    get device() {
      return held.device;
    },
    get slots() {
      return held.slots;
    },
    commit: (change) =>
      new Promise((done) => {
        change(held.slots, held);
        waiting.push({ change, done });
        saving ??= save();
      }),
    sync: async () => {
      const before = text;
      const stored = (await ladder.getItem(storageKey)) ?? '';
      // A save that is under way meets what another tab has written by itself.
      if (saving === null && text === before && stored !== text) take(stored);
    },
  };
}
