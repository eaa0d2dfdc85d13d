import type { SocialVerifier } from '../providers/social.js';
import { ask, fitsHeader, textAt, valueAt } from './ask.js';
import { createCheck, DoesNotHold, type Steps, UnknownAnswer } from './check.js';
import type { PlatformField, PlatformPreset, PlatformSurroundings } from './preset.js';
import { readSettings, requireField, type SettingsOf, verifierFrom } from './settings.js';

/** The game at Discord. */
export interface DiscordOptions extends PlatformSurroundings {
  /** The application's id, which is its client id. */
  clientId: string;
  /**
   * What players bring: an access token with the scope `identify` (the default), or a code that is exchanged for one.
   */
  accepts?: 'accessToken' | 'code';
  /** The application's client secret, which a code is exchanged with. */
  clientSecret?: string;
  /** The address that the code was sent to; none for an Activity, which gets its code without one. */
  redirectUri?: string;
}

const api = 'https://discord.com/api/v10';

const fields = [
  {
    name: 'clientId',
    label: 'Application id',
    help: 'The client id that the Discord Developer Portal shows for the application.',
    kind: 'text',
    isRequired: true,
    example: '159799960412356608',
  },
  {
    name: 'accepts',
    label: 'What players bring',
    help: 'An access token with the scope `identify`, or a code that the service exchanges for one. accessToken if left out.',
    kind: 'choice',
    choices: ['accessToken', 'code'],
    isRequired: false,
  },
  {
    name: 'clientSecret',
    label: 'Client secret',
    help: 'For a code: the Developer Portal shows it beside the client id.',
    kind: 'secret',
    isRequired: false,
  },
  {
    name: 'redirectUri',
    label: 'Redirect address',
    help: 'For a code: the address that the page asked for it with. Leave it out for an Activity, whose SDK gives the code to the page.',
    kind: 'address',
    isRequired: false,
    example: 'https://game.example/discord',
  },
] as const satisfies readonly PlatformField[];

const askSteps = {
  known: 'Discord knows the access token',
  app: 'It was made for this application',
  player: 'It names the player (scope identify)',
} as const;
const tokenSteps = { form: 'It can be an access token', ...askSteps };
const codeSteps = { form: 'It can be a code', exchange: 'Discord exchanges the code for an access token', ...askSteps };

/**
 * Asks Discord for which application and whose an access token is; a code it exchanges first.
 *
 * @see https://docs.discord.com/developers/topics/oauth2#get-current-authorization-information
 * @see https://docs.discord.com/developers/topics/oauth2#authorization-code-grant
 */
export const discordPreset: PlatformPreset = {
  name: 'discord',
  title: 'Discord',
  kind: 'social',
  documentation: 'https://docs.discord.com/developers/topics/oauth2',
  help: 'Create an application in the Discord Developer Portal. The page asks for the scope `identify`, and gives what it gets, the access token or the code, to WithSocialToken.',
  fields,
  create(given, surroundings) {
    const settings = readSettings(fields, given);
    const { clientId, accepts = 'accessToken', clientSecret } = settings;
    requireField(/^\d{1,20}$/.test(clientId), 'clientId', 'the number that Discord shows');
    requireField(accepts !== 'code' || clientSecret !== undefined, 'clientSecret', 'given, where players bring a code');
    const steps: Steps<keyof typeof codeSteps> =
      accepts === 'code' ? codeSteps : (tokenSteps as Steps<keyof typeof codeSteps>);
    return createCheck('Discord', steps, async (token, _, at) => {
      at('form');
      if (!fitsHeader(token)) throw new DoesNotHold('It has characters that Discord never uses.');
      let accessToken = token;
      if (accepts === 'code') {
        at('exchange');
        accessToken = await exchange(token, settings, surroundings);
      }
      at('known');
      const headers = { Accept: 'application/json', Authorization: `Bearer ${accessToken}` };
      const answer = await ask({ url: `${api}/oauth2/@me`, headers, refusals: [401] }, surroundings);
      at('app');
      if (textAt(answer, 'application', 'id') !== clientId) throw new DoesNotHold('It is for another application.');
      at('player');
      if (valueAt(answer, ['user']) === undefined) throw new DoesNotHold('The player has not granted `identify`.');
      return { id: textAt(answer, 'user', 'id') };
    });
  },
};

/**
 * A code that is wrong, used or too old is `invalid_grant` (RFC 6749, 5.2); other refusals are
 * about the game's settings.
 */
async function exchange(
  code: string,
  { clientId, clientSecret, redirectUri }: SettingsOf<typeof fields>,
  surroundings: PlatformSurroundings,
): Promise<string> {
  const body = new URLSearchParams({ grant_type: 'authorization_code', code });
  if (redirectUri !== undefined) body.set('redirect_uri', redirectUri);
  const headers = { Accept: 'application/json', Authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}` };
  const answer = await ask(
    { url: `${api}/oauth2/token`, method: 'POST', headers, body, answers: [400, 401] },
    surroundings,
  );
  const error = valueAt(answer, ['error']);
  if (error === 'invalid_grant') throw new DoesNotHold('The code is wrong, was used before, or is too old.');
  if (error === 'invalid_client') throw new UnknownAnswer('Discord does not accept the application id and the secret.');
  const accessToken = textAt(answer, 'access_token');
  if (!fitsHeader(accessToken)) throw new UnknownAnswer('The access token has characters that no header can carry.');
  return accessToken;
}

/**
 * Checks what players bring from Discord, for `socialPlatforms` of `createBackend`. What it checks and what is in
 * doubt: docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function discord(options: DiscordOptions): SocialVerifier {
  return verifierFrom(discordPreset, options);
}
