import { describe, expect, it } from 'vitest';
import { createSender } from '../../src/http/sender.js';
import { checkUpdateAnswer } from '../../src/protocol/answer-checks.js';

describe('headers given as a function', () => {
  it('are asked for anew for each try, and leave the body as it is', async () => {
    const seen: string[] = [];
    const send = createSender({
      backOffMs: () => 0,
      fetch: async (request) => {
        seen.push(`${request.headers.get('x-try')} ${await request.text()}`);
        return seen.length < 3 ? new Response('', { status: 503 }) : Response.json({ version: 4 });
      },
    });
    let tries = 0;

    const answer = await send({
      method: 'POST',
      url: 'https://saves.test/entry',
      headers: async () => ({ 'x-try': `${++tries}` }),
      body: '{"a":1}',
      answer: checkUpdateAnswer,
    });

    expect(answer).toEqual({ version: 4 });
    expect(seen).toEqual(['1 {"a":1}', '2 {"a":1}', '3 {"a":1}']);
  });

  it('fail with what the function fails with, and nothing is sent', async () => {
    let asked = 0;
    const send = createSender({
      fetch: async () => {
        asked += 1;
        return Response.json({ version: 0 });
      },
    });
    const call = send({
      method: 'GET',
      url: 'https://saves.test/entry',
      headers: () => Promise.reject(new TypeError('no key')),
      answer: checkUpdateAnswer,
    });
    await expect(call).rejects.toThrow(new TypeError('no key'));
    expect(asked).toBe(0);
  });
});
