import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { Turn } from './passwords.js';
import type { NameTries, NameTry } from './rate-limits.js';

/** Who tries a name and a password, and what becomes of it. */
export interface PasswordTry extends NameTry {
  /** Whether the request would make an account, were the name free. */
  mayCreate: boolean;
  /** Aborts when the player is gone. */
  signal?: AbortSignal | undefined;
}

/**
 * Checks a password, and refuses with `invalid_credentials` where it is wrong. The try is counted when its turn has
 * come: where too many wait, or the player is gone before that, nothing was tried and nothing counts. A right password
 * is forgiven, and one of which nobody learned whether it is right is taken back.
 */
export async function tryPassword(
  service: Service,
  who: PasswordTry,
  check: (turn: Turn) => Promise<boolean>,
): Promise<void> {
  const tries = await service.rateLimiter.triesAt(who);
  const { turn, hasBegun } = turnOf(who, tries);
  let isRight: boolean;
  try {
    isRight = await check(turn);
  } catch (error) {
    if (hasBegun()) await forgiving(service, () => tries.takeBack());
    throw error;
  }
  if (!isRight) throw await wrongPassword(service, who, tries);
  await forgiving(service, () => tries.forgive());
}

/** The refusal of a name that nobody has: in code, time and count that of a wrong password. */
export async function refuseUnknownName(service: Service, who: PasswordTry, password: string): Promise<Refusal> {
  try {
    await tryPassword(service, { ...who, accountId: null }, async (turn) => {
      await service.passwords.hash(password, turn);
      return false;
    });
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('A wrong password was not refused.');
}

/**
 * A look at a name that tells that nobody has it: it counts as a wrong password, unless the player is given the name.
 */
export interface NameLook {
  /** The turn of the hash that is made for the name, in which the look is counted. */
  turn: Turn;
  /** Takes the look back. */
  takeBack(): Promise<void>;
}

export async function lookAtName(service: Service, who: PasswordTry): Promise<NameLook> {
  const tries = await service.rateLimiter.triesAt({ ...who, accountId: null });
  const { turn, hasBegun } = turnOf(who, tries);
  return {
    turn,
    async takeBack() {
      if (hasBegun()) await forgiving(service, () => tries.takeBack());
    },
  };
}

/** A turn that counts the try when it begins; a second hash of the same try counts nothing more. */
function turnOf({ address, signal }: PasswordTry, tries: NameTries): { turn: Turn; hasBegun(): boolean } {
  let begun = false;
  const begin = async (): Promise<void> => {
    if (begun) return;
    await tries.count();
    begun = true;
  };
  return { turn: { address, signal, begin }, hasBegun: () => begun };
}

/**
 * Where an address may make no more accounts, a free name is refused by that. A stranger's wrong password has to be
 * refused in the same way there, or the answers would tell which names there are.
 */
async function wrongPassword(service: Service, who: PasswordTry, { isStranger }: NameTries): Promise<Refusal> {
  if (who.mayCreate && isStranger) {
    await service.rateLimiter.countNewAccount(who.address);
    await forgiving(service, () => service.rateLimiter.forgiveNewAccount(who.address));
  }
  return new Refusal('invalid_credentials');
}

/** What cannot be forgiven stays counted: a player who was right is not refused for that. */
export async function forgiving(service: Service, forgive: () => Promise<void>): Promise<void> {
  try {
    await forgive();
  } catch (error) {
    service.report('A try could not be taken back.', error);
  }
}
