import { base64url } from 'jose';
import type { LinkMethod } from '../../protocol/conflict.js';
import type { Game } from '../game.js';
import { verifyIdentity } from '../providers/identity-tokens.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import { sha256 } from '../sha256.js';
import type { LinkRecord, NewLink, Scope } from '../stores/records.js';
import { recoverySubject } from './recovery-code.js';
import { usernameSubject } from './usernames.js';

/** What a player shows to sign in: the link that it is or would be, and how its credential is checked. */
export interface LoginMethod {
  link: Omit<NewLink, 'credential'>;
  /** Checks what the player showed against the stored link. Refuses with `invalid_credentials`. */
  checkCredential(link: LinkRecord): Promise<void>;
  /** What a new link keeps, so that the credential can be checked the next time; null where it needs nothing. */
  newCredential(): Promise<string | null>;
  /** Whether a link may be made of it. Not of a recovery code: only the service makes those. */
  canBeNew: boolean;
  /**
   * The refusal where no such link is stored and none is to be made. A name takes as long for it, and counts as much,
   * as a wrong password, so that nobody finds out which names there are.
   */
  unknownRefusal(): Promise<Refusal>;
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

/** A name and its password. Attempts are counted, and a hash that was made with older parameters is made again. */
export function nameLogin(
  service: Service,
  scope: Scope,
  { username, password, address }: { username: string; password: string; address: string | undefined },
): LoginMethod {
  const key = { ...scope, method: 'name' as const, subject: usernameSubject(username) };
  return {
    link: { ...key, label: username },
    async checkCredential(link) {
      const { passwords, rateLimiter, store } = service;
      const stored = link.credential;
      await rateLimiter.countPasswordAttempt(key, address);
      if (!(await passwords.verify(password, stored))) throw new Refusal('invalid_credentials');
      await rateLimiter.forgivePasswordAttempt(key, address);
      if (stored !== null && passwords.isOutdated(stored)) {
        const to = await passwords.hash(password);
        await store.replaceCredential({ link, to, isSamePassword: true, session: null });
      }
    },
    newCredential: () => service.passwords.hash(password),
    canBeNew: true,
    async unknownRefusal() {
      await service.rateLimiter.countPasswordAttempt(key, address);
      await service.passwords.hash(password);
      return new Refusal('invalid_credentials');
    },
    countLookup: () => service.rateLimiter.countPasswordAttempt(null, address),
    forgiveLookup: () => service.rateLimiter.forgivePasswordAttempt(null, address),
  };
}

/** A recovery code. Wrong ones count for the address alone: a code has 128 bits, which nobody guesses. */
export async function recoveryCodeLogin(
  service: Service,
  scope: Scope,
  { code, address }: { code: string; address: string | undefined },
): Promise<LoginMethod> {
  const { rateLimiter } = service;
  return {
    ...verifiedLogin(scope, { method: 'recovery', subject: await recoverySubject(code), label: null }),
    async checkCredential() {
      await rateLimiter.countPasswordAttempt(null, address);
      await rateLimiter.forgivePasswordAttempt(null, address);
    },
    canBeNew: false,
    async unknownRefusal() {
      await rateLimiter.countPasswordAttempt(null, address);
      return new Refusal('invalid_credentials');
    },
  };
}

/** An ID token of a provider. Spec gap: the player is known by issuer and subject. */
export async function identityTokenLogin(
  service: Service,
  scope: Scope,
  game: Game,
  token: string,
): Promise<LoginMethod> {
  const { issuer, subject } = await verifyIdentity(service, game.identityProviders, token);
  return verifiedLogin(scope, { method: 'identity', subject: JSON.stringify([issuer, subject]), label: issuer });
}

/** A social network's token. Spec gap: where the game has one platform, the request need not name it. */
export async function socialTokenLogin(
  service: Service,
  scope: Scope,
  game: Game,
  { token, platform }: { token: string; platform: string | undefined },
): Promise<LoginMethod> {
  const platforms = [...game.socialPlatforms.keys()];
  const name = platform ?? (platforms.length === 1 ? platforms[0] : undefined);
  const verify = name === undefined ? undefined : game.socialPlatforms.get(name);
  if (name === undefined || verify === undefined) throw new Refusal('platform_not_registered', { platforms });
  let player: { id: string } | null;
  try {
    player = await verify(token, { ...scope, now: service.now() });
  } catch (error) {
    service.report(`The verifier of the social platform "${name}" failed.`, error);
    throw new Refusal('unavailable', { detail: 'The social platform could not be asked.' });
  }
  if (typeof player?.id !== 'string' || player.id === '') throw new Refusal('invalid_credentials');
  return verifiedLogin(scope, { method: 'social', subject: JSON.stringify([name, player.id]), label: name });
}

/**
 * What has been checked before it gets here, and is checked in the same way the next time: the link keeps nothing for
 * that.
 */
function verifiedLogin(scope: Scope, link: { method: LinkMethod; subject: string; label: string | null }): LoginMethod {
  return {
    link: { ...scope, ...link },
    checkCredential: async () => {},
    newCredential: async () => null,
    canBeNew: true,
    unknownRefusal: async () => new Refusal('user_not_found'),
    countLookup: async () => {},
    forgiveLookup: async () => {},
  };
}
