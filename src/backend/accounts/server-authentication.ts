import type { ServerAuthRequest } from '../../protocol/messages.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import { newSessionOf } from '../sessions/sessions.js';
import type { SessionRecord } from '../stores/records.js';
import { refuseIfClosed } from './closed.js';
import { deviceSubject } from './login-methods.js';

/**
 * Signs in the player that the game's back end names. Spec gap: the custom id decides which account it is. A new
 * custom id is linked to the device's account if that is a guest's, and otherwise to a new account: what has a name, a
 * login or a custom id is somebody's, and a banned guest's stays theirs.
 *
 * @see docs/interface.md#server-to-server-authentication
 */
export async function authenticate(service: Service, request: ServerAuthRequest): Promise<SessionRecord> {
  const scope = { gameId: request.game_id.toLowerCase(), environment: request.env };
  const subject = await deviceSubject(request.device_id);
  const noLabel = { ...scope, label: null, credential: null };
  const custom = { ...noLabel, method: 'custom' as const, subject: request.custom_user_id };
  const device = { ...noLabel, method: 'device' as const, subject };
  return retryOnRace(async () => {
    const { store, quotas } = service;
    const { accountId, revision } = await store.ensureCustomAccount({
      custom,
      device,
      accountId: service.newId(),
      now: service.now(),
      quotas,
    });
    const session = newSessionOf(service, { via: custom, accountId, device: subject });
    if (await store.openSession({ session, linkRevision: revision, quotas })) return session;
    await refuseIfClosed(service, { ...scope, accountId });
    return null;
  });
}
