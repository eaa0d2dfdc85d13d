import { createClient } from 'savepoint';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEventStream } from '../../../src/cli/console/event-stream.js';
import { countedOf, createRequestNumbers } from '../../../src/cli/console/request-numbers.js';
import { demoGame } from '../../../src/cli/demo.js';
import { signRequest } from '../../../src/server/index.js';
import { testOperatorKey } from '../../support/operators.js';
import { type DevInProcess, startInProcess } from '../in-process.js';
import { type Listening, listen, openPage, pageFolder } from './page.js';
import { gameId, type ServedConsole, serveConsole } from './served-console.js';

const listening: Listening[] = [];

async function listenTo(url: string, headers: { [name: string]: string } = {}): Promise<Listening> {
  const one = await listen(url, headers);
  listening.push(one);
  return one;
}

afterEach(() => {
  for (const one of listening.splice(0)) one.close();
});

const secrets = ['correct horse', 'a-device-geheim', demoGame.privateKey, 'my-cookie-geheim', 'query-geheim'];

describe('the requests that the console of savepoint dev shows', () => {
  let started: DevInProcess;
  let url: string;

  beforeAll(async () => {
    started = await startInProcess(['dev', '--port', '0', '--json', '--seed-demo'], { consoleFolder: pageFolder() });
    url = started.ready.url;
  });
  afterAll(() => started.stop());

  function post(path: string, body: object, headers: { [name: string]: string } = {}): Promise<Response> {
    const json = { 'content-type': 'application/json', ...headers };
    return fetch(url + path, { method: 'POST', headers: json, body: JSON.stringify(body) });
  }
  const device = { game_id: demoGame.id, env: 0, device_id: 'a-device-geheim' };

  it('are whole, with all that was sent and answered, but for what is secret', async () => {
    const feed = await listenTo(url);
    expect([feed.status, feed.headers['content-type']]).toEqual([200, 'text/event-stream']);
    const own = { cookie: 'my-cookie-geheim', 'x-request-id': 'mine', 'user-agent': 'a-game' };
    const signedIn = await post(
      '/v2/auth/name?token=query-geheim',
      { ...device, username: 'ada', password: 'correct horse' },
      own,
    );
    const { accessToken, refreshToken, userId } = await signedIn.json();
    await expect.poll(() => feed.requests.length).toBe(1);
    const [request] = feed.requests;
    expect(request).toMatchObject({
      id: signedIn.headers.get('x-request-id'),
      method: 'POST',
      route: '/v2/auth/name',
      path: '/v2/auth/name?token=redacted',
      status: 200,
      code: null,
      game: demoGame.id,
      user: userId,
    });
    expect(Math.abs(request.time - Date.now())).toBeLessThan(60_000);
    expect(request.details.requestHeaders).toMatchObject({ cookie: '[redacted]', 'user-agent': 'a-game' });
    expect(JSON.parse(request.details.requestBody)).toMatchObject({
      username: 'ada',
      password: '[redacted]',
      device_id: '[redacted]',
    });
    expect(JSON.parse(request.details.responseBody)).toMatchObject({
      userId,
      accessToken: '[redacted]',
      refreshToken: '[redacted]',
    });
    expect(request.details.signature).toBeNull();
    for (const secret of [...secrets, accessToken, refreshToken]) expect(feed.text()).not.toContain(secret);
  });

  it('show no token of a header, and whose request it is', async () => {
    const { accessToken, userId } = await (await post('/v2/auth/guest', device)).json();
    const feed = await listenTo(url);
    const path = `/v2/cl/games/${demoGame.id}/collections/progress?env=0`;
    await fetch(url + path, { headers: { authorization: `Bearer ${accessToken}` } });
    await expect.poll(() => feed.requests.at(-1)?.path).toBe(path);
    expect(feed.requests.at(-1)).toMatchObject({ user: userId, details: { responseBody: '[]' } });
    expect(feed.requests.at(-1).details.requestHeaders.authorization).toBe('Bearer [redacted]');
    expect(feed.text()).not.toContain(accessToken);
  });

  it('show the code of a failure, and nothing of a body that is not JSON', async () => {
    const feed = await listenTo(url);
    await fetch(`${url}/v2/auth/name`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"password": "correct horse"',
    });
    await expect.poll(() => feed.requests.at(-1)?.code).toBe('invalid_json');
    const { details } = feed.requests.at(-1);
    expect(details.requestBody).toBe('[28 characters that are not JSON]');
    expect(JSON.parse(details.responseBody)).toMatchObject({ code: 'invalid_json', status: 400 });
    expect(feed.text()).not.toContain('correct horse');
  });

  it('say how long a body was that the service has not read', async () => {
    const feed = await listenTo(url);
    await post('/v2/nowhere', { text: 'of an unknown route' });
    await expect.poll(() => feed.requests.at(-1)?.path).toBe('/v2/nowhere');
    const { length } = JSON.stringify({ text: 'of an unknown route' });
    expect(feed.requests.at(-1).details).toMatchObject({ requestBody: null, unreadBytes: length });
    await post('/v2/auth/guest', device);
    await expect.poll(() => feed.requests.at(-1)?.path).toBe('/v2/auth/guest');
    expect(feed.requests.at(-1).details.unreadBytes).toBeUndefined();
    await fetch(`${url}/v2/nowhere-else`);
    await expect.poll(() => feed.requests.at(-1)?.path).toBe('/v2/nowhere-else');
    expect(feed.requests.at(-1).details.unreadBytes).toBeUndefined();
  });

  it('cut a long body, and say so', async () => {
    const feed = await listenTo(url);
    const { accessToken } = await (await post('/v2/auth/guest', device)).json();
    await fetch(`${url}/v2/cl/games/${demoGame.id}/collections/long/main?env=0`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
      body: JSON.stringify({ value: { text: 'x'.repeat(40_000) }, version: -1 }),
    });
    await expect.poll(() => feed.requests.at(-1)?.method).toBe('PATCH');
    const { requestBody } = feed.requests.at(-1).details;
    expect(requestBody.length).toBeLessThan(17_000);
    expect(requestBody).toMatch(/x \[cut: 40\d\d\d characters\]$/);
  });

  it('keep nobody busy with what looks like many tokens', async () => {
    const feed = await listenTo(url);
    await post('/v2/auth/guest', { a: '-eyJ'.repeat(60_000) });
    await expect.poll(() => feed.text()).toContain('-eyJ-eyJ');
  });

  it('explain a signed request, and show of its signature the beginning alone', async () => {
    const feed = await listenTo(url);
    const body = JSON.stringify({
      game_id: demoGame.id,
      env: 0,
      custom_user_id: 'of-my-own',
      device_id: 'a-device-geheim',
    });
    const { headers } = await signRequest({ body, privateKey: demoGame.privateKey });
    const send = (text: string) =>
      fetch(`${url}/v2/auth/server`, {
        method: 'POST',
        headers,
        body: text,
      });
    expect((await send(body)).status).toBe(200);
    await send(body);
    await send(body.replace('{', '{ '));
    const statuses = () => feed.requests.slice(-3).map(({ code }) => code);
    await expect.poll(statuses).toEqual([null, 'nonce_reused', 'invalid_signature']);
    const all = { timestamp: 'ok', nonce: 'ok', body: 'ok', key: 'ok' };
    expect(feed.requests.slice(-3).map(({ details }) => details.signature)).toMatchObject([
      { ...all, why: 'All is as it should be.' },
      { ...all, nonce: 'reused', why: expect.stringContaining('used before') },
      { ...all, body: 'changed', why: expect.stringContaining('sign exactly the bytes') },
    ]);
    const signature = String(Object.entries(headers).find(([name]) => name === 'Service-Signature')?.[1]);
    expect(feed.requests.at(-1).details.requestHeaders['service-signature']).toBe(`${signature.slice(0, 8)}…`);
    for (const secret of [...secrets, signature, 'of-my-own']) expect(feed.text()).not.toContain(secret);
  });

  it('begin with those that were before, and after a lost connection with those that were missed', async () => {
    await post('/v2/auth/guest', device);
    const first = await listenTo(url);
    await expect.poll(() => first.requests.length).toBeGreaterThan(0);
    const last = first.requests.at(-1).id;
    await post('/v2/auth/guest', device);
    const again = await listenTo(url, { 'last-event-id': last });
    await expect.poll(() => again.requests.map(({ method }) => method)).toEqual(['POST']);
    expect(again.requests[0].id).not.toBe(last);
  });

  it('are not those that the console or the program sends itself', async () => {
    const feed = await listenTo(url);
    await expect.poll(() => feed.text()).toContain('retry:');
    await openPage(url).ask('api/v2/admin/games');
    await post('/v2/auth/guest', device);
    await expect.poll(() => feed.requests.at(-1)?.route).toBe('/v2/auth/guest');
    expect(feed.text()).not.toContain('/v2/admin/games');
    expect(started.err()).not.toContain('/v2/admin/games');
  });

  it('show no settings of a platform, of which some are secrets', async () => {
    const options = { consoleFolder: pageFolder(), env: { SAVEPOINT_OPERATOR_KEY: testOperatorKey } };
    const own = await startInProcess(['dev', '--port', '0', '--json'], options);
    const feed = await listenTo(own.ready.url);
    const settings = { clientId: '159799960412356608', accepts: 'code', clientSecret: 'hunter2hunter2' };
    const put = await fetch(`${own.ready.url}/v2/admin/games/${demoGame.id}/platforms/d1?env=0`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testOperatorKey}` },
      body: JSON.stringify({ preset: 'discord', settings, isOn: true, version: 0 }),
    });
    await expect.poll(() => feed.requests.at(-1)?.method).toBe('PUT');
    expect(feed.text()).not.toMatch(/hunter2/);
    expect([put.status, feed.requests.at(-1).details.requestBody]).toEqual([200, '[settings of a platform]']);
    feed.close();
    await own.stop();
  });

  it('are for no other page', async () => {
    expect((await listenTo(url, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await listenTo(url, { host: 'evil.example' })).status).toBe(403);
  });

  it("are a real SDK client's too, and counted", async () => {
    const client = createClient({ gameId: demoGame.id, environment: 0, baseUrl: url });
    expect(await client.init()).toMatchObject({ success: true });
    await client.profile.collection('progress').load();
    const overview = (await openPage(url).ask('overview')).json();
    expect(overview).toMatchObject({
      storeKind: 'memory',
      storeBytes: null,
      processes: { told: 1, of: 1 },
      version: '1.2.3',
    });
    expect(overview.memoryBytes).toBeGreaterThan(1_000_000);
    expect(overview.uptimeMs).toBeGreaterThan(0);
    expect(overview.players[demoGame.id]).toBeGreaterThan(0);
    const { count, time } = overview.requests.at(-1);
    expect([count > 0, time % 10_000]).toEqual([true, 0]);
    client.dispose();
  });
});

describe('the requests that the console of savepoint serve shows', () => {
  let served: ServedConsole;
  let cookie: string;

  beforeAll(async () => {
    served = await serveConsole();
    const page = openPage(served.url);
    await page.signIn(testOperatorKey);
    cookie = page.cookie() ?? '';
  });
  afterAll(() => served.close());

  const guest = (device: string) =>
    fetch(`${served.url}/v2/auth/guest?secret=geheim`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game_id: gameId, env: 0, device_id: device }),
    });

  it('are for operators alone', async () => {
    expect((await listenTo(served.url)).status).toBe(401);
  });

  it('are some of those that come, with nothing of what was in them', async () => {
    const feed = await listenTo(served.url, { cookie });
    const answers = await Promise.all(Array.from({ length: 30 }, (_, index) => guest(`device-geheim-${index}`)));
    const { userId } = await (answers[0] as Response).json();
    served.advance(1_000);
    await guest('device-geheim-later');
    await expect.poll(() => feed.requests.length).toBe(21);
    expect(feed.requests[0]).toEqual({
      id: expect.any(String),
      time: expect.any(Number),
      method: 'POST',
      route: '/v2/auth/guest',
      path: '/v2/auth/guest',
      status: 200,
      code: null,
      ms: 0,
      game: gameId,
      user: expect.stringMatching(/^.{16}$/),
      details: null,
    });
    expect(feed.text()).not.toContain('geheim');
    expect(feed.text()).not.toContain(userId);
    expect((await openPage(served.url, { cookie }).ask('overview')).json().requests.at(-1)).toMatchObject({
      count: 31,
      errors: 0,
    });
  });

  it('end with the key of whoever listens', async () => {
    const admin = openPage(served.url);
    await admin.signIn(testOperatorKey);
    const made = await admin.change('api/v2/admin/keys', { method: 'POST', body: { name: 'grace', scope: 'read' } });
    const page = openPage(served.url);
    await page.signIn(made.json().key);
    const [mine, others] = [
      await listenTo(served.url, { cookie: page.cookie() ?? '' }),
      await listenTo(served.url, { cookie }),
    ];
    await served.watch.beat();
    await expect.poll(() => mine.text()).toContain(': still here');
    await admin.change(`api/v2/admin/keys/${made.json().id}`, { method: 'DELETE' });
    await served.watch.beat();
    await mine.ended;
    await served.watch.beat();
    await expect.poll(() => others.text().match(/still here/g)?.length).toBe(3);
  });

  it('are shown to sixteen at once, and to another one as soon as one has gone', async () => {
    const own = await serveConsole();
    const page = openPage(own.url);
    await page.signIn(testOperatorKey);
    const open = () => listenTo(own.url, { cookie: page.cookie() ?? '' });
    const statuses: number[] = [];
    for (let opened = 0; opened < 17; opened += 1) statuses.push((await open()).status);
    expect(statuses).toEqual([...Array(16).fill(200), 503]);
    // Its socket is reset, and nothing is written to it that would show that it is gone.
    listening[0]?.close();
    await expect.poll(async () => (await open()).status, { timeout: 10_000 }).toBe(200);
    await own.close();
  });
});

describe('createEventStream', () => {
  const limits = { remembered: { events: 3, bytes: 10_000 }, waitingBytes: 2_000, listeners: 2 };
  const event = (id: string, size = 1) => ({ id, data: { text: 'x'.repeat(size) } });
  const allowed = { after: null, isAllowed: async () => true };
  const idsOf = (text: string) => [...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => id);

  it('lets one go who reads nothing, and keeps what waits for the others', async () => {
    const stream = createEventStream(limits);
    const slow = stream.listen(allowed);
    const quick = stream.listen(allowed);
    const reader = (quick.body as ReadableStream<Uint8Array>).getReader();
    const read = async () => new TextDecoder().decode((await reader.read()).value);
    expect(await read()).toContain('retry');
    for (let sent = 0; sent < 4; sent += 1) {
      stream.publish(event(`e${sent}`, 1_000));
      expect(idsOf(await read())).toEqual([`e${sent}`]);
    }
    await expect(slow.text()).rejects.toThrow('slow');
    // There is room for another one.
    expect(stream.listen(allowed).status).toBe(200);
  });

  it('remembers so many events and so many bytes', async () => {
    const stream = createEventStream(limits);
    for (const id of ['a', 'b', 'c', 'd']) stream.publish(event(id));
    const whole = async () => {
      const response = stream.listen(allowed);
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const texts = [];
      for (let pieces = 0; pieces < 4; pieces += 1) {
        const next = await Promise.race([reader.read(), new Promise<null>((resolve) => setImmediate(resolve, null))]);
        if (next !== null) texts.push(new TextDecoder().decode(next.value));
      }
      await reader.cancel();
      return idsOf(texts.join(''));
    };
    expect(await whole()).toEqual(['b', 'c', 'd']);
    stream.publish(event('large', 9_940));
    expect(await whole()).toEqual(['large']);
  });

  it('is for so many at once, and says which limit that is', () => {
    const stream = createEventStream(limits);
    for (let listener = 0; listener < 2; listener += 1) stream.listen(allowed);
    const details: unknown = expect.objectContaining({ limitName: 'console.streamListeners' });
    const refusal = { code: 'unavailable', details };
    expect(() => stream.listen(allowed)).toThrow(expect.objectContaining(refusal));
  });

  it('begins nothing once it has ended', async () => {
    const stream = createEventStream(limits);
    const one = stream.listen(allowed);
    stream.end();
    expect(await one.text()).toBe('retry: 2000\n\n');
    expect(() => stream.listen(allowed)).toThrow();
  });
});

describe('createRequestNumbers', () => {
  it('counts by ten seconds, with the errors and how long it took', () => {
    let time = 1_000_000_000_000;
    const numbers = createRequestNumbers(() => time);
    for (let ms = 1; ms <= 100; ms += 1) numbers.take({ status: ms > 98 ? 503 : 200, ms });
    numbers.take({ status: null, ms: 12_345 });
    time += 10_000;
    numbers.take({ status: 404, ms: 7 });
    expect(countedOf([numbers.steps()])).toEqual([
      { time: 1_000_000_000_000, count: 101, errors: 3, p50: 51, p99: 100 },
      { time: 1_000_000_010_000, count: 1, errors: 0, p50: 7, p99: 7 },
    ]);
  });

  it('forgets what was more than half an hour ago, also when nobody asks any more', () => {
    let time = 1_000_000_000_000;
    const numbers = createRequestNumbers(() => time);
    numbers.take({ status: 200, ms: 1 });
    time += 29 * 60_000;
    numbers.take({ status: 200, ms: 1 });
    expect(countedOf([numbers.steps()])).toHaveLength(2);
    time += 60_000;
    expect(countedOf([numbers.steps()])).toHaveLength(1);
    time += 60 * 60_000;
    expect(countedOf([numbers.steps()])).toEqual([]);
  });

  it('adds up those of several processes', () => {
    const step = (time: number, errors: number, ...durations: [number, number][]) => ({ time, errors, durations });
    const one = [step(10_000, 0, [3, 98]), step(20_000, 1, [5, 1])];
    const other = [step(0, 0, [1, 1]), step(10_000, 2, [3, 1], [900, 2])];
    expect(countedOf([one, other])).toEqual([
      { time: 0, count: 1, errors: 0, p50: 1, p99: 1 },
      { time: 10_000, count: 101, errors: 2, p50: 3, p99: 900 },
      { time: 20_000, count: 1, errors: 1, p50: 5, p99: 5 },
    ]);
  });
});
