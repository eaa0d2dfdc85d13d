import { codeDefaults } from '../../protocol/gaps/codes.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { CodeKind } from '../stores/code-requests.js';
import type { LinkKey, LinkRecord, Owner, Scope } from '../stores/records.js';
import type { Delivery } from './deliveries.js';
import { forgiving } from './password-tries.js';
import { newRecoveryCode, readCode } from './recovery-code.js';
import { usernameSubject } from './usernames.js';

/** Who has forgotten a password. */
export interface ForgottenPassword {
  username: string;
  /** The subject of the device. */
  device: string;
  address: string | undefined;
}

/**
 * Has the game deliver a code to the owner of a name. Every name is answered alike, and in the time of the same reads and
 * counts: what is done only where there is such a name, is done after the answer.
 */
export async function requestReset(
  service: Service,
  scope: Scope,
  { username, device, address, language }: ForgottenPassword & { language: string | undefined },
): Promise<void> {
  const { store, rateLimiter, deliveries } = service;
  const name = nameKey(scope, username);
  const link = await store.findLink(name);
  await rateLimiter.countReset({ name, accountId: link?.accountId ?? null, device, address });
  deliveries.begin(address, async () => (link === null ? null : makeDelivery(service, link, language)));
}

/** Spec gap: six digits, for ten minutes. Null where the link is another one by now, or its account is being deleted. */
async function makeDelivery(
  service: Service,
  link: LinkRecord,
  language: string | undefined,
): Promise<Delivery | null> {
  const { gameId, environment, accountId: userId, label, subject } = link;
  const now = service.now();
  const [code, expiresAt] = [newDigits(service.random), now + codeDefaults.codeTtlMs];
  const hash = await hashOf(service, link, 'reset', code);
  const tries = codeDefaults.codeTries;
  if ((await service.store.makeCode({ link, kind: 'reset', hash, tries, expiresAt, now })) !== 'made') return null;
  const spoken = language === undefined ? {} : { language };
  return { kind: 'reset', name: label ?? subject, code, expiresAt, ...spoken, gameId, environment, userId };
}

/**
 * Sets a new password by a code, and ends all sessions of the account. It signs nobody in: who has the name and the new
 * password does that as always. The same request may come again where its answer got lost. Whatever does not hold is refused
 * with `invalid_credentials`, and takes as long.
 */
export async function resetPassword(
  service: Service,
  scope: Scope,
  {
    username,
    device,
    address,
    code: shown,
    to,
    signal,
  }: ForgottenPassword & { code: string; to: string; signal: AbortSignal },
): Promise<void> {
  const { store, passwords, rateLimiter } = service;
  const name = nameKey(scope, username);
  const code = readCode(shown);
  const kind = /^\d{6}$/.test(code) ? 'reset' : 'support';
  const link = await store.findLink(name);
  const tries = await rateLimiter.triesAt({ name, accountId: link?.accountId ?? null, device, address });
  const hash = await hashOf(service, name, kind, code);
  const newHash = await passwords.hash(to, { address, signal, begin: () => rateLimiter.countResetTry(address) });
  const takeBack = () => forgiving(service, () => rateLimiter.forgiveResetTry(address));
  const outcome = await store
    .resetPassword({ link: name, kind, hash, to: newHash, now: service.now() })
    .catch(async (error: unknown) => {
      await takeBack();
      throw error;
    });
  const isRight = outcome === 'reset' || (outcome === 'repeated' && (await hasPassword(service, name, to, address)));
  if (!isRight) throw new Refusal('invalid_credentials');
  await takeBack();
  // Whoever forgets a password has tried some.
  await forgiving(service, () => tries.forgive());
}

async function hasPassword(
  { store, passwords }: Service,
  name: LinkKey,
  password: string,
  address: string | undefined,
): Promise<boolean> {
  const link = await store.findLink(name);
  return link !== null && passwords.verify(password, link.credential, { address });
}

/** A code that an operator tells a player. Null where the account has no name, or is being deleted. */
export async function makeSupportCode(
  service: Service,
  owner: Owner,
): Promise<{ name: string; code: string; expiresAt: number } | null> {
  const found = await service.store.readAccount(owner);
  const link = found?.links.find(({ method }) => method === 'name');
  if (link === undefined) return null;
  const now = service.now();
  const code = newRecoveryCode(service.random, codeDefaults.supportCodeBytes);
  const expiresAt = now + codeDefaults.supportCodeTtlMs;
  const hash = await hashOf(service, link, 'support', readCode(code));
  const made = await service.store.makeCode({ link, kind: 'support', hash, tries: null, expiresAt, now });
  return made === 'made' ? { name: link.label ?? link.subject, code, expiresAt } : null;
}

function nameKey(scope: Scope, username: string): LinkKey {
  return { ...scope, method: 'name', subject: usernameSubject(username) };
}

/** Six digits can be tried out: only with the service's key can their hash. */
function hashOf({ tokens }: Service, link: LinkKey, kind: CodeKind, code: string): Promise<string> {
  const { gameId, environment, method, subject } = link;
  return tokens.codeHash(JSON.stringify([gameId, environment, method, subject, kind, code]));
}

/** Of 64 random bits, so that no code is likelier than another. */
function newDigits(random: Service['random']): string {
  const number = random(8).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return String(number % 1_000_000n).padStart(6, '0');
}
