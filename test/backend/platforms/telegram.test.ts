import { generateKeyPairSync } from 'node:crypto';
import { platformPresets, telegram } from 'savepoint/backend/platforms';
import { describe, expect, it } from 'vitest';
import { testGameId, testStart } from '../../support/service.js';
import { telegramFields, telegramInitData, telegramSignature } from './doubles.js';

const preset = platformPresets.find(({ name }) => name === 'telegram') as (typeof platformPresets)[number];
const at = (now: number) => ({ gameId: testGameId, environment: 0 as const, now });
const botToken = '12345678:a-bot-of-the-test';
const fields = telegramFields('279058397', testStart);
const check = preset.create({ botToken }, {});

const failure = async (token: string, now = testStart, by = check) => {
  expect(await by.verify(token, at(now))).toBeNull();
  return (await by.explain(token, at(now))).steps.find(({ result }) => result === 'failed');
};

/**
 * What Telegram really signed, for a bot whose token its author has published with it, in the documentation of
 * github.com/Telegram-Mini-Apps (init-data-golang and tma.js).
 */
const published = {
  botToken: '7342037359:AAHI25ES9xCOMPokpYoz-p8XVrZUdygo2J4',
  now: 1_733_509_682_000,
  initData:
    'user=%7B%22id%22%3A279058397%2C%22first_name%22%3A%22Vladislav%20%2B%20-%20%3F%20%5C%2F%22%2C%22last_name%22%3A%22Kibenko%22%2C%22username%22%3A%22vdkfrost%22%2C%22language_code%22%3A%22ru%22%2C%22is_premium%22%3Atrue%2C%22allows_write_to_pm%22%3Atrue%2C%22photo_url%22%3A%22https%3A%5C%2F%5C%2Ft.me%5C%2Fi%5C%2Fuserpic%5C%2F320%5C%2F4FPEE4tmP3ATHa57u6MqTDih13LTOiMoKoLDRG4PnSA.svg%22%7D&chat_instance=8134722200314281151&chat_type=private&auth_date=1733509682&signature=TYJxVcisqbWjtodPepiJ6ghziUL94-KNpG8Pau-X7oNNLNBM72APCpi_RKiUlBvcqo5L-LAxIc3dnTzcZX_PDg&hash=a433d8f9847bd6addcc563bff7cc82c89e97ea0d90c11fe5729cae6796a36d73',
};

describe('what Telegram has signed', () => {
  it('holds by the token of the bot', async () => {
    const { initData, now } = published;
    expect(await telegram({ botToken: published.botToken })(initData, at(now))).toEqual({ id: '279058397' });
    const wrong = [
      initData.replace('279058397', '279058398'),
      initData.replace('chat_type=private', 'chat_type=sender'),
      initData.replace('signature=T', 'signature=U'),
      initData.replace(/&signature=[^&]+/, ''),
      `${initData}&more=x`,
    ];
    for (const token of wrong) expect(await telegram({ botToken: published.botToken })(token, at(now))).toBeNull();
    expect(await telegram({ botToken: '7342037359:another' })(initData, at(now))).toBeNull();
  });

  it('holds by the id of the bot and the public key of Telegram', async () => {
    const { initData, now } = published;
    const verify = telegram({ botId: '7342037359' });
    expect(await verify(initData, at(now))).toEqual({ id: '279058397' });
    // The hash is another way's: it is not part of what this one signs.
    expect(await verify(initData.replace(/&hash=\w+/, ''), at(now))).toEqual({ id: '279058397' });
    const wrong = [
      initData.replace('279058397', '279058398'),
      initData.replace('signature=T', 'signature=U'),
      initData.replace(/&signature=[^&]+/, ''),
      `${initData}&more=x`,
    ];
    for (const token of wrong) expect(await verify(token, at(now))).toBeNull();
    expect(await telegram({ botId: '7342037358' })(initData, at(now))).toBeNull();
    expect(await telegram({ botId: '7342037359', environment: 'test' })(initData, at(now))).toBeNull();
  });

  it('does not hold by a key of somebody else', async () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
    const signature = telegramSignature(`12345678:WebAppData\n${lines.sort().join('\n')}`, privateKey);
    const byId = preset.create({ botId: '12345678' }, {});
    expect((await failure(new URLSearchParams({ ...fields, signature }).toString(), testStart, byId))?.step).toContain(
      'signed',
    );
  });
});

describe('the preset of Telegram', () => {
  it('accepts data as long as the game says, and a day if it says nothing', async () => {
    const initData = telegramInitData(fields, botToken);
    const day = 86_400_000;
    expect(await check.verify(initData, at(testStart + day))).toEqual({ id: '279058397' });
    expect(await failure(initData, testStart + day + 1000)).toMatchObject({ detail: 'It is too old.' });
    const short = preset.create({ botToken, maxAgeSeconds: '60' }, {});
    expect(await short.verify(initData, at(testStart + 60_000))).not.toBeNull();
    expect(await telegram({ botToken, maxAgeSeconds: 60 })(initData, at(testStart + 61_000))).toBeNull();
    expect(await short.verify(initData, at(testStart + 61_000))).toBeNull();
    // Telegram documents no use that uses it up: within that time it can be shown again.
    expect(await short.verify(initData, at(testStart))).toEqual(await short.verify(initData, at(testStart)));
  });

  it('refuses data of the future, but for a minute', async () => {
    const initData = telegramInitData(fields, botToken);
    expect(await check.verify(initData, at(testStart - 60_000))).not.toBeNull();
    expect(await failure(initData, testStart - 61_000)).toMatchObject({ detail: 'It is of the future.' });
  });

  it.each<[string, string]>([
    ['no time', ''],
    ['a negative time', '-1'],
    ['a time in another writing', '1e12'],
    ['a time that is too long', '9'.repeat(13)],
    ['two times', '1768478400,1768478400'],
  ])('refuses data with %s, though it is signed', async (_, auth_date) => {
    expect((await failure(telegramInitData({ ...fields, auth_date }, botToken)))?.step).toContain('auth_date');
  });

  it.each<[string, string]>([
    ['no user', 'null'],
    ['a user that is no JSON', '{"id":'],
    ['a user without an id', '{"first_name":"Ada"}'],
    ['an id that JSON rounds', '{"id":9007199254740993}'],
    ['an id that is no integer', '{"id":1.5}'],
    ['a list', '[{"id":1}]'],
    ['an id of another kind', '{"id":{"id":1}}'],
    ['an inherited id', '{"__proto__":{"id":1}}'],
  ])('refuses data with %s, though it is signed', async (_, user) => {
    expect((await failure(telegramInitData({ ...fields, user }, botToken)))?.step).toContain('names the player');
  });

  it('refuses a field that is there twice, whichever of them is signed', async () => {
    const initData = telegramInitData(fields, botToken);
    const mallory = encodeURIComponent('{"id":666}');
    for (const token of [
      `${initData}&user=${mallory}`,
      `user=${mallory}&${initData}`,
      `${initData}&hash=${'0'.repeat(64)}`,
      `${initData}&auth_date=9999999999`,
      `${initData}&us%65r=${mallory}`,
    ]) {
      expect(await failure(token)).toMatchObject({ detail: 'It has a field twice.' });
    }
  });

  it('refuses lines that were signed in one field and come in two, or in two and come in one', async () => {
    const initData = telegramInitData({ ...fields, start_param: 'x\nuser={"id":666}' }, botToken);
    expect((await failure(initData))?.step).toContain('query string');
    const signed = new URLSearchParams(telegramInitData(fields, botToken));
    const merged = new URLSearchParams({
      auth_date: `${signed.get('auth_date')}\nquery_id=${signed.get('query_id')}`,
      user: signed.get('user') ?? '',
      hash: signed.get('hash') ?? '',
    });
    expect((await failure(merged.toString()))?.step).toContain('query string');
    const named = new URLSearchParams({ ...fields, 'a=b\nc': 'd', hash: '0'.repeat(64) });
    expect((await failure(named.toString()))?.step).toContain('query string');
  });

  it('compares the hash as it is written', async () => {
    const initData = telegramInitData(fields, botToken);
    const hash = /hash=(\w+)/.exec(initData)?.[1] ?? '';
    for (const other of [hash.toUpperCase(), hash.slice(2), `${hash}00`, '', '0'.repeat(64), `${hash}%00`]) {
      expect(await check.verify(initData.replace(hash, other), at(testStart))).toBeNull();
    }
  });

  it('knows every character that a name can have', async () => {
    const user = '{"id":1,"first_name":"Åda + & = % \\u202e \\ud83d\\ude80 \\n","last_name":"🚀"}';
    expect(await check.verify(telegramInitData({ ...fields, user }, botToken), at(testStart))).toEqual({ id: '1' });
  });

  it('names what is wrong with its options', () => {
    expect(() => telegram({})).toThrow('botToken must be given, or botId, and not both');
    expect(() => telegram({ botToken, botId: '1' })).toThrow('botToken must be given, or botId, and not both');
    expect(() => telegram({ botToken: 'x' })).toThrow('botToken must be as @BotFather gave it');
    expect(() => telegram({ botId: 'x' })).toThrow('botId must be the number');
    expect(() => telegram({ botToken, environment: 'test' })).toThrow('environment must be left out without botId');
    for (const text of ['0', '-1', '604801', '1e3', 'x', '60.5']) {
      expect(() => preset.create({ botToken, maxAgeSeconds: text }, {})).toThrow('maxAgeSeconds must be a number');
    }
    for (const maxAgeSeconds of [0, -1, 604_801, 60.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => telegram({ botToken, maxAgeSeconds })).toThrow('maxAgeSeconds must be a number of seconds');
    }
  });
});
