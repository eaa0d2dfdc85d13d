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

/** What a player has shown: which link it would be, and how it is held against one that is there already. */
export interface LoginMethod {
  link: Omit<NewLink, 'credential'>;
  /** Refuses with `invalid_credentials` where the player may not have this link. */
  checkCredential(link: LinkRecord): Promise<void>;
  /** What a new link keeps to check the next time. */
  newCredential(): Promise<string | null>;
  /** Whether it may be a link's first use: a recovery code is made by the service. */
  canBeNew: boolean;
  /** The refusal where nobody has it and no link is to be made; as slow, and as often, as with one that is wrong. */
  unknownRefusal(): Promise<Refusal>;
  /** Counts a look at one that nobody has. */
  countLookup(): Promise<void>;
  /** It was no look: the player has it now. */
  forgiveLookup(): Promise<void>;
}

/** Spec gap: a device id is a secret, so no store sees it. */
export async function deviceSubject(deviceId: string): Promise<string> {
  return base64url.encode(await sha256(deviceId));
}

export function deviceLogin(scope: Scope, device: string): LoginMethod {
  return verifiedLogin(scope, { method: 'device', subject: device, label: null });
}

/** By name and password. The tries are counted, and a hash with older parameters is made again. */
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
        await store.replaceCredential({ key, from: stored, to: await passwords.hash(password), keepSession: null });
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

/** By a code that the service made for the account. Wrong tries count for the address: nobody guesses 128 bits. */
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

/** By an ID token. Spec gap: linked by issuer and subject. */
export async function identityTokenLogin(
  service: Service,
  scope: Scope,
  game: Game,
  token: string,
): Promise<LoginMethod> {
  const { issuer, subject } = await verifyIdentity(service, game.identityProviders, token);
  return verifiedLogin(scope, { method: 'identity', subject: JSON.stringify([issuer, subject]), label: issuer });
}

/** By a social network's token. Spec gap: with one platform registered, it need not be named. */
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

/** A login method that was proved before it got here: nothing is kept to check it again. */
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
