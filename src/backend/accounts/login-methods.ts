import { base64url } from 'jose';
import type { LinkMethod } from '../../protocol/conflict.js';
import type { Game } from '../game.js';
import { sha256 } from '../game.js';
import { verifyIdentity } from '../providers/identity-tokens.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkRecord, NewLink, Scope } from '../stores/records.js';
import { recoverySubject } from './recovery-code.js';
import { usernameSubject } from './usernames.js';

/** What a player has shown: which link it would be, and how it is held against one that is there already. */
export interface LoginMethod {
  link: Omit<NewLink, 'credential'>;
  /** Refuses with `invalid_credentials` where the player may not have this link. */
  check(link: LinkRecord): Promise<void>;
  /** What a new link keeps to check the next time. */
  credential(): Promise<string | null>;
  /** Whether it may be a link's first use: a recovery code is made by the service. */
  makesLinks: boolean;
  /** The refusal where nobody has it and no link is to be made; as slow, and as often, as with one that is wrong. */
  unknown(): Promise<Refusal>;
  /** Counts a look at one that nobody has. */
  look(): Promise<void>;
  /** It was no look: the player has it now. */
  linked(): Promise<void>;
}

/** Spec gap: a device id is a secret, so no store sees it. */
export async function deviceSubject(deviceId: string): Promise<string> {
  return base64url.encode(await sha256(deviceId));
}

export function byDevice(scope: Scope, device: string): LoginMethod {
  return byProof(scope, { method: 'device', subject: device, label: null });
}

/** By name and password. The tries are counted, and a hash with older parameters is made again. */
export function byName(
  service: Service,
  scope: Scope,
  { username, password, address }: { username: string; password: string; address: string | undefined },
): LoginMethod {
  const key = { ...scope, method: 'name' as const, subject: usernameSubject(username) };
  return {
    link: { ...key, label: username },
    async check(link) {
      const { passwords, rates, store } = service;
      const stored = link.credential;
      await rates.tryPassword(key, address);
      if (!(await passwords.verify(password, stored))) throw new Refusal('invalid_credentials');
      await rates.passwordHeld(key, address);
      if (stored !== null && passwords.outdated(stored)) {
        await store.replaceCredential({ key, from: stored, to: await passwords.hash(password), keepSession: null });
      }
    },
    credential: () => service.passwords.hash(password),
    makesLinks: true,
    async unknown() {
      await service.rates.tryPassword(key, address);
      await service.passwords.hash(password);
      return new Refusal('invalid_credentials');
    },
    look: () => service.rates.tryPassword(null, address),
    linked: () => service.rates.passwordHeld(null, address),
  };
}

/** By a code that the service made for the account. Wrong tries count for the address: nobody guesses 128 bits. */
export async function byRecovery(
  service: Service,
  scope: Scope,
  { code, address }: { code: string; address: string | undefined },
): Promise<LoginMethod> {
  const { rates } = service;
  return {
    ...byProof(scope, { method: 'recovery', subject: await recoverySubject(code), label: null }),
    async check() {
      await rates.tryPassword(null, address);
      await rates.passwordHeld(null, address);
    },
    makesLinks: false,
    async unknown() {
      await rates.tryPassword(null, address);
      return new Refusal('invalid_credentials');
    },
  };
}

/** By an ID token. Spec gap: linked by issuer and subject. */
export async function byIdentity(service: Service, scope: Scope, game: Game, token: string): Promise<LoginMethod> {
  const { issuer, subject } = await verifyIdentity(service, game.identityProviders, token);
  return byProof(scope, { method: 'identity', subject: JSON.stringify([issuer, subject]), label: issuer });
}

/** By a social network's token. Spec gap: with one platform registered, it need not be named. */
export async function bySocial(
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
  return byProof(scope, { method: 'social', subject: JSON.stringify([name, player.id]), label: name });
}

/** A login method that was proved before it got here: nothing is kept to check it again. */
function byProof(scope: Scope, link: { method: LinkMethod; subject: string; label: string | null }): LoginMethod {
  return {
    link: { ...scope, ...link },
    check: async () => {},
    credential: async () => null,
    makesLinks: true,
    unknown: async () => new Refusal('user_not_found'),
    look: async () => {},
    linked: async () => {},
  };
}
