import type { SocialVerifier } from '../providers/social.js';
import { ask, textAt, valueAt } from './ask.js';
import { createCheck, DoesNotHold, UnknownAnswer } from './check.js';
import type { PlatformField, PlatformPreset, PlatformSurroundings } from './preset.js';
import { readSettings, requireField, verifierFrom } from './settings.js';

/** The game at Steam. */
export interface SteamOptions extends PlatformSurroundings {
  /** The publisher's Web API key; with `host: 'public'` a user's. */
  key: string;
  /** The game's app id. */
  appId: string | number;
  /** What the game gave to `GetAuthTicketForWebApi`. With it only tickets that were made for it hold. */
  identity?: string;
  /** Whom to ask: `partner` (the default) takes publishers' keys, `public` also users' keys, and limits how often. */
  host?: 'partner' | 'public';
  /** Which bans count: none (`ignore`, the default), the publisher's, or that and those of VAC. */
  bans?: 'ignore' | 'publisher' | 'all';
  /** Whether a player may play with the copy of another one; `allow` by default. */
  familySharing?: 'allow' | 'refuse';
  /**
   * The numbers of Steam's errors by which a ticket does not hold; with every other one the player may try again. All
   * of them by default.
   */
  refusals?: readonly string[];
}

const hosts = { partner: 'https://partner.steam-api.com', public: 'https://api.steampowered.com' } as const;

const fields = [
  {
    name: 'key',
    label: 'Web API key',
    help: 'The publisher key of the group that the app belongs to. An administrator of the Steamworks account creates it.',
    kind: 'secret',
    isRequired: true,
  },
  {
    name: 'appId',
    label: 'App id',
    help: 'The number of the game, as in the address of its page in the store.',
    kind: 'text',
    isRequired: true,
    example: '480',
  },
  {
    name: 'identity',
    label: 'Identity',
    help: 'The text that the game gives to GetAuthTicketForWebApi. With it, a ticket that the player made for somebody else is refused.',
    kind: 'text',
    isRequired: false,
    example: 'my-game-saves',
  },
  {
    name: 'host',
    label: 'Whom to ask',
    help: 'partner takes publishers’ keys; public also those of users, and limits how often. partner if left out.',
    kind: 'choice',
    choices: ['partner', 'public'],
    isRequired: false,
  },
  {
    name: 'bans',
    label: 'Bans',
    help: 'Whether a player with a ban is refused: by the publisher, or also by VAC (all). ignore if left out.',
    kind: 'choice',
    choices: ['ignore', 'publisher', 'all'],
    isRequired: false,
  },
  {
    name: 'familySharing',
    label: 'Family sharing',
    help: 'Whether a player who plays with the copy of another one is let in. allow if left out.',
    kind: 'choice',
    choices: ['allow', 'refuse'],
    isRequired: false,
  },
  {
    name: 'refusals',
    label: 'Errors of a refusal',
    help: 'The numbers of Steam’s errors by which a ticket does not hold, such as 101 and 102; no page lists them. All if left out; with every other one the player may try again.',
    kind: 'list',
    isRequired: false,
    example: '101',
  },
] as const satisfies readonly PlatformField[];

const steps = {
  form: 'It is a ticket in hexadecimal',
  ticket: 'Steam says that the ticket holds, for this app and identity',
  bans: 'No ban that counts here',
  owner: 'The player may play with this copy',
} as const;

/**
 * Asks Steam whose ticket it is. The key travels in a header, which Steam documents beside the query:
 * addresses end up in logs.
 *
 * @see https://partner.steamgames.com/doc/webapi/ISteamUserAuth#AuthenticateUserTicket
 * @see https://partner.steamgames.com/doc/webapi_overview/auth
 */
export const steamPreset: PlatformPreset = {
  name: 'steam',
  title: 'Steam',
  kind: 'social',
  documentation: 'https://partner.steamgames.com/doc/webapi/ISteamUserAuth',
  help: 'The game asks Steam for a ticket by GetAuthTicketForWebApi, writes its bytes in hexadecimal, and gives that to WithSocialToken.',
  fields,
  create(given, surroundings) {
    const settings = readSettings(fields, given);
    const { key, appId, identity, host = 'partner', bans = 'ignore', familySharing = 'allow', refusals } = settings;
    requireField(/^[1-9]\d{0,9}$/.test(appId), 'appId', 'the number of the app');
    requireField(!key.includes(' '), 'key', 'without spaces');
    const areNumbers = refusals === undefined || refusals.every((number) => /^\d{1,9}$/.test(number));
    requireField(areNumbers, 'refusals', 'numbers of errors');
    return createCheck('Steam', steps, async (ticket, _, at) => {
      at('form');
      if (!/^([0-9a-f]{2})+$/i.test(ticket)) throw new DoesNotHold('It is not in hexadecimal.');
      at('ticket');
      const url = new URL('/ISteamUserAuth/AuthenticateUserTicket/v1/', hosts[host]);
      url.search = new URLSearchParams({ appid: appId, ticket, ...(identity && { identity }) }).toString();
      const answer = await ask({ url, headers: { Accept: 'application/json', 'x-webapi-key': key } }, surroundings);
      const params = paramsOf(answer, refusals);
      const id = steamId(params, 'steamid');
      at('bans');
      if (bans !== 'ignore') refuseBan(params, 'publisherbanned', 'The publisher has banned the player.');
      if (bans === 'all') refuseBan(params, 'vacbanned', 'VAC has banned the player.');
      at('owner');
      if (familySharing === 'refuse' && steamId(params, 'ownersteamid') !== id) {
        throw new DoesNotHold('The copy belongs to somebody else.');
      }
      return { id };
    });
  },
};

const knownErrors: { readonly [code: number]: string } = {
  101: 'Steam calls the ticket invalid (101).',
  102: 'The ticket is for another app (102).',
};

function paramsOf(answer: unknown, refusals: readonly string[] | undefined): unknown {
  const error = valueAt(answer, ['response', 'error']);
  if (error !== undefined) {
    const code = valueAt(error, ['errorcode']);
    const number = typeof code === 'number' ? code : 0;
    if (refusals?.includes(String(number)) === false) {
      throw new UnknownAnswer(`Steam has an error that refuses no ticket here (${number}).`);
    }
    throw new DoesNotHold(knownErrors[number] ?? `Steam refuses the ticket (${number}).`);
  }
  const params = valueAt(answer, ['response', 'params']);
  if (params === undefined) throw new UnknownAnswer('The answer has no "response.params".');
  if (valueAt(params, ['result']) !== 'OK') throw new DoesNotHold('Steam does not call the ticket OK.');
  return params;
}

function refuseBan(params: unknown, name: string, why: string): void {
  const isBanned = valueAt(params, [name]);
  if (typeof isBanned !== 'boolean') throw new UnknownAnswer(`The answer does not say "${name}".`);
  if (isBanned) throw new DoesNotHold(why);
}

/** A SteamID is a number of 64 bits as text: as a number, JSON would round it to somebody else's. */
function steamId(params: unknown, name: string): string {
  const id = textAt(params, name);
  if (!/^[1-9]\d{0,19}$/.test(id)) throw new UnknownAnswer(`The answer's "${name}" is no SteamID.`);
  return id;
}

/**
 * Checks the tickets that players bring from Steam, for `socialPlatforms` of `createBackend`. What it checks and what
 * is in doubt: docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function steam(options: SteamOptions): SocialVerifier {
  return verifierFrom(steamPreset, options);
}
