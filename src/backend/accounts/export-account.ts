import type { LinkMethod } from '../../protocol/conflict.js';
import { entriesText } from '../entries/entries.js';
import { listSnapshots, readSnapshot } from '../entries/snapshots.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { LinkRecord, Owner } from '../stores/records.js';
import { describeLink } from './accounts.js';

/** Methods whose subject is the player's own id elsewhere; that of the others is a hash, or the label. */
const readableSubjects: readonly LinkMethod[] = ['identity', 'social', 'custom'];

/**
 * Everything that is held on a player, as JSON text. What would let somebody in is left out: password hashes, tokens,
 * and the hashes of device ids and recovery codes.
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
