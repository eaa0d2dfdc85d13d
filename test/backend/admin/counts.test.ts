import { describe, expect, it } from 'vitest';
import { days } from '../../../src/protocol/gaps/units.js';
import { adminOf, createOperatedService, here, operatorOf, testOperatorKey } from '../../support/operators.js';
import { makeConflict, post, send, signInGuest, testGameId } from '../../support/service.js';

const none = { device: 0, name: 0, identity: 0, social: 0, custom: 0, recovery: 0 };
const quiet = { new: 0, active: 0, conflicts: 0, choices: { local: 0, cloud: 0, merge: 0 }, signIns: none };

describe("an operator's counts", () => {
  it('have new players, active ones and sign-ins, on the days on which they were', async () => {
    const service = createOperatedService();
    const player = await signInGuest(service);
    const ada = { username: 'ada', password: 'a password of ada' };
    await post(service, '/v2/auth/name', ada, { token: player.accessToken });
    service.backend.control.advance(days(2));
    await post(service, '/v2/auth/name', ada);
    await post(service, '/v2/auth/name', { ...ada, password: 'a wrong password' });
    const counted = await adminOf(service).counts({ ...here, from: '2026-01-14', to: '2026-01-17' });
    expect(counted).toEqual([
      { day: '2026-01-14', ...quiet },
      { day: '2026-01-15', ...quiet, new: 1, active: 1, signIns: { ...none, device: 1 } },
      { day: '2026-01-16', ...quiet },
      { day: '2026-01-17', ...quiet, active: 1, signIns: { ...none, name: 1 } },
    ]);
    const other = await adminOf(service).counts({ ...here, environment: 2, from: '2026-01-14' });
    expect(other.every(({ active }) => active === 0)).toBe(true);
  });

  it("have a player's first refresh of a day", async () => {
    const service = createOperatedService();
    const { refreshToken } = await signInGuest(service);
    service.backend.control.advance(days(1));
    const refreshed = await post(service, '/v2/auth/refresh', { refresh_token: refreshToken });
    expect(refreshed.status).toBe(200);
    await post(service, '/v2/auth/refresh', { refresh_token: refreshed.body.refreshToken });
    const [last] = (await adminOf(service).counts(here)).slice(-1);
    expect(last).toEqual({ day: '2026-01-16', ...quiet, active: 1 });
  });

  it('have conflicts, and what was chosen', async () => {
    const service = createOperatedService();
    const { local, ticket } = await makeConflict(service);
    const choose = () =>
      post(
        service,
        '/v2/auth/conflict',
        { ticket, choice: 'local' },
        { token: local.accessToken, deviceId: 'device-two' },
      );
    expect([(await choose()).status, (await choose()).status]).toEqual([200, 200]);
    const [today] = (await adminOf(service).counts(here)).slice(-1);
    expect(today).toMatchObject({ new: 2, active: 2, conflicts: 1, choices: { local: 1, cloud: 0, merge: 0 } });
  });

  it('are of the last thirty days, where nobody says which', async () => {
    const service = createOperatedService();
    const reader = await operatorOf(service, 'read');
    const counted = await reader.counts(here);
    expect([counted.length, counted[0]?.day, counted.at(-1)?.day]).toEqual([30, '2025-12-17', '2026-01-15']);
    expect(await reader.counts({ ...here, from: '2024-02-28', to: '2024-03-01' })).toHaveLength(3);
  });

  it.each([
    ['from=2026-02-30', '"from" must be a day'],
    ['to=2026-1-1', '"to" must be a day'],
    ['to=1e9', '"to" must be a day'],
    ['from=2026-01-02&to=2026-01-01', 'not be after'],
    ['from=2026-01-16', 'not be after'],
    ['from=2024-01-01&to=2025-01-01', 'at most 366 days'],
  ])('are refused for %s', async (query, detail) => {
    const service = createOperatedService();
    const path = `/v2/admin/games/${testGameId}/counts?env=0&${query}`;
    const { status, body } = await send(service, path, { method: 'GET', token: testOperatorKey });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    expect(body.detail).toContain(detail);
  });

  it('are of a game and an environment that there are', async () => {
    const admin = adminOf(createOperatedService());
    await expect(admin.counts({ ...here, gameId: '00000000-0000-4000-8000-000000000000' })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(admin.counts({ ...here, environment: 3 as never })).rejects.toThrow(TypeError);
    await expect(admin.counts({ ...here, from: 5 as never })).rejects.toThrow(TypeError);
  });
});
