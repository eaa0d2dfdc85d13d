import { isSdkError, type SdkError, ServiceError } from '../../errors.js';
import { startTimer } from '../../http/timers.js';
import { untilAborted } from '../../http/until-aborted.js';
import { timeouts } from '../../protocol/gaps/timeouts.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import { backOff } from '../platform/back-off.js';
import type { Platform } from '../platform/platform.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { CallOptions } from '../results.js';
import { notAuthenticated, superseded } from '../session/session-errors.js';
import type { SyncStatus } from './collection.js';
import { type LocalCopy, type Slot, splitName } from './local-copy.js';
import type { Replays } from './replays.js';

/** A write met another one: how the entry stands at the service. */
export interface Clash {
  readonly version: number;
  /** Undefined where the service has no such entry. */
  readonly cloud: JsonObject | undefined;
  /** Whether this very write may stand below the cloud's value: an earlier try was not answered. */
  readonly uncertain: boolean;
}

export interface Outbox {
  status(prefix: string): SyncStatus;
  /** Something is unsent: it is sent a little later, with what comes meanwhile. */
  wake(): void;
  /** Sends at once what is unsent, whatever failed before. */
  retry(): void;
  /** This page has set a value; what was held back is tried again. */
  set(name: string, value: JsonObject): void;
  /** Sends what this page has set and not sent, without waiting for anything: it may be gone the next moment. */
  sendOnHide(): void;
  /** Settles when the service has all that was unsent below the prefix. Rejects with what prevents it. */
  flush(prefix: string, options?: CallOptions): Promise<void>;
  /** What was held back, for one reason or any, is tried again: the game has said more. */
  release(prefix: string, code?: string): void;
  unsent(prefix: string): string[];
  stop(): void;
}

/** Whether the same write would fail again, however long it waits. */
function isFinal(error: unknown): error is SdkError {
  if (error instanceof ServiceError) return !error.retryable && error.status !== 401;
  return isSdkError(error) && error.code === 'entry_conflict';
}

/** A page may send no more than 64 KiB that outlive it. */
const keepaliveBytes = 20_000;

/** How often an entry is merged and sent again in one round: another device that always wins writes in a loop. */
const maxRounds = 30;

/** Sends the unsent entries of a copy, one at a time, the one that was set first before the others. */
export function createOutbox(dependencies: {
  copy(): LocalCopy | null;
  requests: Requests;
  /** Asks with the token of a copy's own account, or fails. */
  asOwner<T>(copy: LocalCopy, request: (player: PlayerOptions) => Promise<T>): Promise<T>;
  platform: Platform;
  lockName: string;
  /** What becomes of an entry that was written on both sides; throws an `SdkError` where it has to wait. */
  settle(copy: LocalCopy, name: string, clash: Clash): Promise<void>;
  replays: Replays;
  /** Makes an account, where that is wanted and there is none yet. */
  signInAsGuest(): Promise<unknown>;
  /** The status may have changed. */
  changed(): void;
}): Outbox {
  const { requests, platform, replays, lockName } = dependencies;
  /** What waits for the game, and why. */
  const held = new Map<string, SdkError>();
  const setHere = new Map<string, JsonObject>();
  let flight: Promise<void> | null = null;
  let failures = 0;
  let timesHidden = 0;
  let planned: (() => void) | null = null;
  let stopped = false;

  const unsent = (prefix: string): string[] =>
    [...(dependencies.copy()?.slots ?? [])]
      .filter(([name, { local }]) => local !== undefined && name.startsWith(prefix))
      .map(([name]) => name);

  const next = (): string | undefined => unsent('').find((name) => !held.has(name));

  function plan(ms: number): void {
    if (stopped) return;
    planned?.();
    planned = startTimer(ms, () => {
      planned = null;
      run().catch(() => {});
    });
  }

  /** One at a time, whoever asks; what comes meanwhile goes along. */
  function run(): Promise<void> {
    planned?.();
    planned = null;
    flight ??= sendAll().finally(() => {
      flight = null;
      dependencies.changed();
    });
    return flight;
  }

  async function sendAll(): Promise<void> {
    const rounds = new Map<string, number>();
    try {
      for (;;) {
        const copy = dependencies.copy();
        const name = next();
        if (copy === null || name === undefined) return;
        if (stopped) throw superseded();
        if (copy.userId === null) {
          await dependencies.signInAsGuest();
          // The account that was made has a copy of its own.
          if (dependencies.copy() === copy) throw notAuthenticated();
          continue;
        }
        const round = rounds.get(name) ?? 0;
        // A lock is held for one request only, and never while a function of the game runs.
        try {
          const clash = await platform.lock(lockName, () => send(copy, name, round >= maxRounds));
          if (clash !== undefined) {
            rounds.set(name, round + 1);
            await dependencies.settle(copy, name, clash);
          }
        } catch (error) {
          if (!isFinal(error)) throw error;
          // It waits for the game, and the others go on.
          held.set(name, error);
        }
        if (failures > 0) {
          failures = 0;
          dependencies.changed();
        }
      }
    } catch (error) {
      failures += 1;
      const bounds = { minMs: timeouts.saveRetryMinMs, maxMs: timeouts.saveRetryMaxMs };
      plan(backOff(failures, error, bounds, platform.random));
      throw error;
    }
  }

  async function send(copy: LocalCopy, name: string, gaveUp: boolean): Promise<Clash | undefined> {
    // Another tab may have sent it by now.
    await copy.sync();
    const before = timesHidden;
    const isFirst = await markSent(copy, name);
    const slot = copy.slots.get(name);
    if (!slot?.sent) return undefined;
    try {
      await write(copy, name, slot);
    } catch (error) {
      const { currentVersion: version, currentValue: cloud } = error as ServiceError;
      // Only a mismatch says it.
      if (version === undefined || gaveUp) throw error;
      // An earlier try, or another tab's, may have come to the service after all.
      const uncertain = !isFirst || timesHidden > before;
      const isOurs = uncertain && version === slot.version + 1 && sameJson(cloud, slot.sent);
      if (!isOurs) return { version, cloud, uncertain };
      await confirm(copy, name, slot);
    }
    return undefined;
  }

  /**
   * Kept before it is sent: after a crash the same is sent again, and known for our own where it was stored. Gives
   * whether nobody has sent it before.
   */
  async function markSent(copy: LocalCopy, name: string): Promise<boolean> {
    let isFirst = false;
    if (!copy.slots.get(name)?.sent) replays.sending(name);
    await copy.commit((slots) => {
      const slot = slots.get(name);
      isFirst = slot?.local !== undefined && !slot.sent;
      if (slot && isFirst) slots.set(name, { ...slot, sent: slot.local });
    });
    return isFirst;
  }

  async function write(copy: LocalCopy, name: string, { version, sent }: Slot): Promise<void> {
    const valueText = JSON.stringify(sent);
    const [collection, key] = splitName(name);
    await dependencies.asOwner(copy, (player) => {
      const keepalive = valueText.length < keepaliveBytes;
      return requests.updateEntry({ collection, key, valueText, version }, { ...player, keepalive });
    });
    await confirm(copy, name, { version, sent });
  }

  function confirm(copy: LocalCopy, name: string, { version, sent }: Slot): Promise<void> {
    if (copy.slots.get(name)?.version === version) replays.taken(name);
    return copy.commit((slots) => {
      const slot = slots.get(name);
      if (slot?.version !== version) return;
      // What was set meanwhile goes to the end of the line.
      slots.delete(name);
      const local = sameJson(slot.local, sent) ? undefined : slot.local;
      slots.set(name, { version: version + 1, base: sent, local });
    });
  }

  return {
    unsent,
    status: (prefix) => {
      const names = unsent(prefix);
      if (names.length === 0) return 'synced';
      if (names.some((name) => held.has(name))) return 'conflict';
      return failures > 0 || dependencies.copy()?.userId === null ? 'offline' : 'saving';
    },
    wake: () => {
      if (flight === null && planned === null && next() !== undefined) plan(timeouts.gatherMs);
    },
    retry: () => {
      if (unsent('').length > 0) run().catch(() => {});
    },
    sendOnHide: () => {
      const copy = dependencies.copy();
      if (copy === null || copy.userId === null) return;
      timesHidden += 1;
      for (const name of unsent('')) {
        // An update of another tab must not meet this value as another device's, for no tab hears of a page that is
        // killed.
        if (!sameJson(copy.slots.get(name)?.local, setHere.get(name))) continue;
        void markSent(copy, name);
        write(copy, name, copy.slots.get(name) as Slot).catch(() => {});
      }
    },
    flush: async (prefix, { signal } = {}) => {
      const userId = dependencies.copy()?.userId;
      while (unsent(prefix).length > 0) {
        await untilAborted(run(), signal);
        // The call asked for this account's entries. Only the first account takes over what was there before it.
        if (userId !== null && dependencies.copy()?.userId !== userId) throw superseded();
        for (const name of unsent(prefix)) if (held.has(name)) throw held.get(name);
      }
    },
    set: (name, value) => {
      setHere.set(name, value);
      held.delete(name);
    },
    release: (prefix, code) => {
      for (const [name, reason] of held) {
        if (name.startsWith(prefix) && (code ?? reason.code) === reason.code) held.delete(name);
      }
    },
    stop: () => {
      stopped = true;
      planned?.();
    },
  };
}
