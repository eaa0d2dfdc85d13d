import { createHmac, sign as signWithKey } from 'node:crypto';
import { exportSPKI, generateKeyPair, SignJWT } from 'jose';
import type { PlatformSettings } from 'savepoint/backend/platforms';
import { createSigningKey, keySet, type SigningKey } from '../../support/token-issuer.js';

/** A platform as its documentation describes it, with one app that is this game's and one that is not. */
export interface PlatformDouble {
  settings: PlatformSettings;
  /** What must not be told to anybody. */
  secrets: readonly string[];
  /** The platform over HTTP; null where it is asked nothing. */
  fetch: ((request: Request) => Promise<Response>) | null;
  /** A token as the platform makes it at a time. */
  tokenFor(player: string, now: number): Promise<string>;
  /** A token that the platform made for another app. */
  tokenForAnotherApp(player: string, now: number): Promise<string>;
  /** Who the player is to the service. */
  player: { id: string; issuer?: string };
  /** How long a token lasts here, in ms; null where the platform alone knows it. */
  lifetimeMs: number | null;
  /** Whether the platform takes a token once; false if left out. */
  isGoodOnce?: boolean;
}

const minute = 60_000;
const hour = 60 * minute;
const seconds = (now: number): number => Math.floor(now / 1000);
const noSuchPage = (): Response => new Response('Not Found', { status: 404 });

function site(answers: { [address: string]: (request: Request) => Response | Promise<Response> }) {
  return async (request: Request): Promise<Response> => {
    const { origin, pathname } = new URL(request.url);
    return answers[`${origin}${pathname}`]?.(request) ?? noSuchPage();
  };
}

interface OidcShape {
  issuer: string;
  settings: PlatformSettings;
  /** Where the keys are; a configuration leads there where there is one. */
  keys: string;
  hasConfiguration: boolean;
  tokenIssuer?: string;
  player: string;
}

function openIdDouble(key: SigningKey, shape: OidcShape): PlatformDouble {
  const { issuer, settings, keys, hasConfiguration, player } = shape;
  const token = (aud: string, sub: string, now: number) =>
    key.sign({ iss: shape.tokenIssuer ?? issuer, aud, sub, iat: seconds(now), exp: seconds(now) + 600 });
  return {
    settings,
    secrets: [],
    fetch: site({
      [keys]: () => Response.json(keySet(key)),
      ...(hasConfiguration
        ? { [`${issuer}/.well-known/openid-configuration`]: () => Response.json({ issuer, jwks_uri: keys }) }
        : {}),
    }),
    tokenFor: (sub, now) => token('the-game', sub, now),
    tokenForAnotherApp: (sub, now) => token('another-app', sub, now),
    player: { id: player, issuer },
    lifetimeMs: 10 * minute,
  };
}

/** The answers and the example values are those of docs.discord.com/developers/topics/oauth2. */
export function discordDouble(accepts: 'accessToken' | 'code'): PlatformDouble {
  const application = '159799960412356608';
  const clientSecret = '937it3ow87i4ery69876wqire';
  const redirectUri = 'https://nicememe.website';
  const apps = new Map<string, { application: string; user: string }>();
  const codes = new Map<string, string>();
  let made = 0;
  const issue = async (forApp: string, user: string): Promise<string> => {
    made += 1;
    const accessToken = `6qrZcUqja7812RVdnEKjpzOL4CvHBFG${made}`;
    apps.set(accessToken, { application: forApp, user });
    if (accepts === 'accessToken') return accessToken;
    codes.set(`NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee${made}`, accessToken);
    return `NhhvTDYsFcdgNLnnLijcl7Ku7bEEeee${made}`;
  };
  return {
    settings:
      accepts === 'code' ? { clientId: application, accepts, clientSecret, redirectUri } : { clientId: application },
    secrets: accepts === 'code' ? [clientSecret] : [],
    fetch: site({
      async 'https://discord.com/api/v10/oauth2/token'(request) {
        const form = new URLSearchParams(await request.text());
        const basic = `Basic ${btoa(`${application}:${clientSecret}`)}`;
        if (request.headers.get('authorization') !== basic)
          return Response.json({ error: 'invalid_client' }, { status: 401 });
        const isForm = request.headers.get('content-type')?.startsWith('application/x-www-form-urlencoded') === true;
        const code = form.get('code') ?? '';
        const accessToken = codes.get(code);
        codes.delete(code);
        const isGrant = form.get('grant_type') === 'authorization_code' && form.get('redirect_uri') === redirectUri;
        if (!isForm || !isGrant || accessToken === undefined) {
          return Response.json(
            { error: 'invalid_grant', error_description: 'Invalid "code" in request.' },
            { status: 400 },
          );
        }
        return Response.json({
          access_token: accessToken,
          token_type: 'Bearer',
          expires_in: 604_800,
          refresh_token: 'D43f5y0ahjqew82jZ4NViEr2YafMKhue',
          scope: 'identify',
        });
      },
      'https://discord.com/api/v10/oauth2/@me'(request) {
        const found = apps.get(request.headers.get('authorization')?.replace(/^Bearer /, '') ?? '');
        if (found === undefined) return Response.json({ message: '401: Unauthorized', code: 0 }, { status: 401 });
        return Response.json({
          application: { id: found.application, name: 'AIRHORN SOLUTIONS', hook: true, bot_public: true },
          scopes: ['guilds.join', 'identify'],
          expires: '2021-01-23T02:33:17.017000+00:00',
          user: { id: found.user, username: 'discord', discriminator: '0', global_name: 'Discord' },
        });
      },
    }),
    tokenFor: (user) => issue(application, user),
    tokenForAnotherApp: (user) => issue('290926444748734499', user),
    player: { id: '268473310986240001' },
    lifetimeMs: null,
  };
}

/** As partner.steamgames.com/doc/webapi/ISteamUserAuth has the request; the answers as verifiers in use read them. */
export function steamDouble(more: { [name: string]: unknown } = {}): PlatformDouble {
  const key = 'A1B2C3D4E5F60718293A4B5C6D7E8F90';
  const tickets = new Map<string, { app: string; steamid: string }>();
  let made = 0;
  const issue = async (app: string, steamid: string): Promise<string> => {
    made += 1;
    const ticket = Buffer.from(`ticket ${made} of ${steamid}`).toString('hex').toUpperCase();
    tickets.set(ticket, { app, steamid });
    return ticket;
  };
  const refusal = (errorcode: number, errordesc: string): Response =>
    Response.json({ response: { error: { errorcode, errordesc } } });
  return {
    settings: { key, appId: '480', identity: 'the-game' },
    secrets: [key],
    fetch: site({
      'https://partner.steam-api.com/ISteamUserAuth/AuthenticateUserTicket/v1/'(request) {
        const asked = new URL(request.url).searchParams;
        if (request.method !== 'GET' || request.headers.get('x-webapi-key') !== key || asked.get('appid') !== '480') {
          return new Response('<html><head><title>Forbidden</title></head></html>', { status: 403 });
        }
        const found = tickets.get(asked.get('ticket') ?? '');
        if (found === undefined || asked.get('identity') !== 'the-game') return refusal(101, 'Invalid ticket');
        if (found.app !== '480') return refusal(102, 'Ticket for other app');
        const { steamid } = found;
        const params = { result: 'OK', steamid, ownersteamid: steamid, vacbanned: false, publisherbanned: false };
        return Response.json({ response: { params: { ...params, ...more } } });
      },
    }),
    tokenFor: (player) => issue('480', player),
    tokenForAnotherApp: (player) => issue('570', player),
    player: { id: '76561197960287930' },
    lifetimeMs: null,
  };
}

/** As docs.crazygames.com/sdk/user has the token and its key. */
async function crazyGamesDouble(): Promise<PlatformDouble> {
  const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
  const pem = await exportSPKI(publicKey);
  const token = (gameId: string, userId: string, now: number) =>
    new SignJWT({
      userId,
      gameId,
      username: 'RustyCake.ZU9H',
      profilePictureUrl: 'https://images.crazygames.com/userportal/avatars/16.png',
      iat: seconds(now),
      exp: seconds(now) + 3600,
    })
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .sign(privateKey);
  return {
    settings: { gameId: '20267' },
    secrets: [],
    fetch: site({ 'https://sdk.crazygames.com/publicKey.json': () => Response.json({ publicKey: pem }) }),
    tokenFor: (player, now) => token('20267', player, now),
    tokenForAnotherApp: (player, now) => token('31415', player, now),
    player: { id: 'UOuZBKgjwpY9k4TSBB2NPugbsHD3' },
    lifetimeMs: 60 * minute,
  };
}

/** Writes initData as core.telegram.org/bots/webapps describes it, signed with a bot's token. */
export function telegramInitData(fields: { [name: string]: string }, botToken: string): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const secret = createHmac('sha256', 'WebAppData').update(botToken).digest();
  const hash = createHmac('sha256', secret).update(lines.sort().join('\n')).digest('hex');
  return new URLSearchParams({ ...fields, hash }).toString();
}

export const telegramFields = (player: string, now: number): { [name: string]: string } => ({
  query_id: 'AAHdF6IQAAAAAN0XohDhrOrc',
  user: `{"id":${player},"first_name":"Ada \\u003d &","username":"ada","language_code":"en","allows_write_to_pm":true}`,
  auth_date: String(seconds(now)),
});

const botToken = '12345678:AAHI25ES9xCOMPokpYoz-p8XVrZUdygo2J4';

const telegramDouble: PlatformDouble = {
  settings: { botToken },
  secrets: [botToken, botToken.slice(9)],
  fetch: null,
  tokenFor: async (player, now) => telegramInitData(telegramFields(player, now), botToken),
  tokenForAnotherApp: async (player, now) => telegramInitData(telegramFields(player, now), '87654321:another-bot'),
  player: { id: '279058397' },
  lifetimeMs: 24 * 60 * minute,
};

/** As the steps of developers.facebook.com/docs/games/instant-games/sdk have it, over the payload as it is sent. */
export function facebookSignature(payload: unknown, secret: string): string {
  const encoded = Buffer.from(typeof payload === 'string' ? payload : JSON.stringify(payload)).toString('base64url');
  return `${createHmac('sha256', secret).update(encoded).digest('base64url')}.${encoded}`;
}

const appSecret = '0123456789abcdef0123456789abcdef';
const playerInfo = (player: string, now: number) => ({
  algorithm: 'HMAC-SHA256',
  issued_at: seconds(now),
  player_id: player,
  request_payload: 'my_metadata',
});

const facebookDouble: PlatformDouble = {
  settings: { appSecret },
  secrets: [appSecret],
  fetch: null,
  tokenFor: async (player, now) => facebookSignature(playerInfo(player, now), appSecret),
  tokenForAnotherApp: async (player, now) => facebookSignature(playerInfo(player, now), 'the secret of another app'),
  player: { id: '2059189060823983' },
  lifetimeMs: 15 * minute,
};

/** A network that answers as RFC 7662 has it, and leaves it to whoever asks to look at `exp`. */
function networkDouble(): PlatformDouble {
  const known = new Map<string, { client_id: string; sub: string; exp: number }>();
  let made = 0;
  const issue = async (client_id: string, sub: string, now: number): Promise<string> => {
    made += 1;
    known.set(`mF_9.B5f-4.1JqM${made}`, { client_id, sub, exp: seconds(now + hour) });
    return `mF_9.B5f-4.1JqM${made}`;
  };
  const authorization = 'Basic dGhlLWdhbWU6aW50cm9zcGVjdA==';
  return {
    settings: {
      address: 'https://network.example/introspect',
      sendAs: 'form',
      authorization,
      playerPath: 'sub',
      appPath: 'client_id',
      appId: 'the-game',
    },
    secrets: [authorization, 'dGhlLWdhbWU6aW50cm9zcGVjdA=='],
    fetch: site({
      async 'https://network.example/introspect'(request) {
        if (request.headers.get('authorization') !== authorization) return new Response(null, { status: 401 });
        const found = known.get(new URLSearchParams(await request.text()).get('token') ?? '');
        return Response.json(found === undefined ? { active: false } : { active: true, ...found });
      },
    }),
    tokenFor: (player, now) => issue('the-game', player, now),
    tokenForAnotherApp: (player, now) => issue('another-app', player, now),
    player: { id: 'Z5O3upPC88QrAjx00dis' },
    lifetimeMs: hour,
  };
}

/** One double for each preset. */
export async function createDoubles(): Promise<{ [preset: string]: PlatformDouble }> {
  const [own, ofGoogle, ofApple, ofPortal] = await Promise.all([
    createSigningKey('own', 'RS256'),
    createSigningKey('google', 'RS256'),
    createSigningKey('apple', 'RS256'),
    createSigningKey('portal', 'ES256'),
  ]);
  const portal = openIdDouble(ofPortal, {
    issuer: 'https://portal.example',
    settings: { keys: 'https://portal.example/keys', issuer: 'https://portal.example', audience: ['the-game'] },
    keys: 'https://portal.example/keys',
    hasConfiguration: false,
    player: 'ada',
  });
  return {
    oidc: openIdDouble(own, {
      issuer: 'https://id.example/players',
      settings: { issuer: 'https://id.example/players', clientId: ['the-game', 'the-game-on-phones'] },
      keys: 'https://keys.example/jwks',
      hasConfiguration: true,
      player: 'ada',
    }),
    google: openIdDouble(ofGoogle, {
      issuer: 'https://accounts.google.com',
      settings: { clientId: 'the-game' },
      keys: 'https://www.googleapis.com/oauth2/v3/certs',
      hasConfiguration: true,
      player: '110169484474386276334',
    }),
    apple: openIdDouble(ofApple, {
      issuer: 'https://appleid.apple.com',
      settings: { clientId: ['the-game'] },
      keys: 'https://appleid.apple.com/auth/keys',
      hasConfiguration: false,
      player: '000792.d71059495fa24644b94e4a644e2e3b4a.0638',
    }),
    discord: discordDouble('accessToken'),
    steam: steamDouble(),
    crazyGames: await crazyGamesDouble(),
    telegram: telegramDouble,
    facebookInstant: facebookDouble,
    signedToken: { ...portal, player: { id: 'ada' } },
    network: networkDouble(),
  };
}

/** Signs initData as Telegram does for third parties, with a key of the test's. */
export function telegramSignature(text: string, privateKey: Parameters<typeof signWithKey>[2]): string {
  return signWithKey(null, Buffer.from(text), privateKey).toString('base64url');
}
