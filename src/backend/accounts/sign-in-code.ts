import { codeDefaults } from '../../protocol/gaps/codes.js';
import type { Service } from '../service.js';
import { newSession } from '../sessions/sessions.js';
import type { MakeSignInCodeRequest } from '../stores/code-requests.js';
import type { LinkKey, Owner, Scope, SessionRecord } from '../stores/records.js';
import { refuseIfBanned } from './closed.js';
import { newRecoveryCode, readCode } from './recovery-code.js';

/**
 * A code that an operator tells a player who has no other way into an account, such as a guest whose device is gone,
 * and what the store keeps of it.
 */
export async function newSignInCode(
  service: Service,
  owner: Owner,
): Promise<{ code: string; request: MakeSignInCodeRequest }> {
  const code = newRecoveryCode(service.random, codeDefaults.supportCodeBytes);
  const hash = await service.tokens.codeHash(boundTo(owner, readCode(code)));
  return { code, request: { owner, hash, expiresAt: service.now() + codeDefaults.supportCodeTtlMs } };
}

/**
 * Opens a session of the account that an operator's code is of; null where there is no such code. It is used up by
 * that for all other devices, and the same device may ask again where the answer got lost. Refuses with
 * `account_banned`.
 */
export async function signInByCode(
  service: Service,
  via: LinkKey,
  { code: shown, device }: { code: string; device: string },
): Promise<SessionRecord | null> {
  const { now, quotas, store, tokens } = service;
  const { gameId, environment, method, subject } = via;
  const scope = { gameId, environment };
  const code = readCode(shown);
  const [used = '', ...former] = await tokens.codeHashes(boundTo(scope, code, device));
  const done = await store.signInByCode({
    scope,
    hashes: await tokens.codeHashes(boundTo(scope, code)),
    usedHashes: [used, ...former],
    session: { ...scope, method, subject, device, revision: 0, ...newSession(service) },
    device: { ...scope, method: 'device', subject: device, label: null, credential: null },
    quotas,
    now: now(),
  });
  if (done.outcome === 'banned') await refuseIfBanned(service, done.owner);
  return done.outcome === 'opened' ? done.session : null;
}

/** A code counts in its game and environment alone, and once it was used, on one device. */
function boundTo({ gameId, environment }: Scope, code: string, ...device: [] | [string]): string {
  return JSON.stringify([gameId, environment, 'sign_in', code, ...device]);
}
