import * as jose from 'jose';
import { parseJson } from '../../http/parse-json.js';
import { playerId } from '../providers/signed-token.js';
import type { SocialVerifier } from '../providers/social.js';
import { checkAge, readSeconds } from './age.js';
import { valueAt } from './ask.js';
import { createCheck, DoesNotHold } from './check.js';
import { bytesOf, hmac, isHmac } from './hmac.js';
import type { PlatformField, PlatformPreset } from './preset.js';
import { readSettings, requireField, verifierFrom } from './settings.js';

/** The game's bot at Telegram: by its token, or by its id alone. */
export interface TelegramOptions {
  /** The bot's token, by which the `hash` is checked. Either this or `botId`. */
  botToken?: string;
  /** The bot's id, by which Telegram's own `signature` is checked: then the service needs no secret. */
  botId?: string;
  /** Which of Telegram's keys signs, with `botId`: that of `production` (the default) or of `test`. */
  environment?: 'production' | 'test';
  /** How old the data may be, in seconds from 1 to 604,800; 86,400 by default. Until then it can be shown again. */
  maxAgeSeconds?: number;
}

/** Telegram's public keys for third parties, as its page has them. */
const publicKeys = {
  production: 'e7bf03a2fa4602af4580703d88dda5bb59f32ed8b02a56c187fe7d34caed242d',
  test: '40055058a4ee38156a06562e52eece92a771bcd8346a8c4615cb7376eddf72ec',
} as const;

const defaultMaxAgeSeconds = 86_400;

const fields = [
  {
    name: 'botToken',
    label: 'Bot token',
    help: 'From @BotFather. With it the `hash` of the data is checked. Give either this or the id of the bot.',
    kind: 'secret',
    isRequired: false,
    example: '12345678:the-secret-part',
  },
  {
    name: 'botId',
    label: 'Bot id',
    help: 'The number before the colon of the bot’s token. With it the `signature` of the data is checked by Telegram’s public key, and the service holds no secret.',
    kind: 'text',
    isRequired: false,
    example: '12345678',
  },
  {
    name: 'environment',
    label: 'Telegram’s environment',
    help: 'With the id of the bot: whose key signs. production if left out.',
    kind: 'choice',
    choices: ['production', 'test'],
    isRequired: false,
  },
  {
    name: 'maxAgeSeconds',
    label: 'Longest age',
    help: 'How many seconds after the Mini App was opened its data is accepted; 86400 if left out. Until then whoever has it can show it again.',
    kind: 'text',
    isRequired: false,
    example: '3600',
  },
] as const satisfies readonly PlatformField[];

const steps = {
  form: 'It is initData: a query string that has no field twice',
  signature: 'It was signed by Telegram, for this bot',
  time: 'It is not too old, and not of the future (auth_date)',
  player: 'It names the player (user)',
} as const;

/**
 * Checks the initData of a Mini App by one of the two ways that Telegram documents.
 *
 * @see https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app
 * @see https://core.telegram.org/bots/webapps#validating-data-for-third-party-use
 */
export const telegramPreset: PlatformPreset = {
  name: 'telegram',
  title: 'Telegram',
  kind: 'social',
  documentation: 'https://core.telegram.org/bots/webapps#validating-data-received-via-the-mini-app',
  help: 'The Mini App gives `Telegram.WebApp.initData`, as it is, to WithSocialToken.',
  fields,
  create(given) {
    const { botToken, botId, environment = 'production', maxAgeSeconds } = readSettings(fields, given);
    requireField((botToken === undefined) !== (botId === undefined), 'botToken', 'given, or botId, and not both');
    requireField(botToken === undefined || /^\d+:[\w-]+$/.test(botToken), 'botToken', 'as @BotFather gave it');
    requireField(botId === undefined || /^\d{1,20}$/.test(botId), 'botId', 'the number before the colon of the token');
    requireField(given['environment'] === undefined || botId !== undefined, 'environment', 'left out without botId');
    const maxAgeMs = readSeconds('maxAgeSeconds', maxAgeSeconds, defaultMaxAgeSeconds) * 1000;
    const isSigned =
      botToken === undefined
        ? (data: InitData) => isSignedByTelegram(data, botId ?? '', publicKeys[environment])
        : (data: InitData) => isSignedForBot(data, botToken);

    return createCheck('Telegram', steps, async (token, { now }, at) => {
      at('form');
      const data = readInitData(token);
      at('signature');
      if (!(await isSigned(data))) throw new DoesNotHold('Its signature is wrong.');
      at('time');
      const authDate = data.get('auth_date') ?? '';
      checkAge(/^\d{1,12}$/.test(authDate) ? Number(authDate) : undefined, now, maxAgeMs);
      at('player');
      const id = playerId(valueAt(parseJson(data.get('user') ?? ''), ['id']));
      if (id === null) throw new DoesNotHold('It names no user.');
      return { id };
    });
  },
};

type InitData = ReadonlyMap<string, string>;

/**
 * Takes initData apart. What is signed are lines, so that no field may have a line's end in it: the lines of one
 * field could be those of another. A field that is there twice would be signed once and read twice.
 */
function readInitData(text: string): InitData {
  const pairs = [...new URLSearchParams(text)];
  const data = new Map(pairs);
  if (data.size !== pairs.length) throw new DoesNotHold('It has a field twice.');
  const isRight = pairs.every(([name, value]) => /^\w+$/.test(name) && !/\p{Cc}/u.test(value));
  if (pairs.length === 0 || !isRight) throw new DoesNotHold('It is no initData.');
  return data;
}

function linesOf(data: InitData, ...without: string[]): string {
  const signed = [...data].filter(([name]) => !without.includes(name)).sort(([one], [other]) => (one < other ? -1 : 1));
  return signed.map(([name, value]) => `${name}=${value}`).join('\n');
}

async function isSignedForBot(data: InitData, botToken: string): Promise<boolean> {
  const hash = data.get('hash') ?? '';
  if (!/^[0-9a-f]{64}$/.test(hash)) return false;
  const secret = await hmac(bytesOf('WebAppData'), botToken);
  return isHmac(bytesOfHex(hash), secret as BufferSource, linesOf(data, 'hash'));
}

async function isSignedByTelegram(data: InitData, botId: string, publicKey: string): Promise<boolean> {
  const signature = data.get('signature') ?? '';
  if (!/^[\w-]{86}(==)?$/.test(signature)) return false;
  const key = await crypto.subtle.importKey('raw', bytesOfHex(publicKey) as BufferSource, 'Ed25519', false, ['verify']);
  const text = bytesOf(`${botId}:WebAppData\n${linesOf(data, 'hash', 'signature')}`);
  return crypto.subtle.verify('Ed25519', key, jose.base64url.decode(signature) as BufferSource, text);
}

function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/**
 * Checks the initData of a Telegram Mini App, for `socialPlatforms` of `createBackend`. It asks nobody. What it checks
 * and what is in doubt: docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function telegram(options: TelegramOptions): SocialVerifier {
  return verifierFrom(telegramPreset, options);
}
