import type { LogRecord } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { newSigningKey } from '../../src/cli/new-key.js';
import { pathOf } from '../../src/protocol/addresses.js';
import { operations } from '../../src/protocol/operations.js';
import { adminOf, createOperatedService, here, testOperatorKey } from '../support/operators.js';
import {
  createTestService,
  post,
  send,
  signedRequest,
  signInGuest,
  type TestService,
  testGameId,
  useName,
  writeEntry,
} from '../support/service.js';

type Options = NonNullable<Parameters<typeof createTestService>[0]>;
type RequestLine = Extract<LogRecord, { kind: 'request' }>;

/** A service, and the lines of its log that are of requests. */
function logged(options: Options = {}): { service: TestService; lines: RequestLine[]; last(): RequestLine } {
  const lines: RequestLine[] = [];
  const log = (record: LogRecord) => void (record.kind === 'request' && lines.push(record));
  const service = createTestService({ ...options, log });
  return { service, lines, last: () => lines.at(-1) as RequestLine };
}

const proxy = '10.0.0.1';
const givenId = '7f2b.edge-3_x';

describe('a line of the log', () => {
  it('names the game, and the player by one name through all of its requests', async () => {
    const { service, lines } = logged();
    const ada = await signInGuest(service, 'device-one');
    await useName(service, { username: 'ada', password: 'correct horse' }, { token: ada.accessToken });
    await writeEntry(service, ada);
    await post(service, operations.refreshSession.path, { refresh_token: ada.refreshToken });
    const path = pathOf(operations.readUserUsage, { game: testGameId.toUpperCase(), user: ada.userId.toUpperCase() });
    await send(service, `${path}?env=0`, { token: service.privateKey });
    await signInGuest(service, 'device-two');
    expect(lines.map(({ status, game }) => [status, game])).toEqual(Array(6).fill([200, testGameId]));
    const names = lines.map(({ user }) => user);
    expect(new Set(names.slice(0, 5)).size).toBe(1);
    expect(names[0]).toMatch(/^[\w-]{16}$/);
    expect(names[5]).not.toBe(names[0]);
    expect(JSON.stringify(lines)).not.toContain(ada.userId);
  });

  it('names the player as operators are shown it', async () => {
    const { service, lines } = logged({ operatorKey: testOperatorKey });
    const { userId } = await signInGuest(service);
    const [{ user } = { user: null }] = lines;
    expect(await adminOf(service).players(here).get(userId)).toMatchObject({ logName: user });
    const unwatched = createOperatedService();
    const nobodys = await adminOf(unwatched)
      .players(here)
      .get((await signInGuest(unwatched)).userId);
    expect(nobodys).not.toHaveProperty('logName');
  });

  it('names the game and the player of whom an operator asks, and neither without a key', async () => {
    const { service, last } = logged({ operatorKey: testOperatorKey });
    const { userId } = await signInGuest(service);
    const { user } = last();
    await adminOf(service).players(here).signOut(userId);
    expect(last()).toMatchObject({ status: 204, game: testGameId, user });
    const path = pathOf(operations.readPlayer, { game: testGameId.toUpperCase(), user: userId });
    await send(service, `${path}?env=0`, { token: 'wrong-key' });
    expect(last()).toMatchObject({ code: 'unauthorized', game: null, user: null });
  });

  it("names the player of a game's signed request", async () => {
    const { service, last } = logged();
    await service.backend.fetch(await signedRequest(service));
    expect(last()).toMatchObject({ status: 200, game: testGameId, user: expect.stringMatching(/^[\w-]{16}$/) });
  });

  it('names nobody where no credential was right, and no game that there is none of', async () => {
    const { service, last } = logged();
    const owner = await signInGuest(service);
    await useName(service, { username: 'ada', password: 'correct horse' }, { token: owner.accessToken });
    await post(service, operations.signInWithName.path, { username: 'ada', password: 'wrong horse' });
    expect(last()).toMatchObject({ code: 'invalid_credentials', game: testGameId, user: null });
    const path = pathOf(operations.readUserUsage, { game: testGameId, user: owner.userId });
    await send(service, `${path}?env=0`, { token: 'wrong-key' });
    expect(last()).toMatchObject({ code: 'unauthorized', game: null, user: null });
    const other = pathOf(operations.readCollection, {
      game: '9'.repeat(8) + testGameId.slice(8),
      collection: 'progress',
    });
    await send(service, `${other}?env=0`, { token: owner.accessToken });
    expect(last()).toMatchObject({ route: operations.readCollection.path, game: null });
  });

  it('names the player of an access token whose session has ended', async () => {
    const { service, lines, last } = logged();
    const ada = await signInGuest(service);
    await post(
      service,
      operations.signOut.path,
      { everywhere: true, refresh_token: ada.refreshToken },
      { token: ada.accessToken },
    );
    await writeEntry(service, ada);
    expect(last()).toMatchObject({ code: 'unauthorized', user: lines[0]?.user });
  });

  it('has other names under another signing key, and the same in each process that has this one', async () => {
    const [one, other] = await Promise.all([newSigningKey(), newSigningKey()]);
    const names = [];
    for (const signingKey of [one, one, other]) {
      const { service, last } = logged({ signingKey: signingKey as NonNullable<Options['signingKey']> });
      const path = pathOf(operations.readUserUsage, { game: testGameId, user: 'a23e4567-e89b-42d3-a456-426614174000' });
      await send(service, `${path}?env=0`, { token: service.privateKey });
      names.push(last().user);
    }
    expect(names[0]).toMatch(/^[\w-]{16}$/);
    expect(names[1]).toBe(names[0]);
    expect(names[2]).not.toBe(names[0]);
  });
});

describe("a request's id", () => {
  const ask = async (id: string, { address, ...options }: Options & { address?: string } = {}) => {
    const { service, last } = logged({ trustedProxies: [proxy], ...options });
    const request = new Request(`${service.baseUrl}/v2/nothing`, { headers: { 'x-request-id': id } });
    const response = await service.backend.fetch(request, address === undefined ? {} : { address });
    const { requestId } = await response.json();
    expect([response.headers.get('x-request-id'), last().requestId]).toEqual([requestId, requestId]);
    return requestId;
  };

  it('is the one that a trusted proxy has given it', async () => {
    expect(await ask(givenId, { address: proxy })).toBe(givenId);
    expect(await ask('a'.repeat(64), { address: proxy })).toBe('a'.repeat(64));
  });

  it.each([
    ['a player sends it', givenId, '203.0.113.7'],
    ['nobody knows who sends it', givenId, undefined],
    ['it is empty', '', proxy],
    ['it is too long', 'a'.repeat(65), proxy],
    ['it comes twice', `${givenId}, ${givenId}`, proxy],
    ['it would begin another line', `${givenId}%0a{"level":"info"}`, proxy],
    ['it would end a text', '"}', proxy],
    ['it is no plain text', 'é', proxy],
  ])('is our own where %s', async (_, id, address) => {
    expect(await ask(id, address === undefined ? {} : { address })).toMatch(/^[\da-f-]{36}$/);
  });
});
