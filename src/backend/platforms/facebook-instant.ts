import * as jose from 'jose';
import { parseJson } from '../../http/parse-json.js';
import type { SocialVerifier } from '../providers/social.js';
import { checkAge, readSeconds } from './age.js';
import { valueAt } from './ask.js';
import { createCheck, DoesNotHold } from './check.js';
import { bytesOf, isHmac } from './hmac.js';
import type { PlatformField, PlatformPreset } from './preset.js';
import { readSettings, verifierFrom } from './settings.js';

/** The Instant Game at Facebook. */
export interface FacebookInstantOptions {
  /** The app's secret. */
  appSecret: string;
  /**
   * Which id of the player counts: that of `getSignedPlayerInfoAsync` (the default), or that of `getSignedASIDAsync`.
   */
  playerId?: 'player_id' | 'asid';
  /** How old the signature may be, in seconds from 1 to 604,800; 900 by default. Until then it can be shown again. */
  maxAgeSeconds?: number;
  /** What was signed: the payload as it is sent (the default), or what it is once it is decoded. */
  signed?: 'sent' | 'decoded';
}

const defaultMaxAgeSeconds = 900;

const fields = [
  {
    name: 'appSecret',
    label: 'App secret',
    help: 'On the page of the basic settings of the app, in the Meta App Dashboard.',
    kind: 'secret',
    isRequired: true,
  },
  {
    name: 'playerId',
    label: 'Which id',
    help: 'player_id, which getSignedPlayerInfoAsync signs, or asid, which getSignedASIDAsync signs. They are different for one player: keep to one of them. player_id if left out.',
    kind: 'choice',
    choices: ['player_id', 'asid'],
    isRequired: false,
  },
  {
    name: 'maxAgeSeconds',
    label: 'Longest age',
    help: 'How many seconds after it was signed it is accepted; 900 if left out. Until then whoever has it can show it again.',
    kind: 'text',
    isRequired: false,
    example: '300',
  },
  {
    name: 'signed',
    label: 'What is signed',
    help: 'The payload as it is sent, or once it is decoded: Facebook’s page can be read as either. sent if left out.',
    kind: 'choice',
    choices: ['sent', 'decoded'],
    isRequired: false,
  },
] as const satisfies readonly PlatformField[];

const steps = {
  form: 'It is a signature and a payload, with a dot between them',
  signature: 'It was signed with the secret of this app (HMAC-SHA256)',
  time: 'It is not too old, and not of the future (issued_at)',
  player: 'It names the player',
} as const;

/**
 * Checks the signature of a player's info, as its SDK gives it.
 *
 * @see https://developers.facebook.com/docs/games/instant-games/sdk/fbinstant6.2#signedplayerinfo
 */
export const facebookInstantPreset: PlatformPreset = {
  name: 'facebookInstant',
  title: 'Facebook Instant Games',
  kind: 'social',
  documentation: 'https://developers.facebook.com/docs/games/instant-games/sdk/fbinstant6.2#signedplayerinfo',
  help: 'The game calls `FBInstant.player.getSignedPlayerInfoAsync()`, and gives what `getSignature()` answers to WithSocialToken.',
  fields,
  create(given) {
    const { appSecret, playerId = 'player_id', maxAgeSeconds, signed = 'sent' } = readSettings(fields, given);
    const maxAgeMs = readSeconds('maxAgeSeconds', maxAgeSeconds, defaultMaxAgeSeconds) * 1000;
    const key = bytesOf(appSecret);

    return createCheck('Facebook Instant Games', steps, async (token, { now }, at) => {
      at('form');
      const [, signature, encoded] = /^([\w-]{43}=?)\.([\w-]+={0,2})$/.exec(token) ?? [];
      if (signature === undefined || encoded === undefined) throw new DoesNotHold('It is no signed player info.');
      at('signature');
      const text = new TextDecoder().decode(decoded(encoded));
      const isSigned = await isHmac(decoded(signature), key, signed === 'sent' ? encoded : text);
      if (!isSigned) throw new DoesNotHold('Its signature is wrong.');
      const payload = parseJson(text);
      if (valueAt(payload, ['algorithm']) !== 'HMAC-SHA256') throw new DoesNotHold('It names another algorithm.');
      at('time');
      checkAge(valueAt(payload, ['issued_at']), now, maxAgeMs);
      at('player');
      const id = valueAt(payload, [playerId]);
      if (typeof id !== 'string' || id === '') throw new DoesNotHold(`It has no "${playerId}".`);
      return { id };
    });
  },
};

function decoded(text: string): Uint8Array {
  try {
    return jose.base64url.decode(text);
  } catch {
    throw new DoesNotHold('It is not in base64url.');
  }
}

/**
 * Checks the signed player info of Facebook Instant Games, for `socialPlatforms` of `createBackend`. It asks nobody.
 * What it checks and what is in doubt: docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function facebookInstant(options: FacebookInstantOptions): SocialVerifier {
  return verifierFrom(facebookInstantPreset, options);
}
