import { providerDefaults } from '../../protocol/gaps/providers.js';
import type { NetworkRequest } from '../providers/request-verifier.js';
import { playerId as idOf } from '../providers/signed-token.js';
import type { SocialVerifier } from '../providers/social.js';
import { ask, fitsHeader, valueAt } from './ask.js';
import { createCheck, DoesNotHold } from './check.js';
import type { PlatformField, PlatformPreset, PlatformSurroundings } from './preset.js';
import { readSettings, requireField, type SettingsOf, verifierFrom } from './settings.js';

/** A network that is asked over HTTP what a token is good for, and answers in JSON. */
export interface NetworkOptions extends PlatformSurroundings {
  /** The address to ask: https, or http on this machine. */
  address: string;
  /**
   * How the token is sent: as Bearer (the default), in another header, in the address's query, or by POST as a form or
   * as JSON. Addresses end up in logs: use `query` only where the network takes it nowhere else.
   */
  sendAs?: 'bearer' | 'header' | 'query' | 'form' | 'json';
  /** The name of that header, parameter or member; `token` by default, and needed for `header`. */
  parameter?: string;
  /** An Authorization header of the game's own, such as `Basic …`; not with `bearer`. */
  authorization?: string;
  /** Where the answer has the player's id, such as `data.user.id`. */
  playerPath: string;
  /** Where the answer says for which app the token was made. */
  appPath: string;
  /** What stands there for this game. */
  appId: string;
  /** The statuses by which the network says that a token does not hold; 400, 401 and 403 by default. */
  refusals?: string | readonly string[];
}

const fields = [
  {
    name: 'address',
    label: 'Address',
    help: 'The address that is asked about each token. It must answer in JSON.',
    kind: 'address',
    isRequired: true,
    example: 'https://network.example/oauth2/introspect',
  },
  {
    name: 'sendAs',
    label: 'How the token is sent',
    help: 'As Bearer, in another header, in the query, or by POST as a form or as JSON. bearer if left out. Addresses end up in logs: take query only where the network takes it nowhere else.',
    kind: 'choice',
    choices: ['bearer', 'header', 'query', 'form', 'json'],
    isRequired: false,
  },
  {
    name: 'parameter',
    label: 'Under which name',
    help: 'The name of that header, parameter or member. token if left out; a header needs one.',
    kind: 'text',
    isRequired: false,
    example: 'access_token',
  },
  {
    name: 'authorization',
    label: 'Authorization',
    help: 'An Authorization header of the game’s own, whole, where the network wants to know who asks. Not with bearer.',
    kind: 'secret',
    isRequired: false,
    example: 'Basic bXktZ2FtZTpzZWNyZXQ=',
  },
  {
    name: 'playerPath',
    label: 'Path of the player’s id',
    help: 'Where the answer has it: names with dots between them, numbers in lists.',
    kind: 'text',
    isRequired: true,
    example: 'data.user.id',
  },
  {
    name: 'appPath',
    label: 'Path of the app’s id',
    help: 'Where the answer says for which app the token was made. Without that, another app could sign in here as its players, with the tokens that they gave to it.',
    kind: 'text',
    isRequired: true,
    example: 'client_id',
  },
  {
    name: 'appId',
    label: 'The app’s id',
    help: 'What must stand there.',
    kind: 'text',
    isRequired: true,
    example: 'my-game',
  },
  {
    name: 'refusals',
    label: 'Statuses of a refusal',
    help: 'The HTTP statuses by which the network says that a token does not hold. 400, 401 and 403 if left out; with every other one the player may try again.',
    kind: 'list',
    isRequired: false,
    example: '401',
  },
] as const satisfies readonly PlatformField[];

type Settings = SettingsOf<typeof fields>;

const steps = {
  form: 'It can be sent',
  known: 'The network knows it',
  time: 'It holds now: active, and neither expired (exp) nor of the future (nbf)',
  app: 'It was made for this app',
  player: 'It names the player',
} as const;

/** @see https://www.rfc-editor.org/rfc/rfc7662 for networks that answer as it says */
export const networkPreset: PlatformPreset = {
  name: 'network',
  title: 'A network that is asked',
  kind: 'social',
  documentation: 'https://www.rfc-editor.org/rfc/rfc7662',
  help: 'For a network that says over HTTP whose a token is, and for which app it was made. Its documentation says which address to ask, and what the answer is like.',
  fields,
  create(given, surroundings) {
    const settings = readSettings(fields, given);
    checkSettings(settings);
    const { appId, refusals = ['400', '401', '403'] } = settings;
    requireField(
      refusals.every((status) => /^[345]\d\d$/.test(status)),
      'refusals',
      'statuses from 300 to 599',
    );
    const playerPath = readPath('playerPath', settings.playerPath);
    const appPath = readPath('appPath', settings.appPath);

    return createCheck('The network', steps, async (token, { now }, at) => {
      at('form');
      const request = requestFor(token, settings);
      at('known');
      const answer = await ask({ ...request, refusals: refusals.map(Number) }, surroundings);
      at('time');
      checkHoldsNow(answer, now);
      at('app');
      if (idOf(valueAt(answer, appPath)) !== appId) throw new DoesNotHold('The answer does not name this app.');
      at('player');
      const id = idOf(valueAt(answer, playerPath));
      if (id === null) throw new DoesNotHold('The answer has no id of a player at that path.');
      return { id };
    });
  },
};

function checkSettings({ sendAs = 'bearer', parameter, authorization }: Settings): void {
  const isOwnHeader = sendAs === 'header';
  requireField(!isOwnHeader || parameter !== undefined, 'parameter', 'given: the name of the header');
  requireField(!isOwnHeader || isHeaderName(parameter), 'parameter', 'the name of a header that may be set');
  const isTaken = sendAs === 'bearer' || (isOwnHeader && parameter?.toLowerCase() === 'authorization');
  requireField(authorization === undefined || !isTaken, 'authorization', 'left out where the token is in its place');
}

/** A header's name, but none that belongs to the connection (RFC 9110, 7.6.1), which requests may not set. */
function isHeaderName(name = ''): boolean {
  const isReserved = /^(connection|content-.*|cookie|host|keep-alive|te|trailer|transfer-encoding|upgrade)$/i.test(
    name,
  );
  return headerForm.test(name) && !isReserved;
}

/** Of a header's name (RFC 9110, 5.1), which has no length there. */
const headerForm = /^[\w!#$%&'*+.^`|~-]{1,100}$/;

function readPath(field: string, path: string): string[] {
  const names = path.split('.');
  requireField(
    names.every((name) => name !== ''),
    field,
    'names with single dots between them',
  );
  return names;
}

function requestFor(token: string, settings: Settings): NetworkRequest {
  const { address: url, sendAs = 'bearer', parameter = 'token', authorization } = settings;
  const own = { Accept: 'application/json', ...(authorization === undefined ? {} : { Authorization: authorization }) };
  if (sendAs === 'bearer' || sendAs === 'header') {
    if (!fitsHeader(token)) throw new DoesNotHold('It has characters that no header can carry.');
    const name = sendAs === 'bearer' ? 'Authorization' : parameter;
    return { url, headers: { ...own, [name]: sendAs === 'bearer' ? `Bearer ${token}` : token } };
  }
  if (sendAs === 'form')
    return { url, method: 'POST', headers: own, body: new URLSearchParams({ [parameter]: token }) };
  if (sendAs === 'json') {
    const headers = { ...own, 'Content-Type': 'application/json' };
    return { url, method: 'POST', headers, body: JSON.stringify({ [parameter]: token }) };
  }
  const asked = new URL(url);
  asked.searchParams.set(parameter, token);
  return { url: asked, headers: own };
}

/** The first second of 2001: no token that anybody shows today has expired before, or was to begin before. */
const firstMoment = 978_307_200;
const toleranceSeconds = providerDefaults.clockToleranceMs / 1000;

/**
 * Refuses a token of which the network says that it holds no longer, or not yet (RFC 7662, 2.2): app and player may stand
 * beside that. An answer without `active`, which the RFC requires, is of a network with a form of its own. What it calls
 * `exp` may be experience points, and counts only where it can be a moment.
 */
function checkHoldsNow(answer: unknown, now: number): void {
  const active = valueAt(answer, ['active']);
  if (active !== undefined && active !== true) throw new DoesNotHold('The network says that it is not active.');
  const momentAt = (name: string): number | null => {
    const value = valueAt(answer, [name]) ?? null;
    const moment = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof moment === 'number' && moment >= (active === true ? 0 : firstMoment)) return moment;
    if (active !== true || value === null) return null;
    throw new DoesNotHold('The times in the answer are none.');
  };
  const expires = momentAt('exp');
  if (expires !== null && expires <= now / 1000 - toleranceSeconds) throw new DoesNotHold('It has expired.');
  const begins = momentAt('nbf');
  if (begins !== null && begins > now / 1000 + toleranceSeconds) throw new DoesNotHold('It is not valid yet.');
}

/**
 * Asks a network over HTTP whose a token is, for `socialPlatforms` of `createBackend`; what `createRequestVerifier`
 * does, with settings of text alone. Throws TypeError naming the option that is wrong.
 */
export function network(options: NetworkOptions): SocialVerifier {
  return verifierFrom(networkPreset, options);
}
