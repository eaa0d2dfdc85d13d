import { isSdkError, type SdkError, ServiceError } from '../../errors.js';
import { untilAborted } from '../../http/until-aborted.js';
import { timeouts } from '../../protocol/gaps/timeouts.js';
import { backOff } from '../platform/back-off.js';
import type { CallOptions } from '../results.js';
import { notAuthenticated, storageUnavailable, superseded } from '../session/session-errors.js';
import type { SteadyHome } from '../storage/steady-home.js';
import type { AccountCopy } from './account-copy.js';
import type { SyncStatus } from './collection.js';
import { nameOf } from './entry-name.js';
import type { SendOnHide } from './hidden-page.js';
import type { PresentCopies } from './present-copies.js';
import type { EntrySender } from './send-entry.js';
import { createSendTimer, type SendTimer } from './send-timer.js';
import { createTroubles, retryBounds, stopsAll, type Troubles } from './troubles.js';

interface FlushOptions extends CallOptions {
  /** Only this entry of the collection. */
  key?: string | undefined;
  /** Leaves out the entries that fail by themselves. */
  skipsTroubled?: boolean | undefined;
}

/** Sends what the service has not got yet: entry by entry, each with its own back-off. */
export interface Outbox {
  /** How the entries of a collection stand, or all. */
  status(collection?: string): SyncStatus;
  /** Something is unsent: it is sent a little later, with what comes meanwhile. */
  wake(): void;
  /** Sends at once what is due, unless the service has asked for a pause. */
  retry(): void;
  /** The service has asked another tab for a pause. */
  pause(ms: number): void;
  /** An entry is tried again at once, whatever happened to it before. */
  release(name: string): void;
  /** The same for the entries of a collection, or all, that failed with this code, or any. */
  releaseAll(collection?: string, code?: string): void;
  /** What prevents an entry from being sent; undefined where nothing does. */
  troubleOf(name: string): SdkError | undefined;
  /** Sends what is unsent without waiting for anything: the page may be gone the next moment. */
  sendOnHide(): void;
  /**
   * Settles when the service has all that was set in a collection, or in all. Rejects with what prevents it.
   */
  flush(collection?: string, options?: FlushOptions): Promise<void>;
  /** How many entries wait. */
  unsent(): number;
  stop(): void;
}

interface Dependencies {
  present: Pick<PresentCopies, 'current' | 'aside'>;
  /** The entries that were set elsewhere on this device, and are still to come into the account's copy. */
  rest(): string[];
  /** Lets them come as far as they can. Never rejects; gives what prevents it, where that is a request that fails. */
  settleRest(): Promise<SdkError | undefined>;
  sender: Pick<EntrySender, 'send'>;
  /** Sends an entry of a page that may be gone the next moment. */
  sendOnHide: SendOnHide;
  home: Pick<SteadyHome, 'isFailing' | 'whileWorking'>;
  now(): number;
  random(): number;
  /** Makes an account, where that is wanted and there is none yet. */
  signInAsGuest(): Promise<unknown>;
  /** The status may have changed. */
  changed(): void;
  /** The service asks for a pause: the other tabs are to know. */
  paused(ms: number): void;
}

export function createOutbox(dependencies: Dependencies): Outbox {
  const { present, home, now } = dependencies;
  const troubles = createTroubles(dependencies);
  const timer = createSendTimer(() => void run().catch(() => {}));
  const rounds = createRounds(dependencies, troubles, timer);
  const flush = createFlush(dependencies, { troubles, waiting, run });
  let flight: Promise<void> | null = null;

  /** The entries that the service has not got, each once. */
  function waiting(isMeant: (name: string) => boolean = () => true): string[] {
    const copy = present.current;
    return copy === null ? [] : [...new Set([...copy.unsent, ...copy.storing])].filter(isMeant);
  }

  /** The same with those that are still to come into the account's copy. */
  const unsent = (): string[] => [...new Set([...waiting(), ...dependencies.rest()])];

  /** An entry that another tab has sent, or the game has discarded, has no trouble any more. */
  function forgetSettled(): void {
    const copy = present.current;
    troubles.endAll((name) => copy === null || !isWaiting(copy, name));
  }

  function planRetry(): void {
    // What the home has not got yet is tried when it has.
    const retry = troubles.nextRetry((name) => present.current?.storing.has(name) !== true);
    if (!timer.isSet && retry < Number.POSITIVE_INFINITY) timer.set(Math.max(0, retry - now()));
  }

  /** One round at a time, whoever asks; what comes meanwhile goes along. */
  function run(): Promise<void> {
    timer.clear();
    flight ??= rounds.sendAll().finally(() => {
      flight = null;
      forgetSettled();
      planRetry();
      dependencies.changed();
    });
    return flight;
  }

  /** Looks no further than the first entry that says it: it is asked for at each change. */
  function status(collection?: string): SyncStatus {
    const isMeant = isIn(collection);
    const { current: copy, aside } = present;
    const isStoring = isStoringIn(copy, isMeant) || isStoringIn(aside, isMeant);
    const isWanting = isStoring || isUnsentIn(copy, isMeant) || dependencies.rest().some(isMeant);
    // What another tab sends, by the home that the device has again, is as good as unsent until the service is read.
    if (!isWanting) return copy !== null && some(copy.ahead, isMeant) ? 'offline' : 'synced';
    if (home.isFailing && isStoring) return 'unstored';
    const isTroubled = (name: string): boolean => isMeant(name) && copy !== null && isWaiting(copy, name);
    if (troubles.some((name, { retriesAt }) => retriesAt === null && isTroubled(name))) return 'conflict';
    // Nothing is sent that the home cannot note as sent.
    const waits =
      rounds.isFailing || troubles.some(isTroubled) || copy === null || copy.userId === null || home.isFailing;
    return waits ? 'offline' : 'saving';
  }

  return {
    status,
    wake: () => {
      forgetSettled();
      const copy = present.current;
      if (flight === null && !timer.isSet && copy !== null && rounds.hasWork(copy)) timer.set(timeouts.gatherMs);
    },
    retry: () => {
      rounds.worldChanged();
      if (!timer.isPaused && unsent().length > 0) run().catch(() => {});
    },
    pause: timer.pause,
    release: troubles.end,
    releaseAll: (collection, code) => {
      const isMeant = isIn(collection);
      troubles.endAll((name, { error }) => isMeant(name) && (code ?? error.code) === error.code);
    },
    troubleOf: troubles.errorOf,
    sendOnHide: () => {
      const copy = present.current;
      if (copy === null || copy.userId === null) return;
      for (const name of waiting()) dependencies.sendOnHide(copy, name, rounds.heed);
    },
    flush,
    unsent: () => unsent().length,
    stop: timer.stop,
  };
}

/** Settles when the service has what is meant, however long that takes; rejects with what prevents it. */
function createFlush(
  { present, home, rest, settleRest }: Pick<Dependencies, 'present' | 'home' | 'rest' | 'settleRest'>,
  outbox: { troubles: Troubles; waiting(isMeant: (name: string) => boolean): string[]; run(): Promise<void> },
): Outbox['flush'] {
  const { troubles, waiting, run } = outbox;

  /**
   * Fails where nothing more can come into the account's copy: as long as it is being left, or the service is silent.
   */
  async function takeInRest(isMeant: (name: string) => boolean, signal: AbortSignal | undefined): Promise<void> {
    if (home.isFailing) throw storageUnavailable();
    const error = await untilAborted(settleRest(), signal);
    if (rest().some(isMeant) && waiting(isMeant).length === 0) throw error ?? superseded();
  }

  return async (collection, { signal, key, skipsTroubled = false } = {}) => {
    let userId = present.current?.userId;
    const isMeant = key === undefined ? isIn(collection) : (name: string) => name === nameOf(collection ?? '', key);
    if (!skipsTroubled) troubles.endAll((name, { retriesAt }) => retriesAt !== null && isMeant(name));
    for (;;) {
      const copy = present.current;
      // The first account takes over what was there before it.
      if (userId === null && copy !== null) userId = copy.userId;
      // The call asked for this account's entries, and another one may have come, or nobody be signed in any more.
      if (copy?.userId !== userId) throw superseded();
      const names = waiting((name) => isMeant(name) && !(skipsTroubled && troubles.has(name)));
      if (copy === null) return;
      if (names.length === 0) {
        if (skipsTroubled) return;
        // Another tab sends it, by the home that the device has again: until the service is read, nobody knows here whether it has.
        if (some(copy.ahead, isMeant)) throw storageUnavailable();
        if (!rest().some(isMeant)) return;
        await takeInRest(isMeant, signal);
        continue;
      }
      for (const name of names) if (troubles.has(name)) throw troubles.errorOf(name);
      // Nothing is sent of which the home cannot keep that it was.
      if (home.isFailing) throw storageUnavailable();
      const isStoring = isStoringIn(copy, isMeant);
      await untilAborted(home.whileWorking(isStoring ? copy.stored() : run()), signal);
    }
  };
}

/** A round sends all that is due, one entry after the other. What fails for all of them ends it. */
function createRounds(dependencies: Dependencies, troubles: Troubles, timer: SendTimer) {
  const { present } = dependencies;
  let failures = 0;
  let accountCame = (): void => {};
  const rest = createRest(dependencies);

  /**
   * Waits for an account, whoever makes it: the sign-in as a guest may come after calls that wait for this round.
   */
  async function account(): Promise<void> {
    const came = new Promise<void>((resolve) => {
      accountCame = resolve;
    });
    await Promise.race([dependencies.signInAsGuest(), came]);
  }

  /** The entry that is sent next. What the home has not got yet may not leave the device. */
  function next({ unsent, storing }: AccountCopy): string | undefined {
    for (const name of unsent) if (!storing.has(name) && troubles.isDue(name)) return name;
    return undefined;
  }

  /** Sends an entry; where that fails for a reason of its own, the others go on. */
  async function send(copy: AccountCopy, name: string): Promise<void> {
    try {
      await dependencies.sender.send(copy, name);
      troubles.end(name);
    } catch (error) {
      if (!isSdkError(error) || stopsAll(error)) throw error;
      // What was asked for an account that has been left meanwhile says nothing of the one that is here.
      if (copy === present.current) troubles.failed(name, error);
    }
  }

  async function sendNext(): Promise<boolean> {
    const copy = present.current;
    if (copy === null) return false;
    if (copy.userId === null) {
      if (copy.unsent.size + copy.storing.size === 0) return false;
      await account();
      // The account that was made has a copy of its own.
      if (present.current === copy) throw notAuthenticated();
      return true;
    }
    const name = next(copy);
    if (name === undefined) {
      if (!(await rest.settle())) return false;
    } else {
      if (timer.isStopped) throw superseded();
      await send(copy, name);
      rest.tryAgain();
    }
    if (failures > 0) {
      failures = 0;
      dependencies.changed();
    }
    return true;
  }

  function failed(error: unknown): void {
    failures += 1;
    rest.tryAgain();
    if (!heed(error)) timer.set(pauseAfter(error));
  }

  const pauseAfter = (error: unknown): number => backOff(failures, error, retryBounds, dependencies.random);

  /** Leaves the service alone where it has asked for that. Gives whether it has. */
  const heed = (error: unknown): boolean => {
    if (!(error instanceof ServiceError) || error.retryAfterMs === undefined) return false;
    const ms = pauseAfter(error);
    timer.pause(ms);
    if (!timer.isStopped) dependencies.paused(ms);
    return true;
  };

  return {
    /** Whether the last round ended early. */
    get isFailing() {
      return failures > 0;
    },
    heed,
    /** Whether a round would do something. */
    hasWork: (copy: AccountCopy): boolean => next(copy) !== undefined || rest.isDue(),
    /** The copy may be that of an account now, and what had to wait may go on. */
    worldChanged: (): void => {
      rest.tryAgain();
      if (present.current?.userId !== null) accountCame();
    },
    sendAll: async (): Promise<void> => {
      try {
        while (await sendNext());
      } catch (error) {
        failed(error);
        throw error;
      }
    },
  };
}

/** Lets the rest come, once after each change that it may have waited for. */
function createRest({ rest, settleRest }: Pick<Dependencies, 'rest' | 'settleRest'>) {
  let isTried = false;
  const isDue = (): boolean => !isTried && rest().length > 0;

  return {
    isDue,
    tryAgain: (): void => {
      isTried = false;
    },
    /** Gives whether there was anything to do. Rejects with the failed request that prevents it. */
    settle: async (): Promise<boolean> => {
      if (!isDue()) return false;
      isTried = true;
      const error = await settleRest();
      if (error !== undefined) throw error;
      return true;
    },
  };
}

const isWaiting = ({ unsent, storing }: AccountCopy, name: string): boolean => unsent.has(name) || storing.has(name);

const isUnsentIn = (copy: Pick<AccountCopy, 'unsent'> | null, isMeant: (name: string) => boolean): boolean =>
  copy !== null && some(copy.unsent, isMeant);

const isStoringIn = (copy: Pick<AccountCopy, 'storing'> | null, isMeant: (name: string) => boolean): boolean =>
  copy !== null && some(copy.storing, isMeant);

/** `Iterator.prototype.some`, which the oldest browsers do not have. */
function some(names: Iterable<string>, isMeant: (name: string) => boolean): boolean {
  for (const name of names) if (isMeant(name)) return true;
  return false;
}

const isIn =
  (collection: string | undefined) =>
  (name: string): boolean =>
    collection === undefined || name.startsWith(nameOf(collection, ''));
