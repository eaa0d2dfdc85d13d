import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { requestJson } from '../../src/http/request-json.js';

const secret = 'somebody-s-token-0123456789';
const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function ask(
  listener: RequestListener,
  headers: Record<string, string> = {},
  answers?: readonly number[],
): Promise<unknown> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/me`);
  const asked = { headers: { Authorization: `Bearer ${secret}`, ...headers }, answers };
  return requestJson(url, asked, { timeoutMs: 200 });
}

describe('asking another service', () => {
  it('sends the token as a header and gives what the service says', async () => {
    const said = await ask((request, response) => {
      response.end(JSON.stringify({ got: request.headers.authorization, accepts: request.method }));
    });
    expect(said).toEqual({ got: `Bearer ${secret}`, accepts: 'GET' });
  });

  it('takes the body of a refusal for an answer where that is asked for, and of no other one', async () => {
    const refuse: RequestListener = (_, response) => void response.writeHead(400).end('{"error":"invalid_grant"}');
    expect(await ask(refuse, {}, [400, 401])).toEqual({ error: 'invalid_grant' });
    await expect(ask(refuse, {}, [401])).rejects.toMatchObject({ name: 'UnusableAnswer', status: 400 });
  });

  it.each<[string, RequestListener, object]>([
    ['resets the connection', ({ socket }) => void socket.destroy(), { name: 'Error', message: 'no response' }],
    ['never answers', () => {}, { name: 'Error', message: 'no response' }],
    ['never ends its answer', (_, response) => void response.write('{"id"'), { name: 'Error', message: 'no response' }],
    [
      'sends it elsewhere',
      (_, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
      { name: 'UnusableAnswer', status: 302, message: 'The answer (302) leads elsewhere.' },
    ],
    [
      'refuses, and says the token again',
      (request, response) => void response.writeHead(401).end(request.headers.authorization),
      { name: 'UnusableAnswer', status: 401, message: 'The answer (401) is a refusal.' },
    ],
    [
      'answers with a page that says the token again',
      (request, response) => void response.end(`<p>${request.headers.authorization}</p>`),
      { name: 'UnusableAnswer', status: 200, message: 'The answer (200) is not JSON.' },
    ],
    [
      'answers without end',
      (_, response) => void response.end('[1]'.padEnd(300_000)),
      { name: 'UnusableAnswer', status: 200, message: 'The answer (200) is too large.' },
    ],
  ])('fails without a word of the token where it %s', async (_, listener, expected) => {
    const error: unknown = await ask(listener).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject(expected);
    expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(secret);
  });

  it('refuses a header that cannot be sent, by its name alone', async () => {
    const error = await ask(() => {}, { 'X-Token': `${secret}\r\nX-Other: 1` }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message).toContain('X-Token');
    expect(inspect(error)).not.toContain(secret);
  });
});
