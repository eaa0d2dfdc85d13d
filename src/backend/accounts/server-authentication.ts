import type { ServerAuthRequest } from '../../protocol/messages.js';
import { retryOnRace } from '../retry-on-race.js';
import type { Service } from '../service.js';
import { newSessionOf } from '../sessions/sessions.js';
import type { SessionRecord } from '../stores/records.js';
import { deviceSubject } from './login-methods.js';
import { refuseIfDeleted } from './sign-in.js';

/**
 * Signs a player in on the word of the game's back end. Spec gap: the custom id decides the account; first seen, it is linked
 * to the device's account if that has none, else a new account is made.
 *
 * @see Spec 4.3
 */
export async function authenticate(service: Service, request: ServerAuthRequest): Promise<SessionRecord> {
  const scope = { gameId: request.game_id.toLowerCase(), environment: request.env };
  const subject = await deviceSubject(request.device_id);
  const unnamed = { ...scope, label: null, credential: null };
  const custom = { ...unnamed, method: 'custom' as const, subject: request.custom_user_id };
  const device = { ...unnamed, method: 'device' as const, subject };
  return retryOnRace(async () => {
    const { store } = service;
    const { accountId } = await store.ensureCustomAccount({
      custom,
      device,
      accountId: service.newId(),
      now: service.now(),
    });
    const session = newSessionOf(service, { via: custom, accountId, device: subject });
    if (await store.openSession(session)) return session;
    await refuseIfDeleted(service, { ...scope, accountId });
    return null;
  });
}
