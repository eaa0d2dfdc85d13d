import type { LinkMethod } from '../../protocol/conflict.js';
import { entriesText } from '../entries/entries.js';
import { listSnapshots, readSnapshot } from '../entries/snapshots.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkRecord, Owner } from '../stores/records.js';
import { describeLink } from './accounts.js';

/** The methods whose subject is the player's id elsewhere. Of the others it is a hash, or says what the label does. */
const readableSubjects: readonly LinkMethod[] = ['identity', 'social', 'custom'];

/**
 * Everything that the service knows of a player, as JSON text. What somebody could sign in with is left out: hashes of
 * passwords, device ids and recovery codes, and tokens.
 */
export async function exportAccount(service: Service, owner: Owner): Promise<string> {
  const { store } = service;
  const profile = await store.readProfile(owner);
  if (profile === null) throw new Refusal('unauthorized');
  const sessions = (await store.listSessions(owner)).map(({ method, openedAt, expiresAt }) => {
    return { method, openedAt, expiresAt };
  });
  const kept = await listSnapshots(service, owner);
  const snapshots = await Promise.all(kept.map(({ id }) => readSnapshot(service, owner, id)));
  const { gameId, environment, accountId, createdAt } = profile.account;
  const about = {
    userId: accountId,
    gameId,
    env: environment,
    createdAt,
    exportedAt: service.now(),
    methods: profile.links.map(exportLink),
    sessions,
  };
  const held = `"entries":${entriesText(profile.entries)},"snapshots":[${snapshots.filter(Boolean).join(',')}]`;
  return `${JSON.stringify(about).slice(0, -1)},${held}}`;
}

function exportLink(link: LinkRecord) {
  return { ...describeLink(link), ...(readableSubjects.includes(link.method) ? { subject: link.subject } : {}) };
}
