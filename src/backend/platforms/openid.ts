import type { IdentityProviderOptions } from '../providers/identity-tokens.js';
import { createIdentityCheck } from './identity-check.js';
import type { PlatformField, PlatformPreset, PlatformSettings, PlatformSurroundings } from './preset.js';
import { readSettings, requireField, settingsFrom } from './settings.js';

/** Any OpenID provider. */
export interface OidcOptions extends PlatformSurroundings {
  /** The provider's address, letter for letter as its tokens' `iss` has it: https, or http on this machine. */
  issuer: string;
  /** The game's client id at the provider, or several. */
  clientId: string | readonly string[];
}

/** The game at Apple, and what Google takes of it. */
export interface ClientOptions extends PlatformSurroundings {
  /** The game's client id there, or several, such as one for each of its stores. */
  clientId: string | readonly string[];
}

/** The game at Google. */
export interface GoogleOptions extends ClientOptions {
  /** In which spellings `iss` counts: with `https://` and without it (`both`, the default), or with it alone. */
  issuers?: 'both' | 'https';
}

const oidcFields = [
  {
    name: 'issuer',
    label: 'Issuer',
    help: 'The address that stands in the tokens as `iss`, letter for letter. Its configuration must be below it, at /.well-known/openid-configuration.',
    kind: 'address',
    isRequired: true,
    example: 'https://id.example.com/realms/players',
  },
  {
    name: 'clientId',
    label: 'Client ids',
    help: 'The ids that the provider gave to the game. A token that was made for another client is refused.',
    kind: 'list',
    isRequired: true,
    example: 'my-game',
  },
] as const satisfies readonly PlatformField[];

/** @see https://openid.net/specs/openid-connect-core-1_0.html 3.1.3.7 */
export const oidcPreset = identityPreset({
  name: 'oidc',
  title: 'OpenID Connect',
  documentation: 'https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation',
  help: 'Register the game as a client at the provider. The provider shows its issuer and the client id there; the keys are found by the issuer (OpenID Connect Discovery).',
  fields: oidcFields,
  provider(settings) {
    const { issuer, clientId } = readSettings(oidcFields, settings);
    requireField(!issuer.includes('?'), 'issuer', 'an address without a query');
    return { issuer, audience: clientId };
  },
});

const googleFields = [
  {
    name: 'clientId',
    label: 'Client ids',
    help: 'On the page "Clients" of the Google Cloud Console. One for each kind of app: web, Android, iOS.',
    kind: 'list',
    isRequired: true,
    example: '1234567890-abc123.apps.googleusercontent.com',
  },
  {
    name: 'issuers',
    label: 'Spellings of the issuer',
    help: 'Google documents `iss` with https:// and without it, and not when it comes without. both if left out; https takes the first alone.',
    kind: 'choice',
    choices: ['both', 'https'],
    isRequired: false,
  },
] as const satisfies readonly PlatformField[];

/**
 * Google writes its issuer with and without `https://`, and documents both; a player is the same under each.
 *
 * @see https://developers.google.com/identity/gsi/web/guides/verify-google-id-token
 */
export const googlePreset = identityPreset({
  name: 'google',
  title: 'Google',
  documentation: 'https://developers.google.com/identity/gsi/web/guides/verify-google-id-token',
  help: 'Create a client for the game in the Google Cloud Console. The page gives the ID token that Sign in with Google hands it (`credential`) to WithIdentityToken.',
  fields: googleFields,
  provider(settings) {
    const { clientId, issuers = 'both' } = readSettings(googleFields, settings);
    const issuerAliases = issuers === 'both' ? ['accounts.google.com'] : [];
    return { issuer: 'https://accounts.google.com', issuerAliases, audience: clientId };
  },
});

const appleFields = [
  {
    name: 'clientId',
    label: 'Client ids',
    help: 'The Services ID for web pages, the App ID (bundle id) for apps: Certificates, Identifiers & Profiles of the Apple developer account.',
    kind: 'list',
    isRequired: true,
    example: 'com.example.game.web',
  },
] as const satisfies readonly PlatformField[];

/**
 * @see https://developer.apple.com/documentation/signinwithapple/verifying-a-user
 * @see
 * https://developer.apple.com/documentation/signinwithapplerestapi/fetch-apple's-public-key-for-verifying-token-signature
 */
export const applePreset = identityPreset({
  name: 'apple',
  title: 'Apple',
  documentation: 'https://developer.apple.com/documentation/signinwithapple/verifying-a-user',
  help: 'Register an identifier for the game with Sign in with Apple. The page gives the `id_token` of the answer to WithIdentityToken.',
  fields: appleFields,
  provider(settings) {
    const { clientId } = readSettings(appleFields, settings);
    return { issuer: 'https://appleid.apple.com', audience: clientId, keys: 'https://appleid.apple.com/auth/keys' };
  },
});

/**
 * Any OpenID provider, for `identityProviders` of `createBackend`. What it checks and what is in doubt:
 * docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function oidc(options: OidcOptions): IdentityProviderOptions {
  return oidcPreset.provider(settingsFrom(options));
}

/**
 * Sign in with Google, for `identityProviders` of `createBackend`. What it checks and what is in doubt:
 * docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function google(options: GoogleOptions): IdentityProviderOptions {
  return googlePreset.provider(settingsFrom(options));
}

/**
 * Sign in with Apple, for `identityProviders` of `createBackend`. What it checks and what is in doubt:
 * docs/platforms.md. Throws TypeError naming the option that is wrong.
 */
export function apple(options: ClientOptions): IdentityProviderOptions {
  return applePreset.provider(settingsFrom(options));
}

/** A preset that is an OpenID provider with some things said already. */
interface IdentityPreset extends PlatformPreset {
  provider(given: { settings: PlatformSettings; surroundings: PlatformSurroundings }): IdentityProviderOptions;
}

function identityPreset({
  provider: providerOf,
  ...preset
}: Omit<PlatformPreset, 'kind' | 'create'> & {
  provider(settings: PlatformSettings): IdentityProviderOptions;
}): IdentityPreset {
  const provider: IdentityPreset['provider'] = ({ settings, surroundings: { fetch, timeoutMs } }) => ({
    ...providerOf(settings),
    ...(fetch === undefined ? {} : { fetch }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  });
  return {
    ...preset,
    kind: 'identity',
    provider,
    create: (settings, surroundings) => createIdentityCheck(preset.title, provider({ settings, surroundings })),
  };
}
