import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type NetworkOptions, network, platformPresets } from 'savepoint/backend/platforms';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';

const preset = platformPresets.find(({ name }) => name === 'network') as (typeof platformPresets)[number];
const context = { gameId: testGameId, environment: 0 as const, now: testStart };
const paths = { playerPath: 'data.users.0.id', appPath: 'data.app', appId: 'my-app' };
const rightAnswer = { data: { app: 'my-app', users: [{ id: 'ada' }] } };

/** A real server on a loopback port, which keeps what it was asked. */
let server: Server;
let address: string;
let asked: { method: string; url: string; headers: IncomingMessage['headers']; body: string }[];
let respond: (response: ServerResponse) => void;

const answer =
  (value: unknown, status = 200) =>
  (response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  };

beforeEach(async () => {
  asked = [];
  respond = answer(rightAnswer);
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      asked.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      respond(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/tokens?v=2`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = (changed: Partial<NetworkOptions> = {}) => network({ address, ...paths, ...changed });

const failure = async (token = 'a-token') => {
  const { player, steps } = await preset.create({ address, ...paths }, {}).explain(token, context);
  expect(player).toBeNull();
  return steps.find(({ result }) => result === 'failed');
};

describe('the preset of a network, over a real connection', () => {
  it('sends the token in each of five ways', async () => {
    const token = 'a+token/with=signs&more';
    const ways: Partial<NetworkOptions>[] = [
      {},
      { sendAs: 'header', parameter: 'X-Player-Token', authorization: 'Basic eDp5' },
      { sendAs: 'header', parameter: 'authorization' },
      { sendAs: 'query', parameter: 'access_token' },
      { sendAs: 'form', authorization: 'Basic eDp5' },
      { sendAs: 'json', parameter: '__proto__' },
    ];
    for (const way of ways) expect(await open(way)(token, context)).toEqual({ id: 'ada' });
    const sent = asked.map(({ method, url, headers, body }) => [
      `${method} ${url}`,
      headers.authorization ?? '',
      headers['x-player-token'] ?? '',
      headers['content-type'] ?? '',
      body,
    ]);
    const form = 'application/x-www-form-urlencoded;charset=UTF-8';
    expect(sent).toEqual([
      ['GET /tokens?v=2', `Bearer ${token}`, '', '', ''],
      ['GET /tokens?v=2', 'Basic eDp5', token, '', ''],
      ['GET /tokens?v=2', token, '', '', ''],
      ['GET /tokens?v=2&access_token=a%2Btoken%2Fwith%3Dsigns%26more', '', '', '', ''],
      ['POST /tokens?v=2', 'Basic eDp5', '', form, 'token=a%2Btoken%2Fwith%3Dsigns%26more'],
      ['POST /tokens?v=2', '', '', 'application/json', `{"__proto__":"${token}"}`],
    ]);
  });

  it('sends nothing that could be a second header or a second parameter', async () => {
    const token = 'x\r\nX-Admin: 1&access_token=other';
    expect(await open()(token, context)).toBeNull();
    expect(await open({ sendAs: 'header', parameter: 'X-Token' })(token, context)).toBeNull();
    expect(asked).toEqual([]);
    await open({ sendAs: 'query', parameter: 'access_token' })(token, context);
    await open({ sendAs: 'form' })(token, context);
    await open({ sendAs: 'json' })(token, context);
    expect(new URL(asked[0]?.url ?? '', address).searchParams.getAll('access_token')).toEqual([token]);
    expect([...new URLSearchParams(asked[1]?.body)]).toEqual([['token', token]]);
    expect(JSON.parse(asked[2]?.body ?? '')).toEqual({ token });
  });

  it.each<[string, unknown, string]>([
    ['another app', { data: { app: 'another', users: [{ id: 'ada' }] } }, 'this app'],
    ['no app', { data: { users: [{ id: 'ada' }] } }, 'this app'],
    ['a token that is not active', { active: false }, 'holds now'],
    ['an app by an object', { data: { app: { id: 'my-app' } } }, 'this app'],
    ['nobody', { data: { app: 'my-app', users: [] } }, 'the player'],
    ['an empty id', { data: { app: 'my-app', users: [{ id: '' }] } }, 'the player'],
    ['an id that JSON rounds', { data: { app: 'my-app', users: [{ id: 2 ** 53 + 2 }] } }, 'the player'],
    ['an id that is no text', { data: { app: 'my-app', users: [{ id: true }] } }, 'the player'],
    ['nothing', null, 'this app'],
    ['a text', 'my-app', 'this app'],
  ])('refuses a token where the answer names %s', async (_, value, step) => {
    respond = answer(value);
    expect(await open()('a-token', context)).toBeNull();
    expect((await failure())?.step).toContain(step);
  });

  const now = testStart / 1000;
  it.each<[string, object]>([
    ['is not active', { active: false }],
    ['is active in other words than RFC 7662 has', { active: 'true' }],
    ['is active, nobody knows', { active: null }],
    ['has expired', { active: true, exp: now - 61 }],
    ['has expired, of a network that says nothing else', { exp: now - 61 }],
    ['has expired, in digits', { active: true, exp: `${now - 61}` }],
    ['expires at a time that is none', { active: true, exp: 'tomorrow' }],
    ['expires at nothing', { active: true, exp: '' }],
    ['has expired since long ago', { active: true, exp: 0 }],
    ['is of the future', { active: true, nbf: now + 61 }],
  ])('refuses a token that %s, although app and player are right', async (_, said) => {
    respond = answer({ ...rightAnswer, ...said });
    expect(await open()('a-token', context)).toBeNull();
    expect((await failure())?.step).toContain('holds now');
  });

  it.each<[string, object]>([
    ['says that it is active', { active: true }],
    ['says until when', { active: true, exp: now + 1, nbf: now - 1 }],
    ['says so in digits', { exp: `${now + 1}` }],
    ['has a clock that is a minute off', { active: true, exp: now - 59, nbf: now + 59 }],
    ['leaves a time empty', { active: true, exp: null, nbf: null }],
    ['follows no RFC, and tells of experience by a number', { exp: 1_200 }],
    ['follows no RFC, and tells of experience by a word', { exp: 'veteran', nbf: true }],
  ])('accepts a token of a network that %s', async (_, said) => {
    respond = answer({ ...rightAnswer, ...said });
    expect(await open()('a-token', context)).toEqual({ id: 'ada' });
  });

  it('compares no number that JSON has rounded with the id of the app', async () => {
    respond = (response) => response.end('{"data":{"app":9007199254740993,"users":[{"id":17}]}}');
    expect(await open({ appId: '9007199254740992' })('a-token', context)).toBeNull();
    expect(await open({ appId: '9007199254740993' })('a-token', context)).toBeNull();
    respond = (response) => response.end('{"data":{"app":900719925474099,"users":[{"id":17}]}}');
    expect(await open({ appId: '900719925474099' })('a-token', context)).toEqual({ id: '17' });
  });

  it('looks only at what the answer has itself', async () => {
    respond = answer({});
    expect(await open({ appPath: 'constructor.name', appId: 'Object' })('a-token', context)).toBeNull();
    respond = answer('my-app');
    expect(await open({ appPath: 'length', appId: '6' })('a-token', context)).toBeNull();
    respond = (response) =>
      response.end(`{"data":{"app":"my-app","users":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`);
    expect((await failure())?.step).toContain('the player');
  });

  it('refuses by the statuses that say so, and by no other', async () => {
    for (const status of [400, 401, 403]) {
      respond = answer({}, status);
      expect(await open()('a-token', context)).toBeNull();
    }
    respond = answer({}, 404);
    await expect(open()('a-token', context)).rejects.toThrow('The answer (404) is a refusal.');
    expect(await open({ refusals: ['404', '410'] })('a-token', context)).toBeNull();
    respond = answer({}, 401);
    await expect(open({ refusals: '404' })('a-token', context)).rejects.toThrow('The answer (401) is a refusal.');
  });

  it.each<[string, (response: ServerResponse) => void, string]>([
    ['fails', (response) => response.writeHead(500).end('a-token'), '(500) is a refusal'],
    ['leads elsewhere', (response) => response.writeHead(302, { location: address }).end(), '(302) leads elsewhere'],
    ['answers with a page', (response) => response.end('<!doctype html>a-token'), 'is not JSON'],
    ['answers too much', (response) => response.end(`"${'x'.repeat(300_000)}"`), 'is too large'],
    ['hangs', () => {}, 'No answer came'],
    ['hangs in the middle', (response) => response.writeHead(200).write('{"data":'), 'No answer came'],
    ['hangs up', (response) => response.destroy(), 'No answer came'],
    [
      'hangs up in the middle',
      (response) => response.writeHead(200, { 'content-length': '9' }).write('{', () => response.destroy()),
      'No answer came',
    ],
  ])('does not call a token wrong where the network %s', async (what, trouble, why) => {
    respond = trouble;
    const check = preset.create({ address, ...paths }, what.startsWith('hangs') ? { timeoutMs: 200 } : {});
    const error = await check.verify('a-token', context).catch((thrown: Error) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).toContain(why);
    expect(`${(error as Error).stack}`).not.toContain('a-token');
    expect(asked.length).toBeLessThanOrEqual(1);
    const { steps } = await check.explain('a-token', context);
    expect(steps.map(({ result }) => result)).toEqual([
      'passed',
      'failed',
      'not_reached',
      'not_reached',
      'not_reached',
    ]);
  });

  it.each<[string, object]>([
    ['parameter', { sendAs: 'header' }],
    ['parameter', { sendAs: 'header', parameter: 'X Token' }],
    ['parameter', { sendAs: 'header', parameter: 'X:Token' }],
    ['parameter', { sendAs: 'header', parameter: 'Host' }],
    ['parameter', { sendAs: 'header', parameter: 'content-length' }],
    ['authorization', { authorization: 'Basic x' }],
    ['authorization', { sendAs: 'header', parameter: 'Authorization', authorization: 'Basic x' }],
    ['authorization', { sendAs: 'form', authorization: 'Basic x\r\nHost: y' }],
    ['playerPath', { playerPath: 'data..id' }],
    ['appPath', { appPath: '.' }],
    ['refusals', { refusals: ['200'] }],
    ['refusals', { refusals: ['4xx'] }],
    ['address', { address: 'http://network.example/' }],
  ])('names %s where it is wrong: %j', (option, changed) => {
    expect(() => open(changed)).toThrow(new RegExp(`^${option} must be`));
  });
});
