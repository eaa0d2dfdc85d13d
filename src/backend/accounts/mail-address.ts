import { codeDefaults } from '../../protocol/gaps/codes.js';
import { Refusal } from '../refusal.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import { type LinkRecord, ownerOf, type SessionRecord } from '../stores/records.js';
import { addressee } from './deliveries.js';
import { codeHash, codeHashes, newDigits } from './one-time-codes.js';
import { forgiving } from './password-tries.js';
import { readCode } from './recovery-code.js';

/** The player who changes the e-mail address, where the request comes from, and in which language to write. */
interface Asking {
  session: SessionRecord;
  /** The address in the network. */
  from: string | undefined;
  language: string | undefined;
}

/**
 * Has the game send a code to an e-mail address. Until the player shows that code, the address counts for
 * nothing: it is beside the code alone, and goes with it. Refuses with `not_found` where the account has no name,
 * and with `delivery_not_set_up`.
 */
export async function setMailAddress(
  service: Service,
  { session, from, language }: Asking,
  mailAddress: string,
): Promise<void> {
  const { deliveries, now, rateLimiter, store, tokens } = service;
  await nameOf(service, session);
  if (!deliveries.isSetUp) throw new Refusal('delivery_not_set_up');
  const mailbox = await tokens.codeHash(JSON.stringify(['mailbox', mailboxOf(mailAddress)]));
  await rateLimiter.countVerification({ owner: ownerOf(session), address: from, mailbox });
  const code = newDigits(service.random);
  const at = now();
  const expiresAt = at + codeDefaults.codeTtlMs;
  const link = await retryOnRace(async () => {
    const name = await nameOf(service, session);
    const hash = await codeHash(service, name, 'verify', code);
    const made = { link: name, kind: 'verify', hash, tries: codeDefaults.codeTries, expiresAt, mailAddress } as const;
    return (await store.makeCode({ ...made, now: at })) === 'made' ? name : null;
  });
  const delivery = { kind: 'verify', code, expiresAt, address: mailAddress, ...addressee(link, language) } as const;
  deliveries.begin(from, async () => delivery);
}

/**
 * Makes an e-mail address the player's by the code that was sent there, and tells the former address. The same request
 * may come again where its answer got lost. Refuses with `invalid_credentials`.
 */
export async function verifyMailAddress(service: Service, asking: Asking, shown: string): Promise<void> {
  const { session, from } = asking;
  const { now, rateLimiter, store } = service;
  const { gameId, environment, method, subject } = await nameOf(service, session);
  const link = { gameId, environment, method, subject };
  const hashes = await codeHashes(service, link, 'verify', readCode(shown));
  await rateLimiter.countResetTry(from);
  const takeBack = () => forgiving(service, () => rateLimiter.forgiveResetTry(from));
  const done = await store.verifyMailAddress({ session, link, hashes, now: now() }).catch(async (error: unknown) => {
    await takeBack();
    throw error;
  });
  if (done.outcome === 'wrong_code') throw new Refusal('invalid_credentials');
  await takeBack();
  if (done.outcome === 'no_session') throw new Refusal('unauthorized');
  if (done.outcome === 'verified') tellFormer(service, asking, done.before, done.mailAddress);
}

/** Takes the e-mail address away, and one that is not verified yet; nothing happens where there is none. */
export async function removeMailAddress(service: Service, asking: Asking): Promise<void> {
  const { session } = asking;
  const done = await service.store.removeMailAddress({ owner: ownerOf(session), session: session.sessionId });
  if (done.outcome === 'no_session') throw new Refusal('unauthorized');
  if (done.outcome !== 'removed') throw noName();
  tellFormer(service, asking, done.before, null);
}

/** Whoever reads the mail of the former address learns that codes go there no longer. */
function tellFormer(
  { deliveries }: Service,
  { from, language }: Asking,
  before: LinkRecord,
  mailAddress: string | null,
): void {
  const { mailAddress: address } = before;
  if (address === null || address === mailAddress) return;
  deliveries.begin(from, async () => ({ kind: 'address_changed', address, ...addressee(before, language) }));
}

async function nameOf({ store }: Service, session: SessionRecord): Promise<LinkRecord> {
  const found = await store.readAccount(ownerOf(session));
  const link = found?.links.find(({ method }) => method === 'name');
  if (link === undefined) throw noName();
  return link;
}

function noName(): Refusal {
  return new Refusal('not_found', { detail: 'The account has no name.' });
}

/** What counts as one mailbox: many services ignore case, and what stands behind a plus. */
function mailboxOf(mailAddress: string): string {
  const at = mailAddress.lastIndexOf('@');
  const local = mailAddress.slice(0, at).replace(/\+.*$/, '');
  return `${local}${mailAddress.slice(at)}`.toLowerCase();
}

/** An e-mail address for somebody who needs to recognise it, not to write there. */
export function maskedMailAddress(mailAddress: string): string {
  return `${mailAddress.slice(0, 1)}***${mailAddress.slice(mailAddress.lastIndexOf('@'))}`;
}
