import { createSender } from '../../src/http/sender.js';
import { type AdminClient, assembleAdminClient } from '../../src/server/create-admin-client.js';
import type { OperatorScope } from '../../src/server/index.js';
import { createTestService, type TestService, testGameId, testPrivateKey } from './service.js';

export const testOperatorKey = 'the-first-operators-key-0123456789abcdef';

/** A second game of the same service. */
export const otherGame = { id: 'b2c3d4e5-0000-4000-8000-000000000001', privateKeys: ['other-private-key'] };

/** The tests' game, and the other one. */
export const twoGames = [{ id: testGameId, privateKeys: [testPrivateKey] }, otherGame];

/** Where the tests' players play. */
export const here = { gameId: testGameId, environment: 0 } as const;

/** The id of no player. */
export const nobody = '11111111-1111-4111-8111-111111111111';

/** A service with a first operator's key. */
export function createOperatedService(options: Parameters<typeof createTestService>[0] = {}): TestService {
  return createTestService({ operatorKey: testOperatorKey, ...options });
}

/** The operators' SDK on a service of the test's own, without a port and without waiting between tries. */
export function adminOf(service: TestService, key = testOperatorKey): AdminClient {
  const { baseUrl, fetch } = service;
  return assembleAdminClient(
    { key, baseUrl },
    createSender({ fetch: (request) => fetch(request), backOffMs: () => 0 }),
  );
}

/** The SDK with a key of its own. */
export async function operatorOf(
  service: TestService,
  scope: OperatorScope,
  name: string = scope,
): Promise<AdminClient> {
  return adminOf(service, (await adminOf(service).makeKey({ name, scope })).key);
}
