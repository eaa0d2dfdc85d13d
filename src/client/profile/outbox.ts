import { type SdkError, ServiceError, StateError } from '../../errors.js';
import { untilAborted } from '../../http/until-aborted.js';
import { timeouts, versions } from '../../protocol/gaps.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import { notAuthenticated, superseded } from '../current-session.js';
import type { Refresher } from '../refresher.js';
import { type CallOptions, failed } from '../results.js';
import { type Runtime, startTimer } from '../runtime.js';
import type { Wire } from '../wire.js';
import type { SyncStatus } from './collection.js';
import { type LocalCopy, type Slot, splitName } from './local-copy.js';

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
  /** Something is owed: it is sent a little later, with what comes meanwhile. */
  wake(): void;
  /** Sends at once what is owed, whatever failed before. */
  retry(): void;
  /** Sends what is owed without waiting for anything: the page may be gone the next moment. */
  hurry(): void;
  /** Settles when the service has all that was owed below the prefix. Rejects with what prevents it. */
  flush(prefix: string, options?: CallOptions): Promise<void>;
  /** What was held back is tried again: the game has said more, or has written again. */
  release(prefix: string): void;
  owed(prefix: string): string[];
  stop(): void;
}

/** A page may send no more than 64 KiB that outlive it. */
const keepaliveBytes = 20_000;

/** That somebody else wins each time this often is a loop of theirs. */
const maxRounds = 30;

/** Sends what a copy holds unsent, one entry at a time, the oldest first. */
export function createOutbox(ports: {
  copy(): LocalCopy | null;
  wire: Wire;
  authorized: Refresher['authorized'];
  runtime: Runtime;
  lockName: string;
  /** What becomes of an entry that was written on both sides; throws an `SdkError` where it has to wait. */
  settle(copy: LocalCopy, name: string, clash: Clash): Promise<void>;
  /** The value is on its way, and the service has taken it. */
  sending(name: string): void;
  taken(name: string): void;
  /** The status may be another one. */
  changed(): void;
}): Outbox {
  const { wire, authorized, runtime } = ports;
  /** What waits for the game, and why. */
  const held = new Map<string, SdkError>();
  let flight: Promise<void> | null = null;
  let failures = 0;
  let planned: (() => void) | null = null;
  let stopped = false;

  const owed = (prefix: string): string[] =>
    [...(ports.copy()?.slots ?? [])]
      .filter(([name, { local }]) => local !== undefined && name.startsWith(prefix))
      .map(([name]) => name);

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
      ports.changed();
    });
    return flight;
  }

  async function sendAll(): Promise<void> {
    const rounds = new Map<string, number>();
    try {
      for (;;) {
        const copy = ports.copy();
        const name = owed('').find((one) => !held.has(one));
        if (copy === null || name === undefined) return;
        if (stopped) throw superseded();
        if (copy.userId === null) throw notAuthenticated();
        const round = rounds.get(name) ?? 0;
        // A lock is held for one request only, and never while a function of the game runs.
        const clash = await runtime.lock(ports.lockName, () => send(copy, name, round >= maxRounds));
        if (clash !== null) {
          rounds.set(name, round + 1);
          await hold(name, () => ports.settle(copy, name, clash));
        }
        if (failures > 0) {
          failures = 0;
          ports.changed();
        }
      }
    } catch (error) {
      failures += 1;
      const backOff = Math.min(timeouts.saveRetryMaxMs, timeouts.saveRetryMinMs * 2 ** (failures - 1));
      const asked = error instanceof ServiceError ? (error.retryAfterMs ?? 0) : 0;
      plan(asked + backOff * (1 + runtime.random()) * 0.5);
      throw error;
    }
  }

  /** What waiting does not mend is set aside, so that the others go on. */
  async function hold<T>(name: string, task: () => Promise<T>): Promise<T | null> {
    try {
      return await task();
    } catch (error) {
      const isFinal =
        error instanceof ServiceError ? !error.retryable && error.status !== 401 : error instanceof StateError;
      if (!isFinal || (error as SdkError).code === 'not_authenticated') throw error;
      held.set(name, failed(error).error);
      return null;
    }
  }

  async function send(copy: LocalCopy, name: string, gaveUp: boolean): Promise<Clash | null> {
    // Another tab may have sent it by now.
    await copy.sync();
    return hold(name, async () => {
      const uncertain = !(await markSent(copy, name));
      const slot = copy.slots.get(name);
      if (slot?.sent === undefined) return null;
      const { version, sent } = slot;
      try {
        await write(copy, name, slot);
        return null;
      } catch (error) {
        if (gaveUp || !(error instanceof ServiceError) || error.code !== 'version_mismatch') throw error;
        const { currentVersion, currentValue } = error;
        if (currentVersion === undefined) throw error;
        // An earlier try, or another tab's, may have come to the service after all.
        const isOurs = uncertain && currentVersion === version + 1 && sameJson(currentValue, sent);
        if (!isOurs) return { version: currentVersion, cloud: currentValue, uncertain };
        await confirm(copy, name, slot);
        return null;
      }
    });
  }

  /**
   * Kept before it is sent: after a crash the same is sent again, and known for our own where it was stored. Gives whether
   * nobody has sent it before.
   */
  async function markSent(copy: LocalCopy, name: string): Promise<boolean> {
    let isFirst = false;
    if (copy.slots.get(name)?.sent === undefined) ports.sending(name);
    await copy.commit((slots) => {
      const slot = slots.get(name);
      isFirst = slot?.local !== undefined && slot.sent === undefined;
      if (isFirst && slot !== undefined) slots.set(name, { ...slot, sent: slot.local });
    });
    return isFirst;
  }

  async function write(copy: LocalCopy, name: string, { version, sent }: Slot): Promise<void> {
    const valueText = JSON.stringify(sent);
    const [collection, key] = splitName(name);
    await authorized((bearer, user) => {
      if (user !== copy.userId) throw superseded();
      const keepalive = valueText.length < keepaliveBytes;
      const entry = { key, valueText, version, createOnly: version === versions.force };
      return wire.writeEntry(collection, entry, { bearer, keepalive });
    });
    await confirm(copy, name, { version, sent });
  }

  function confirm(copy: LocalCopy, name: string, { version, sent }: Slot): Promise<void> {
    ports.taken(name);
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
    owed,
    status: (prefix) => {
      const names = owed(prefix);
      if (names.length === 0) return 'synced';
      if (names.some((name) => held.has(name))) return 'conflict';
      return failures > 0 || ports.copy()?.userId === null ? 'offline' : 'saving';
    },
    wake: () => {
      if (flight === null && planned === null && owed('').length > 0) plan(timeouts.gatherMs);
    },
    retry: () => {
      if (owed('').length > 0) run().catch(() => {});
    },
    hurry: () => {
      const copy = ports.copy();
      if (copy === null || copy.userId === null) return;
      for (const name of owed('')) {
        void markSent(copy, name);
        write(copy, name, copy.slots.get(name) as Slot).catch(() => {});
      }
    },
    flush: async (prefix, { signal } = {}) => {
      while (owed(prefix).length > 0) {
        await untilAborted(run(), signal);
        for (const name of owed(prefix)) if (held.has(name)) throw held.get(name);
      }
    },
    release: (prefix) => {
      for (const name of held.keys()) if (name.startsWith(prefix)) held.delete(name);
    },
    stop: () => {
      stopped = true;
      planned?.();
    },
  };
}
