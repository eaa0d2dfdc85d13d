import { getEventListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { SdkError } from '../../src/errors.js';
import { isRefusedConnection } from '../../src/http/refused-connection.js';
import { createSender, type SenderOptions } from '../../src/http/sender.js';
import { checkUpdateAnswer } from '../../src/protocol/answer-checks.js';

const secret = 'the-private-key-0123456789';
const servers: Server[] = [];

afterEach(async () => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server on a port of this machine, and a sender that does not wait between tries. */
async function start(answer: (request: IncomingMessage, response: ServerResponse, index: number) => void) {
  const asked: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    asked.push(request);
    request.resume();
    answer(request, response, asked.length);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/entry`;
  const send = (more: Partial<Parameters<ReturnType<typeof createSender>>[0]> = {}, options: SenderOptions = {}) =>
    createSender({ backOffMs: () => 0, wasRefused: isRefusedConnection, ...options })({
      method: 'PATCH',
      url,
      headers: { Authorization: `Bearer ${secret}` },
      body: '{"value":{},"version":0}',
      answer: checkUpdateAnswer,
      ...more,
    });
  return { asked, server, url, send };
}

const done = (response: ServerResponse): void => void response.end('{"version":1}');

function throwSecret(): never {
  throw new Error(secret);
}

/** Loads the sender as a browser does that is older than `AbortSignal.any`. */
async function withoutSignalAny(work: (createOldSender: typeof createSender) => Promise<void>): Promise<void> {
  const { any } = AbortSignal;
  Reflect.deleteProperty(AbortSignal, 'any');
  vi.resetModules();
  try {
    await work((await import('../../src/http/sender.js')).createSender);
  } finally {
    Object.defineProperty(AbortSignal, 'any', { value: any, configurable: true, writable: true });
    vi.resetModules();
  }
}

async function failureOf(work: Promise<unknown>): Promise<SdkError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(secret);
  return error as SdkError;
}

describe('a request to a real server', () => {
  it('ends a try by its time-out while the headers are awaited, and tries again', async () => {
    const { asked, send } = await start((_, response, index) => void (index > 1 && done(response)));
    await expect(send({}, { timeoutMs: 400 })).resolves.toEqual({ version: 1 });
    expect(asked).toHaveLength(2);
  });

  it('ends a try by its time-out in the middle of the body, and tries again', async () => {
    const { asked, send } = await start((_, response, index) => {
      if (index === 1) response.write('{"vers');
      else done(response);
    });
    await expect(send({}, { timeoutMs: 400 })).resolves.toEqual({ version: 1 });
    expect(asked).toHaveLength(2);
  });

  it('closes the connection of a try that took too long', async () => {
    const closed: Promise<void>[] = [];
    const { send } = await start((request, response, index) => {
      closed.push(new Promise((resolve) => request.socket.once('close', () => resolve())));
      if (index > 1) done(response);
    });
    await send({}, { timeoutMs: 100 });
    await closed[0];
  });

  it('is sent again after a connection that was reset', async () => {
    const { asked, send } = await start((request, response, index) => {
      if (index === 1) request.socket.destroy();
      else done(response);
    });
    await expect(send()).resolves.toEqual({ version: 1 });
    expect(asked).toHaveLength(2);
  });

  it('is aborted at any moment: before, while it runs, and in the pause between two tries', async () => {
    const { asked, send } = await start((_, response) => {
      response.statusCode = 503;
      response.setHeader('Retry-After', '20');
      response.end();
    });
    const before = AbortSignal.abort();
    expect(await failureOf(send({ signal: before }))).toMatchObject({ code: 'aborted' });
    expect(asked).toHaveLength(0);
    const controller = new AbortController();
    const failure = failureOf(send({ signal: controller.signal }));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    controller.abort(new Error(secret));
    expect(await failure).toMatchObject({ code: 'aborted' });
  });

  it('follows no redirect, and hands the token to nobody else', async () => {
    const other = await start((_, response) => done(response));
    const { send } = await start((_, response) => {
      response.writeHead(307, { Location: other.url });
      response.end();
    });
    expect(await failureOf(send())).toMatchObject({ code: 'network' });
    expect(other.asked).toHaveLength(0);
  });

  it('asks for new headers at each try', async () => {
    let tries = 0;
    const { asked, send } = await start((_, response, index) => {
      if (index < 3) response.statusCode = 503;
      done(response);
    });
    await send({ headers: async () => ({ 'X-Try': `${++tries}` }) });
    expect(asked.map(({ headers }) => headers['x-try'])).toEqual(['1', '2', '3']);
  });

  it.each([
    ['that stands in the call', { Authorization: `Bearer ${secret}\nX-Other: 1` }],
    ['that a function gives', async () => ({ Authorization: `Bearer ${secret}\nX-Other: 1` })],
  ])('refuses a header that cannot be sent, once, without showing it: one %s', async (_, headers) => {
    const { asked, send } = await start((_, response) => done(response));
    const error = await failureOf(send({ headers }));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(
      'the header Authorization cannot be sent: its value has characters that no header can carry',
    );
    expect(asked).toHaveLength(0);
  });

  it('works where AbortSignal.any is missing: time-out, abort, repeats', async () => {
    await withoutSignalAny(async (createOldSender) => {
      const { asked, url } = await start((_, response, index) => void (index === 2 && done(response)));
      const send = createOldSender({ timeoutMs: 100, backOffMs: () => 0 });
      const call = { method: 'GET', url, answer: checkUpdateAnswer } as const;
      await expect(send(call)).resolves.toEqual({ version: 1 });
      const controller = new AbortController();
      const aborted = failureOf(send({ ...call, signal: controller.signal }));
      await vi.waitFor(() => expect(asked).toHaveLength(3));
      controller.abort();
      expect(await aborted).toMatchObject({ code: 'aborted' });
    });
  });

  it('keeps no connection of a try that took too long where AbortSignal.any is missing', async () => {
    await withoutSignalAny(async (createOldSender) => {
      const closed: Promise<void>[] = [];
      const { url } = await start((request, response, index) => {
        closed.push(new Promise((resolve) => request.socket.once('close', () => resolve())));
        if (index === 2) done(response);
      });
      await createOldSender({ timeoutMs: 100, backOffMs: () => 0 })({ method: 'GET', url, answer: checkUpdateAnswer });
      await closed[0];
    });
  });

  it('closes the connection of a repeated try that took too long, also where memory was cleaned up meanwhile', async () => {
    setFlagsFromString('--expose-gc');
    const cleanUp = runInNewContext('gc') as () => void;
    const closed: Promise<void>[] = [];
    const { send } = await start((request, response, index) => {
      closed.push(new Promise((resolve) => request.socket.once('close', () => resolve())));
      if (index === 1) response.writeHead(503, { Connection: 'close' }).end();
      if (index === 2) setImmediate(cleanUp);
      if (index === 3) done(response);
    });
    await send({}, { timeoutMs: 200 });
    await closed[1];
  });

  it('adds one listener to a signal that many calls share, and takes it off after the last', async () => {
    const held: ServerResponse[] = [];
    const { asked, send } = await start((_, response) => void held.push(response));
    const { signal } = new AbortController();
    const calls = Array.from({ length: 12 }, () => send({ signal }));
    await vi.waitFor(() => expect(asked).toHaveLength(12));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    held.forEach(done);
    await Promise.all(calls);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('aborts all of the calls that share a signal, but for one that is done', async () => {
    const { asked, send } = await start((_, response, index) => void (index === 1 && done(response)));
    const controller = new AbortController();
    const { signal } = controller;
    await expect(send({ signal })).resolves.toEqual({ version: 1 });
    const failures = [failureOf(send({ signal })), failureOf(send({ signal }))];
    await vi.waitFor(() => expect(asked).toHaveLength(3));
    controller.abort(new Error(secret));
    expect(await Promise.all(failures)).toMatchObject([{ code: 'aborted' }, { code: 'aborted' }]);
  });

  it.each([
    ['whose cause cannot be read', () => Object.defineProperty(new Error(), 'cause', { get: throwSecret })],
    ['that is a proxy', () => new Proxy({}, { get: throwSecret, getPrototypeOf: throwSecret, has: throwSecret })],
    ['that is nothing', () => null],
  ])('fails with `network` where the fetch of a game rejects with something %s', async (_, thrown) => {
    const { send } = await start((_request, response) => done(response));
    const fetch = () => Promise.reject(thrown());
    expect(await failureOf(send({}, { fetch }))).toMatchObject({ code: 'network' });
  });

  it('tells a refused connection, so that a write that was never carried out is repeated', async () => {
    const { server, send } = await start((_, response) => done(response));
    await new Promise((resolve) => server.close(resolve));
    let tries = 0;
    const failure = send({
      headers: async () => {
        tries += 1;
        return {};
      },
      mayRepeat: (_, notCarriedOut) => notCarriedOut,
    });
    expect(await failureOf(failure)).toMatchObject({ code: 'network' });
    expect(tries).toBe(3);
  });
});
