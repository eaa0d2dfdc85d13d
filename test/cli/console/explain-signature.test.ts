import { createHmac, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { explainSignature } from '../../../src/cli/console/explain-signature.js';
import { signRequest } from '../../../src/server/index.js';

const now = Date.parse('2026-11-23T08:00:00Z');
const key = 'c2VjcmV0LWtleS1vZi10aGUtZ2FtZQ==';
const game = { id: randomUUID(), privateKeys: [key] };
const other = { id: randomUUID(), privateKeys: ['key-of-another-game'] };
const body = JSON.stringify({ game_id: game.id, env: 0, custom_user_id: 'ada' });
const nonce = 'n'.repeat(32);
const timestamp = String(now);

interface Sent {
  headers?: { [name: string]: string | undefined };
  body?: string;
  signed?: string;
  by?: string | Buffer;
  code?: string | null;
}

/** Explains a request that is right but for what is given. */
function explain({ headers = {}, body: text = body, signed, by = key, code = 'invalid_signature' }: Sent = {}) {
  const signature = createHmac('sha256', by)
    .update(signed ?? `${timestamp}\n${nonce}\n${body}\n`)
    .digest('hex');
  const all = { 'Service-Signature': signature, 'Service-Timestamp': timestamp, 'Service-Nonce': nonce, ...headers };
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return explainSignature({
    headers: new Headers(given as [string, string][]),
    body: new TextEncoder().encode(text),
    games: [game, other],
    now,
    code,
  });
}

describe('explainSignature', () => {
  const right = { timestamp: 'ok', nonce: 'ok', body: 'ok', key: 'ok' };

  it('finds nothing wrong with a right request, in hex and in base64', async () => {
    expect(await explain({ code: null })).toEqual({ ...right, why: 'All is as it should be.' });
    for (const encoding of ['hex', 'base64'] as const) {
      const { headers } = await signRequest({ body, privateKey: key, encoding, timestamp: now, nonce });
      expect(await explain({ headers, code: null })).toMatchObject(right);
    }
  });

  it('spells a long body in no other way, for indentation could make gigabytes of it', async () => {
    const long = (size: number) => JSON.stringify({ game_id: game.id, list: Array(size).fill(0) });
    const indented = (text: string) => `${timestamp}\n${nonce}\n${JSON.stringify(JSON.parse(text), null, 2)}\n`;
    for (const [size, found] of [
      [100, 'changed'],
      [3_000, 'unknown'],
    ] as const) {
      expect(await explain({ body: long(size), signed: indented(long(size)) })).toMatchObject({ body: found });
    }
  });

  it.each<[string, Sent, object, RegExp]>([
    [
      'no timestamp',
      { headers: { 'Service-Timestamp': undefined } },
      { timestamp: 'missing' },
      /Service-Timestamp is missing/,
    ],
    [
      'seconds',
      { headers: { 'Service-Timestamp': timestamp.slice(0, 10) } },
      { timestamp: 'malformed' },
      /looks like seconds/,
    ],
    [
      'an old timestamp',
      { headers: { 'Service-Timestamp': String(now - 600_000) } },
      { timestamp: 'too_old' },
      /600 s behind/,
    ],
    [
      'a clock ahead',
      { headers: { 'Service-Timestamp': String(now + 600_000) } },
      { timestamp: 'in_future' },
      /600 s ahead/,
    ],
    ['no nonce', { headers: { 'Service-Nonce': undefined } }, { nonce: 'missing' }, /Service-Nonce is missing/],
    ['a UUID as nonce', { headers: { 'Service-Nonce': randomUUID() } }, { nonce: 'malformed' }, /32 characters/],
    ['a nonce of before', { code: 'nonce_reused' }, { ...right, nonce: 'reused' }, /used before/],
    [
      'no signature',
      { headers: { 'Service-Signature': undefined } },
      { key: 'missing' },
      /Service-Signature is missing/,
    ],
    ['a short signature', { headers: { 'Service-Signature': 'abc' } }, { key: 'malformed' }, /64 hexadecimal digits/],
    ['a body that is not JSON', { body: 'game=1' }, { body: 'not_json' }, /not JSON/],
    [
      'a game of elsewhere',
      { body: `{"game_id":"${randomUUID()}"}` },
      { body: 'unknown_game' },
      /no game of this service/,
    ],
    ['a body that names none', { body: 'null' }, { body: 'unknown_game' }, /no game of this service/],
    [
      'a body with other white space',
      { body: body.replaceAll(',', ', ') },
      { ...right, body: 'changed' },
      /without white space/,
    ],
    ['a line break behind the body', { body: `${body}\n` }, { ...right, body: 'changed' }, /without white space/],
    [
      'another body',
      { body: body.replace('ada', 'eve') },
      { body: 'unknown', key: 'wrong' },
      /the key is another one, or the body/,
    ],
    ['another key', { by: 'another' }, { body: 'unknown', key: 'wrong' }, /the key is another one, or the body/],
    ["another game's key", { by: 'key-of-another-game' }, { body: 'ok', key: 'other_game' }, /another game/],
    ['a decoded key', { by: Buffer.from(key, 'base64') }, { body: 'ok', key: 'decoded' }, /decoded first/],
    ['a key with its line break', { by: `${key}\n` }, { body: 'ok', key: 'wrong' }, /line break at its end/],
    [
      'no last line break',
      { signed: `${timestamp}\n${nonce}\n${body}` },
      { ...right, body: 'joined_otherwise' },
      /last line break/,
    ],
    [
      'the nonce first',
      { signed: `${nonce}\n${timestamp}\n${body}\n` },
      { ...right, body: 'joined_otherwise' },
      /nonce first/,
    ],
    ['the body alone', { signed: body }, { ...right, body: 'joined_otherwise' }, /body alone/],
  ])('says what is wrong with %s', async (_, sent, expected, why) => {
    const explained = await explain(sent);
    expect(explained).toMatchObject(expected);
    expect(explained.why).toMatch(why);
    expect(JSON.stringify(explained)).not.toContain(key);
  });
});
