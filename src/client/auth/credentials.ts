import { checkText, type Settings } from '../config.js';

/**
 * What a player shows to sign in, or to link: a name and password, an identity provider's token, a social network's
 * token, or a recovery code. `method` says which.
 */
export type Credential =
  | {
      /** A name and password. */
      readonly method: 'name';
      /** The name, as the player wrote it. */
      readonly username: string;
      /** The password. It is sent, and kept nowhere on the device. */
      readonly password: string;
    }
  | {
      /** An identity provider's token. */
      readonly method: 'identity';
      /** The token; its issuer must be registered with the service. */
      readonly token: string;
    }
  | {
      /** A social network's token. */
      readonly method: 'social';
      /** The token. */
      readonly token: string;
      /** The registered platform that the token is from. Default: `socialPlatform` of the configuration. */
      readonly platform?: string | undefined;
    }
  | {
      /** A recovery code. */
      readonly method: 'recovery';
      /** The code: of `client.account.recoveryCode()`, of the deletion of an account, or one from the game's support. */
      readonly code: string;
    };

/** A credential as a request carries it. */
export interface EncodedCredential {
  readonly method: Credential['method'];
  readonly fields: { readonly [name: string]: string };
}

const fieldsOf: { readonly [Method in Credential['method']]: readonly string[] } = {
  name: ['username', 'password'],
  identity: ['token'],
  social: ['token'],
  recovery: ['code'],
};

/** Throws TypeError, with the argument's name first, for what is no credential. */
export function encodeCredential(credential: Credential, { socialPlatform }: Settings): EncodedCredential {
  const given = (credential ?? {}) as { readonly [name: string]: unknown } & Credential;
  const { method } = given;
  if (!Object.hasOwn(fieldsOf, method)) throw new TypeError('method must be name, identity, social or recovery');
  const fields: Record<string, string> = {};
  const add = (name: string, value: unknown): void => {
    checkText(value, name);
    fields[name] = value as string;
  };
  for (const name of fieldsOf[method]) add(name, given[name]);
  const platform = method === 'social' ? (given.platform ?? socialPlatform) : undefined;
  if (platform !== undefined) add('platform', platform);
  return { method, fields };
}
