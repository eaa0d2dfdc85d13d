import { ServiceError, StateError } from '../../errors.js';
import type { ConflictChoice, ConflictSides } from '../../protocol/conflict.js';
import type { EndLeave } from '../profile/present-copies.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { Requests } from '../requests.js';
import type { CurrentSession } from '../session/current-session.js';
import type { OpenChoice } from '../session/session-store.js';
import { type MergedAccounts, mergeAccounts } from './merge-accounts.js';

/** The player's choice in one conflict: carries it out, and finds out what became of it where its answer was lost. */
export interface Choosing {
  /** Whether a choice was asked for and nobody knows what became of it. */
  readonly isUncertain: boolean;
  /**
   * Sends what the present account has not sent yet: the service keeps what loses in a snapshot, which must be whole. Where that
   * fails, the account stays as it is.
   */
  prepare(choice: ConflictChoice, signal: AbortSignal): Promise<void>;
  /** Carries the choice out that was prepared, and gives the id of the user whom it led to. */
  carryOut(choice: ConflictChoice, signal: AbortSignal): Promise<string>;
  /**
   * Finds out what became of the choice that was asked for last. Gives the id of the user whom it led to; null where
   * there is none whose outcome is unknown, and where it was not carried out, and the conflict is open. Rejects where
   * that cannot be found out now.
   */
  settle(): Promise<string | null>;
  /** Takes up a choice that an earlier page has asked for. */
  remember(choice: OpenChoice): Promise<void>;
  /** The service has refused the session: the choice that was asked for last may have been carried out after all. */
  doubt(): void;
  /** The conflict has ended: no choice is open any more. */
  forget(): void;
}

export interface ChoosingDependencies {
  currentSession: CurrentSession;
  requests: Requests;
  profile: ProfileRoom;
  report(error: unknown): void;
}

/** @param resolved is called once the service has carried a choice out, before the session changes */
export function createChoosing(
  sides: ConflictSides,
  resolved: () => void,
  dependencies: ChoosingDependencies,
): Choosing {
  const { currentSession, requests, profile } = dependencies;
  let asked: OpenChoice | null = null;
  let isUncertain = false;
  const { leave, endLeave } = createLeaving(dependencies, sides);

  const ticketFields = () => ({ ticket: sides.ticket, device_id: currentSession.deviceId });

  function forget(): void {
    asked = null;
    isUncertain = false;
    endLeave(true);
  }

  async function ask(
    fields: { choice: ConflictChoice } & Partial<MergedAccounts>,
    signal?: AbortSignal,
  ): Promise<string> {
    const before = currentSession.userId;
    const answer = await requests.resolveConflict({ ...ticketFields(), ...fields }, { signal });
    const session = currentSession.readAnswer(answer, sides.method);
    // Spec gap: with Cloud the device's link moves to the owner only if it led to the account that is left.
    const movesDevice = fields.choice !== 'local' && currentSession.deviceUserId === before;
    const deviceUserId = movesDevice ? session.userId : currentSession.deviceUserId;
    resolved();
    asked = null;
    isUncertain = false;
    const applied = currentSession.apply(fields.choice, { session, deviceUserId });
    endLeave(false);
    await applied;
    return session.userId;
  }

  return {
    get isUncertain() {
      return isUncertain;
    },
    prepare: async (choice, signal) => {
      // What the game sets from now on belongs to whoever comes out of it. Begun before the rest is sent, so that nothing is set
      // for an account whose last request has gone.
      if (choice !== 'local') await leave();
      try {
        await profile.flush({ signal });
      } catch (error) {
        endLeave(true);
        throw error;
      }
    },
    carryOut: async (choice, signal) => {
      try {
        const merged = choice === 'merge' ? await mergedAccounts(dependencies, ticketFields(), signal) : {};
        asked = { ticket: sides.ticket, choice };
        // On the disk before it is asked for: the next page can find out what became of it.
        await currentSession.keepChoice(asked);
        isUncertain = true;
        return await ask({ choice, ...merged }, signal);
      } catch (error) {
        if (isUncertain && !isRefused(error)) throw error;
        forget();
        await currentSession.keepChoice(null);
        throw error;
      }
    },
    settle: async () => {
      if (asked === null || !isUncertain) return null;
      const { choice } = asked;
      try {
        await requests.readConflictSides(ticketFields());
      } catch (error) {
        if (!isStale(error)) throw error;
        // The ticket was used, and the same choice again has the outcome of that time.
        return ask({ choice });
      }
      // It is remembered all the same: the request may still come to the service.
      endLeave(true);
      isUncertain = false;
      return null;
    },
    remember: async (choice) => {
      asked = choice;
      isUncertain = true;
      if (choice.choice !== 'local') await leave();
    },
    doubt: () => {
      isUncertain = asked !== null;
    },
    forget,
  };
}

/** The time in which nobody knows whose account this is: what the game sets is kept for whoever comes out of it. */
function createLeaving(
  { profile, currentSession }: Pick<ChoosingDependencies, 'profile' | 'currentSession'>,
  { local, cloud }: ConflictSides,
) {
  /** Ends it; null outside of it. */
  let arrive: EndLeave | null = null;
  /** Counts what begins and ends it. */
  let leaves = 0;

  /** Whose it is what was set in it; null where the next page goes on with the choice. */
  function heir(): string | null {
    if (currentSession.isDisposed) return null;
    // Where the player has gone on to somebody else, it stays with the account that was played.
    return currentSession.userId === cloud.userId ? cloud.userId : local.userId;
  }

  return {
    /** Begins it. Where it has ended by the time that it has begun, it ends at once. */
    leave: async (): Promise<void> => {
      if (arrive !== null) return;
      leaves += 1;
      const mine = leaves;
      const end = await profile.leave();
      if (mine === leaves) arrive = end;
      else end(true, heir());
    },
    endLeave: (isBack: boolean): void => {
      leaves += 1;
      arrive?.(isBack, heir());
      arrive = null;
    },
  };
}

/** What the choice `merge` sends besides. */
async function mergedAccounts(
  { currentSession, requests, profile, report }: ChoosingDependencies,
  ticket: Parameters<Requests['readConflictSides']>[0],
  signal: AbortSignal,
): Promise<Partial<MergedAccounts>> {
  let accounts: Parameters<typeof mergeAccounts>[0];
  try {
    accounts = await requests.readConflictSides(ticket, { signal });
  } catch (error) {
    // A request whose answer got lost may have merged them: then the choice without any entries has the same outcome.
    if (isStale(error)) return {};
    throw error;
  }
  try {
    return mergeAccounts(accounts, profile.rulesOf, profile.inTodaysForm, currentSession.limits.valueBytes);
  } catch (error) {
    // What a rule of the game throws is the game's own: it is reported, and is never part of an error of ours.
    report(error);
    throw new StateError('merge_failed', "The game's rules failed.");
  }
}

function isStale(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'conflict_stale';
}

/**
 * Whether the service surely has not carried the choice out; what it says of being busy is not true of an earlier try.
 */
function isRefused(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const isBusy = error.status === 429 || error.status === 503;
  return isBusy ? error.mayBeCarriedOut !== true : error.status < 500;
}
