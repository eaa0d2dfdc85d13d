import { describe, expect, it } from 'vitest';
import { createRequests } from '../../src/client/requests.js';
import { createSender, type FetchLike } from '../../src/http/sender.js';
import { losingFirstAnswers, withoutLedger } from '../support/older-service.js';
import { createTestService, makeConflict, signInGuest, testGameId } from '../support/service.js';

function requestsOn(fetch: FetchLike) {
  const asked: Request[] = [];
  const send = createSender({
    backOffMs: () => 0,
    fetch: (request) => {
      asked.push(request.clone());
      return fetch(request);
    },
  });
  const base = 'http://saves.test';
  const settings = { gameId: testGameId, environment: 0, baseUrl: base, authUrl: base } as never;
  return { asked, requests: createRequests(settings, send) };
}

const names = (asked: readonly Request[]) => asked.map(({ headers }) => headers.get('idempotency-key'));
const name = { device: 'd', write: '1' };
const entry = { collection: 'progress', key: 'main', valueText: '{"n":1}', version: -1 };

describe('a write on the player’s wire', () => {
  async function onService(wrap: (fetch: FetchLike) => FetchLike = (fetch) => fetch) {
    const service = createTestService();
    const { accessToken: bearer } = await signInGuest(service);
    return { service, player: { bearer }, ...requestsOn(wrap(service.fetch)) };
  }

  it('counts once, with what stands beside the value', async () => {
    const { requests, player, asked } = await onService(losingFirstAnswers);
    expect(await requests.updateEntry({ ...entry, name, times: { n: 5 } }, player)).toEqual({ version: 0 });
    expect(await requests.updateEntry({ ...entry, version: 0, name: { ...name, write: '2' } }, player)).toEqual({
      version: 1,
    });
    expect(names(asked)).toEqual(['d:1', 'd:1', 'd:2', 'd:2']);
    expect(await requests.readCollection('progress', player)).toEqual([
      { key: 'main', value: { n: 1 }, version: 1, times: { n: 5 } },
    ]);
  });

  it('is a mismatch with what is stored, after a lost answer too, where another device wrote the very same', async () => {
    const { service, requests, player } = await onService();
    await requests.updateEntry({ ...entry, name: { device: 'other', write: '1' }, times: { n: 5 } }, player);
    service.backend.control.fail({ with: 'offline' });
    await expect(requests.updateEntry({ ...entry, name }, player)).rejects.toMatchObject({
      code: 'version_mismatch',
      carriedOut: false,
      currentVersion: 0,
      currentValue: { n: 1 },
      currentTimes: { n: 5 },
    });
  });

  it('keeps a snapshot once', async () => {
    const { requests, player } = await onService(losingFirstAnswers);
    const loser = { collection: 'progress', key: 'main', value: { n: 1 } };
    const { id } = await requests.addSnapshot(loser, name, player);
    expect(await requests.addSnapshot(loser, name, player)).toEqual({ id });
    expect((await requests.listSnapshots(player)).snapshots).toHaveLength(1);
  });

  it('is right on a service without a ledger as before', async () => {
    const { requests, player } = await onService((fetch) => losingFirstAnswers(withoutLedger(fetch)));
    expect(await requests.updateEntry({ ...entry, name }, player)).toEqual({ version: 0 });
    expect(await requests.updateEntry({ ...entry, valueText: '{"n":2}', version: 0, name }, player)).toEqual({
      version: 1,
    });
  });
});

describe('the name of a write', () => {
  const tokenOf = (claims: object) => `x.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;
  const answers: FetchLike = async (request) =>
    request.url.endsWith('/snapshots') ? Response.json({ id: 's' }) : Response.json({ version: 0 });

  it.each([
    ['is sent to a service that keeps a ledger', { sid: 's', wire: 2 }, true],
    ['is sent to a service that is newer', { sid: 's', wire: 3 }, true],
    ['is not sent to an earlier service of ours, whose CORS would refuse the header', { sid: 's' }, false],
    ['is sent to a service of another make', { sub: 'u' }, true],
  ])('%s: %j', async (_, claims, isSent) => {
    const { asked, requests } = requestsOn(answers);
    const player = { bearer: tokenOf(claims) };
    await requests.updateEntry({ ...entry, name, times: { n: 1 } }, player);
    await requests.addSnapshot({ collection: 'c', key: 'k', value: {} }, name, player);
    expect(names(asked)).toEqual(isSent ? ['d:1', 'd:1'] : [null, null]);
  });

  it('is sent with a token that is no JWT', async () => {
    const { asked, requests } = requestsOn(answers);
    await requests.updateEntry({ ...entry, name }, { bearer: 'opaque' });
    expect(names(asked)).toEqual(['d:1']);
  });
});

describe('the sides of a conflict', () => {
  it('have nothing merged where an earlier service does not say', async () => {
    const service = createTestService();
    const { ticket } = await makeConflict(service);
    const fields = { ticket, device_id: 'device-two' };
    const none = { local: [], cloud: [], merged: [] };
    expect(await requestsOn(service.fetch).requests.readConflictSides(fields)).toEqual(none);
    const older = requestsOn(async () => Response.json({ local: [], cloud: [] }));
    expect(await older.requests.readConflictSides(fields)).toEqual(none);
  });
});
