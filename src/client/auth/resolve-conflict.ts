import { ServiceError, StateError } from '../../errors.js';
import type { ConflictChoice, ConflictSides } from '../../protocol/conflict.js';
import type { ProfileRoom } from '../profile/profile.js';
import type { Requests } from '../requests.js';
import type { CurrentSession } from '../session/current-session.js';
import { type MergedAccounts, mergeAccounts } from './merge-accounts.js';

/**
 * Carries the player's choice out, and gives the id of the user whom it led to. `resolved` is called once the service
 * has carried it out, before the session changes.
 */
export type ChoiceMaker = (
  sides: ConflictSides,
  choice: ConflictChoice,
  signal: AbortSignal,
  resolved: () => void,
) => Promise<string>;

export function createChoiceMaker(dependencies: {
  currentSession: CurrentSession;
  requests: Requests;
  profile: ProfileRoom;
  report(error: unknown): void;
}): ChoiceMaker {
  const { currentSession, requests, profile } = dependencies;

  /** What the choice `merge` sends besides. */
  async function mergedAccounts(
    { local }: ConflictSides,
    ticket: { ticket: string; device_id: string },
    signal: AbortSignal,
  ): Promise<Partial<MergedAccounts>> {
    let accounts: Parameters<typeof mergeAccounts>[0];
    try {
      accounts = await requests.readConflictSides(ticket, { signal });
    } catch (error) {
      // A request whose answer got lost may have merged them: then the choice without any entries has the same outcome.
      if (error instanceof ServiceError && error.code === 'conflict_stale') return {};
      throw error;
    }
    try {
      return mergeAccounts(accounts, profile.rulesOf, local.userId);
    } catch (error) {
      // What a rule of the game throws is the game's own: it is reported, and is never part of an error of ours.
      dependencies.report(error);
      throw new StateError('merge_failed', "The game's rules failed.");
    }
  }

  const carryOut: ChoiceMaker = async (sides, choice, signal, resolved) => {
    const before = currentSession.userId;
    const ticket = { ticket: sides.ticket, device_id: currentSession.deviceId };
    const merged = choice === 'merge' ? await mergedAccounts(sides, ticket, signal) : {};
    const answer = await requests.resolveConflict({ ...ticket, choice, ...merged }, { signal });
    const session = currentSession.readAnswer(answer, sides.method);
    // Spec gap: with Cloud the device's link moves to the owner only if it led to the account that is left.
    const movesDevice = choice !== 'local' && currentSession.deviceUserId === before;
    const deviceUserId = movesDevice ? session.userId : currentSession.deviceUserId;
    resolved();
    await currentSession.apply(choice, { session, deviceUserId });
    return session.userId;
  };

  return (sides, choice, signal, resolved) => {
    if (choice === 'local') return carryOut(sides, choice, signal, resolved);
    // The account is being left: an entry that the game set in it now would never be sent.
    return profile.leave(() => carryOut(sides, choice, signal, resolved));
  };
}
