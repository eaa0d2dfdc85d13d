import { checkText, type Settings } from '../config.js';

/** What a player shows to be let in. A recovery code is from `client.account.recoveryCode()`, or from a deletion. */
export type Credential =
  | { readonly method: 'name'; readonly username: string; readonly password: string }
  | { readonly method: 'identity'; readonly token: string }
  | {
      readonly method: 'social';
      readonly token: string;
      /** By default `socialPlatform` of the configuration. */
      readonly platform?: string | undefined;
    }
  | { readonly method: 'recovery'; readonly code: string };

/** The same as it travels. */
export interface ShownCredential {
  readonly method: Credential['method'];
  readonly fields: { readonly [name: string]: string };
}

const fieldsOf: { readonly [Method in Credential['method']]: readonly string[] } = {
  name: ['username', 'password'],
  identity: ['token'],
  social: ['token'],
  recovery: ['code'],
};

/** Throws TypeError, with the argument's name first. */
export function showCredential(credential: Credential, { socialPlatform }: Settings): ShownCredential {
  const given = (credential ?? {}) as { readonly [name: string]: unknown } & Credential;
  const { method } = given;
  if (!Object.hasOwn(fieldsOf, method)) throw new TypeError('method must be name, identity, social or recovery');
  const fields: Record<string, string> = {};
  const take = (name: string, value: unknown): void => {
    checkText(value, name);
    fields[name] = value as string;
  };
  for (const name of fieldsOf[method]) take(name, given[name]);
  const platform = method === 'social' ? (given.platform ?? socialPlatform) : undefined;
  if (platform !== undefined) take('platform', platform);
  return { method, fields };
}
