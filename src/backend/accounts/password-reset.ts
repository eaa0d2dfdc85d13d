import { codeDefaults } from '../../protocol/gaps/codes.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkKey, LinkRecord, Owner, Scope } from '../stores/records.js';
import { addressee, type ResetDelivery } from './deliveries.js';
import { codeHash, codeHashes, newDigits } from './one-time-codes.js';
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
 * Has the game deliver a code to the owner of a name. Every name is answered alike, and in the time of the same reads
 * and counts: what is done only where there is such a name, is done after the answer.
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

/**
 * Spec gap: six digits, for ten minutes. Null where the link is another one by now, or its account is being deleted.
 */
async function makeDelivery(
  service: Service,
  link: LinkRecord,
  language: string | undefined,
): Promise<ResetDelivery | null> {
  const now = service.now();
  const [code, expiresAt] = [newDigits(service.random), now + codeDefaults.codeTtlMs];
  const hash = await codeHash(service, link, 'reset', code);
  const made = { link, kind: 'reset', hash, tries: codeDefaults.codeTries, expiresAt, mailAddress: null, now } as const;
  // An address that takes this one's place changes the link, so that this code cannot be kept any more.
  if ((await service.store.makeCode(made)) !== 'made') return null;
  const known = link.mailAddress === null ? {} : { address: link.mailAddress };
  return { kind: 'reset', code, expiresAt, ...known, ...addressee(link, language) };
}

/**
 * Sets a new password by a code, and ends all sessions of the account. It signs nobody in: who has the name and the new
 * password does that as always. The same request may come again where its answer got lost. Whatever does not hold is
 * refused with `invalid_credentials`, and takes as long.
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
  const hashes = await codeHashes(service, name, kind, code);
  const newHash = await passwords.hash(to, { address, signal, begin: () => rateLimiter.countResetTry(address) });
  const takeBack = () => forgiving(service, () => rateLimiter.forgiveResetTry(address));
  const outcome = await store
    .resetPassword({ link: name, kind, hashes, to: newHash, now: service.now() })
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
  const hash = await codeHash(service, link, 'support', readCode(code));
  const asked = { link, kind: 'support', hash, tries: null, expiresAt, mailAddress: null, now } as const;
  const made = await service.store.makeCode(asked);
  return made === 'made' ? { name: link.label ?? link.subject, code, expiresAt } : null;
}

function nameKey(scope: Scope, username: string): LinkKey {
  return { ...scope, method: 'name', subject: usernameSubject(username) };
}
