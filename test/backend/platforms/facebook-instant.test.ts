import { createHmac } from 'node:crypto';
import { facebookInstant, platformPresets } from 'savepoint/backend/platforms';
import { describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';
import { facebookSignature } from './doubles.js';

const preset = platformPresets.find(({ name }) => name === 'facebookInstant') as (typeof platformPresets)[number];
const appSecret = 'the secret of the app';
const at = (now: number) => ({ gameId: testGameId, environment: 0 as const, now });
const issued_at = testStart / 1000;
const info = { algorithm: 'HMAC-SHA256', issued_at, player_id: '2059189060823983', request_payload: 'pdata' };
const check = preset.create({ appSecret }, {});

const failure = async (token: string, now = testStart, by = check) => {
  expect(await by.verify(token, at(now))).toBeNull();
  return (await by.explain(token, at(now))).steps.find(({ result }) => result === 'failed');
};

describe('the preset of Facebook Instant Games', () => {
  it('takes the signature over the payload as it was sent, with or without padding', async () => {
    const token = facebookSignature(info, appSecret);
    expect(await facebookInstant({ appSecret })(token, at(testStart))).toEqual({ id: info.player_id });
    const [signature, payload] = token.split('.');
    expect(await check.verify(`${signature}=.${payload}`, at(testStart))).toEqual({ id: info.player_id });
    const decoded = createHmac('sha256', appSecret).update(JSON.stringify(info)).digest('base64url');
    expect((await failure(`${decoded}.${payload}`))?.step).toContain('secret of this app');
  });

  it('accepts what was signed as long as the game says, and a quarter of an hour if it says nothing', async () => {
    const token = facebookSignature(info, appSecret);
    expect(await check.verify(token, at(testStart + 900_000))).not.toBeNull();
    expect(await failure(token, testStart + 901_000)).toMatchObject({ detail: 'It is too old.' });
    expect(await failure(token, testStart - 61_000)).toMatchObject({ detail: 'It is of the future.' });
    const short = preset.create({ appSecret, maxAgeSeconds: '60' }, {});
    expect(await short.verify(token, at(testStart + 61_000))).toBeNull();
    // Facebook documents no use that uses it up: within that time it can be shown again.
    expect(await short.verify(token, at(testStart))).toEqual(await short.verify(token, at(testStart)));
  });

  it('takes the signature over what the payload is once it is decoded, where the game says so, and no other', async () => {
    const [sent = '', payload = ''] = facebookSignature(info, appSecret).split('.');
    const decoded = createHmac('sha256', appSecret).update(JSON.stringify(info)).digest('base64url');
    const verify = facebookInstant({ appSecret, signed: 'decoded' });
    expect(await verify(`${decoded}.${payload}`, at(testStart))).toEqual({ id: info.player_id });
    expect(await verify(`${sent}.${payload}`, at(testStart))).toBeNull();
  });

  it('keeps to one of the two ids of a player', async () => {
    const asid = facebookSignature({ ...info, player_id: undefined, asid: '17' }, appSecret);
    expect(await facebookInstant({ appSecret, playerId: 'asid' })(asid, at(testStart))).toEqual({ id: '17' });
    expect(await failure(asid)).toMatchObject({ detail: 'It has no "player_id".' });
    const byAsid = preset.create({ appSecret, playerId: 'asid' }, {});
    expect(await byAsid.verify(facebookSignature(info, appSecret), at(testStart))).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['another algorithm', { ...info, algorithm: 'none' }, 'signed'],
    ['no algorithm', { ...info, algorithm: undefined }, 'signed'],
    ['no time', { ...info, issued_at: undefined }, 'issued_at'],
    ['a time as text', { ...info, issued_at: String(issued_at) }, 'issued_at'],
    ['a time without end', `{"algorithm":"HMAC-SHA256","issued_at":1e999,"player_id":"1"}`, 'issued_at'],
    ['no player', { ...info, player_id: '' }, 'names the player'],
    ['a player by number', { ...info, player_id: 2059189060823983 }, 'names the player'],
    [
      'the user of another product, signed by the same secret',
      { ...info, player_id: undefined, user_id: '1' },
      'player',
    ],
    ['no JSON', 'player', 'signed'],
    ['a list', [info], 'signed'],
    [
      'an inherited player',
      `{"algorithm":"HMAC-SHA256","issued_at":${issued_at},"__proto__":{"player_id":"1"}}`,
      'player',
    ],
  ])('refuses a payload with %s, though it is signed', async (_, payload, step) => {
    expect((await failure(facebookSignature(payload, appSecret)))?.step).toContain(step);
  });

  it('refuses another signature, and a payload that was changed', async () => {
    const [signature = '', payload = ''] = facebookSignature(info, appSecret).split('.');
    const mallory = Buffer.from(JSON.stringify({ ...info, player_id: '666' })).toString('base64url');
    for (const token of [`${signature}.${mallory}`, `${'A'.repeat(43)}.${payload}`, facebookSignature(info, '')]) {
      expect((await failure(token))?.step).toContain('secret of this app');
    }
    for (const token of [
      payload,
      `.${payload}`,
      `${signature}.`,
      `${signature}.${payload}.x`,
      `${signature} .${payload}`,
    ]) {
      expect((await failure(token))?.step).toContain('a dot between them');
    }
  });
});
