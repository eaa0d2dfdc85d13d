import { base64url } from 'jose';
import type { LinkMethod } from '../../protocol/conflict.js';
import { providerDefaults } from '../../protocol/gaps/providers.js';
import type { Game } from '../game.js';
import { askOutside, limitOfCheck } from '../providers/ask-outside.js';
import { Refusal } from '../refusal.js';
import { identifyPlayer, socialPlatformsOf } from '../registry/sign-in.js';
import type { Service } from '../service.js';
import { sha256 } from '../sha256.js';
import type { LinkRecord, NewLink, Scope, SessionRecord } from '../stores/records.js';
import { canBeSet, passwordTooShort } from './new-passwords.js';
import { lookAtName, type NameLook, refuseUnknownName, tryPassword } from './password-tries.js';
import { recoverySubject } from './recovery-code.js';
import { signInByCode } from './sign-in-code.js';
import { canBeTaken, nameNotAllowed, usernameSubject } from './usernames.js';

/** What a player shows to sign in: the link that it is or would be, and how its credential is checked. */
export interface LoginMethod {
  link: Omit<NewLink, 'credential'>;
  /** Checks what the player showed against the stored link. Refuses with `invalid_credentials`. */
  checkCredential(link: LinkRecord): Promise<void>;
  /**
   * What a new link keeps, so that the credential can be checked the next time; null where it needs nothing. What
   * follows tells that nobody has the link, so that it counts as `countLookup` does.
   */
  newCredential(): Promise<string | null>;
  /**
   * Whether a link may be made of it. Not of a recovery code, which only the service makes, nor of some names, nor with
   * a password that is too short for a new one.
   */
  canBeNew: boolean;
  /**
   * Signs in on a device where no such link is stored; null where that is not possible. A code that an operator has
   * made lets the player in once, and is no link.
   */
  signInOnce(device: string): Promise<SessionRecord | null>;
  /**
   * The refusal where no such link is stored and none is to be made. A name takes as long for it, and counts as much,
   * as a wrong password, so that nobody finds out which names there are. `isToBeNew` says that one would be made where
   * that is possible: then the player is told why it is not.
   */
  unknownRefusal(isToBeNew: boolean): Promise<Refusal>;
  /** Counts a request whose answer tells that nobody has this link: names must not be guessed in masses. */
  countLookup(): Promise<void>;
  /** Takes that back: the player has been given the link. */
  forgiveLookup(): Promise<void>;
}

/** The subject of a device: the hash of its id. Spec gap: a device id is a secret, so that no store may see it. */
export async function deviceSubject(deviceId: string): Promise<string> {
  return base64url.encode(await sha256(deviceId));
}

export function deviceLogin(scope: Scope, device: string): LoginMethod {
  return verifiedLogin(scope, { method: 'device', subject: device, label: null });
}

/** Who shows a name and a password, and to what end. */
export interface NameRequest {
  username: string;
  password: string;
  /** The subject of the device. */
  device: string;
  address: string | undefined;
  /** Aborts when the player is gone. */
  signal: AbortSignal;
  /** Whether a name that nobody has would become a new account. */
  mayCreate: boolean;
}

/** A name and its password. Attempts are counted, and a hash that was made with older parameters is made again. */
export function nameLogin(service: Service, scope: Scope, { username, password, ...asked }: NameRequest): LoginMethod {
  const key = { ...scope, method: 'name' as const, subject: usernameSubject(username) };
  const who = { ...asked, name: key, accountId: null };
  let look: NameLook | undefined;
  return {
    link: { ...key, label: username },
    async checkCredential(link) {
      const { passwords, store } = service;
      const stored = link.credential;
      await tryPassword(service, { ...who, accountId: link.accountId }, (turn) =>
        passwords.verify(password, stored, turn),
      );
      if (stored !== null && passwords.isOutdated(stored)) {
        const to = await passwords.hash(password, { address: asked.address });
        await store.replaceCredential({ link, to, isSamePassword: true, session: null });
      }
    },
    async newCredential() {
      look = await lookAtName(service, who);
      return service.passwords.hash(password, look.turn);
    },
    canBeNew: canBeTaken(username) && canBeSet(password),
    signInOnce: async () => null,
    async unknownRefusal(isToBeNew) {
      const refusal = await refuseUnknownName(service, who, password);
      // Who only wants to sign in is told of such a name what of any other: some were taken before they were refused.
      if (!isToBeNew || refusal.code !== 'invalid_credentials') return refusal;
      if (!canBeTaken(username)) return nameNotAllowed('invisible_characters');
      return canBeSet(password) ? refusal : passwordTooShort();
    },
    async countLookup() {
      look = await lookAtName(service, who);
      await service.passwords.wait(look.turn);
    },
    async forgiveLookup() {
      await look?.takeBack();
    },
  };
}

/**
 * A recovery code, or a code that an operator has made. A wrong one counts for the address; a right one is never
 * refused, because it has 128 bits, or 80, which nobody guesses.
 */
export async function recoveryCodeLogin(
  service: Service,
  scope: Scope,
  { code, address }: { code: string; address: string | undefined },
): Promise<LoginMethod> {
  const login = verifiedLogin(scope, { method: 'recovery', subject: await recoverySubject(code), label: null });
  return {
    ...login,
    canBeNew: false,
    signInOnce: (device) => signInByCode(service, login.link, { code, device }),
    async unknownRefusal() {
      await service.rateLimiter.countWrongCode(address);
      return new Refusal('invalid_credentials');
    },
  };
}

/** An ID token of a provider. Spec gap: the player is known by issuer and subject. */
export async function identityTokenLogin(
  service: Service,
  scope: Scope,
  game: Game,
  shown: { token: string; address: string | undefined; signal: AbortSignal },
): Promise<LoginMethod> {
  const { issuer, subject } = await identifyPlayer(service, game, scope, shown);
  service.tokenChecks.countPlayer({ scope, provider: issuer, id: subject });
  return providedLogin(scope, 'identity', [issuer, subject]);
}

/** A social network's token. Spec gap: where the game has one platform, the request need not name it. */
export async function socialTokenLogin(
  service: Service,
  scope: Scope,
  game: Game,
  { token, platform, address, signal }: SocialRequest,
): Promise<LoginMethod> {
  // What the configuration has needs no look at what operators have registered.
  const isConfigured = platform !== undefined && game.socialPlatforms.has(platform);
  const known = isConfigured ? game.socialPlatforms : await socialPlatformsOf(service, game, scope);
  const platforms = [...known.keys()];
  const name = platform ?? (platforms.length === 1 ? platforms[0] : undefined);
  const verify = name === undefined ? undefined : known.get(name);
  if (name === undefined || verify === undefined) throw new Refusal('platform_not_registered', { platforms });
  const id = await service.tokenChecks.run({ asks: `${scope.gameId} ${name}`, address, signal }, async () => {
    let player: { id: string } | null;
    try {
      const now = service.now();
      player = await askOutside(service.verifierMs, (signal) => verify(token, { ...scope, now, signal }), 'verifierMs');
    } catch (error) {
      service.report(`The verifier of the social platform "${name}" failed.`, error);
      const detail = 'The social platform could not be asked.';
      throw new Refusal('unavailable', { detail, ...limitOfCheck(error) });
    }
    if (typeof player?.id !== 'string' || player.id === '') throw new Refusal('invalid_credentials');
    return player.id;
  });
  service.tokenChecks.countPlayer({ scope, provider: name, id });
  return providedLogin(scope, 'social', [name, id]);
}

/** A social network's token, and who shows it. */
export interface SocialRequest {
  token: string;
  platform: string | undefined;
  address: string | undefined;
  /** Aborts when the player is gone. */
  signal: AbortSignal;
}

/**
 * Whom somebody else knows by an id. One that is too long for an index is refused on every store, not on PostgreSQL
 * alone; what leads somewhere already goes on to do so.
 */
function providedLogin(scope: Scope, method: 'identity' | 'social', [provider, id]: [string, string]): LoginMethod {
  const login = verifiedLogin(scope, { method, subject: JSON.stringify([provider, id]), label: provider });
  const { max } = providerDefaults.playerIdLength;
  if (id.length <= max) return login;
  const detail = `The player's id has more than ${max} characters.`;
  return { ...login, canBeNew: false, unknownRefusal: async () => new Refusal('invalid_credentials', { detail }) };
}

/**
 * What has been checked before it gets here, and is checked in the same way the next time: the link keeps nothing for
 * that.
 */
function verifiedLogin(
  { gameId, environment }: Scope,
  { method, subject, label }: { method: LinkMethod; subject: string; label: string | null },
): LoginMethod {
  return {
    link: { gameId, environment, method, subject, label },
    checkCredential: async () => {},
    newCredential: async () => null,
    canBeNew: true,
    signInOnce: async () => null,
    unknownRefusal: async () => new Refusal('user_not_found'),
    countLookup: async () => {},
    forgiveLookup: async () => {},
  };
}
