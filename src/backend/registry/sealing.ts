import { base64url } from 'jose';
import { platformDefaults } from '../../protocol/gaps/platforms.js';
import { sha256 } from '../sha256.js';

/** The secret fields of a platform, by their names. */
export type Secrets = { readonly [field: string]: string | readonly string[] };

/**
 * What became of sealed secrets: `key_missing` where the key that sealed them is not given, `unreadable`
 * where they were changed.
 */
export type Opened = { outcome: 'opened'; secrets: Secrets } | { outcome: 'key_missing' | 'unreadable' };

/**
 * Seals secrets, so that whoever reads the store or a backup of it does not read them. What is sealed belongs to
 * `about`, and is unreadable beside anything else.
 */
export interface Sealer {
  /** Whether there is a key to seal with. */
  readonly canSeal: boolean;
  /** Rejects where there is no key. */
  seal(secrets: Secrets, about: string): Promise<string>;
  open(sealed: string, about: string): Promise<Opened>;
  /** Whether something was sealed by the present key, and not by a former one. */
  isCurrent(sealed: string): Promise<boolean>;
}

export interface SealingKeys {
  /** The key that seals: 32 bytes in base64url, such as `savepoint new-key sealing` makes. */
  sealingKey?: string | undefined;
  /** Keys that sealed before it did; what they sealed can be opened while they are given. */
  formerSealingKeys?: readonly string[] | undefined;
}

const form = 'v1';
const ivBytes = 12;
const keyNameLength = 12;

export function isSealingKey(text: unknown): text is string {
  return typeof text === 'string' && /^[\w-]{42}[AEIMQUYcgkosw048]$/.test(text);
}

/** What keys are known by: it tells nothing of the key. */
export async function sealingKeyName(key: string): Promise<string> {
  return base64url.encode(await sha256(`name of a sealing key:${key}`)).slice(0, keyNameLength);
}

/** Why the keys cannot be used, as the option and what it must be; null where they can. */
export function sealingProblem({
  sealingKey,
  formerSealingKeys: former = [],
}: SealingKeys): { option: string; what: string } | null {
  const { formerSealingKeys: max } = platformDefaults;
  const keyForm = '32 bytes in base64url, as savepoint new-key sealing makes them';
  if (sealingKey !== undefined && !isSealingKey(sealingKey)) return { option: 'sealingKey', what: keyForm };
  if (!Array.isArray(former) || former.length > max || !former.every(isSealingKey)) {
    return { option: 'formerSealingKeys', what: `a list of at most ${max} keys, each ${keyForm}` };
  }
  if (former.length > 0 && sealingKey === undefined) {
    return { option: 'sealingKey', what: 'given, where there are former ones' };
  }
  return null;
}

/** AES-256-GCM (NIST SP 800-38D) with a nonce of its own for each time that something is sealed. */
export function createSealer(
  { sealingKey, formerSealingKeys = [] }: SealingKeys,
  random: (size: number) => Uint8Array,
): Sealer {
  const given = sealingKey === undefined ? [] : [sealingKey, ...formerSealingKeys];
  let named: Promise<Map<string, CryptoKey>> | undefined;
  const keys = () => {
    named ??= Promise.all(given.map(async (key) => [await sealingKeyName(key), await importKey(key)] as const)).then(
      (all) => new Map(all),
    );
    return named;
  };

  return {
    canSeal: given.length > 0,

    async seal(secrets, about) {
      const [present] = await keys();
      if (present === undefined) throw new Error('There is no key to seal with.');
      const [name, key] = present;
      const iv = random(ivBytes);
      const text = new TextEncoder().encode(JSON.stringify(secrets));
      const sealed = await crypto.subtle.encrypt(parameters(iv, about), key, text);
      return [form, name, base64url.encode(iv), base64url.encode(new Uint8Array(sealed))].join('.');
    },

    async open(sealed, about) {
      const [foundForm, name = '', iv = '', text = ''] = sealed.split('.');
      if (foundForm !== form) return { outcome: 'unreadable' };
      const key = (await keys()).get(name);
      if (key === undefined) return { outcome: 'key_missing' };
      try {
        const bytes = await crypto.subtle.decrypt(
          parameters(base64url.decode(iv), about),
          key,
          base64url.decode(text) as Uint8Array<ArrayBuffer>,
        );
        return { outcome: 'opened', secrets: JSON.parse(new TextDecoder().decode(bytes)) as Secrets };
      } catch {
        // What is thrown says nothing that an operator could use.
        return { outcome: 'unreadable' };
      }
    },

    async isCurrent(sealed) {
      const [present] = await keys();
      return sealed.split('.')[1] === present?.[0];
    },
  };
}

function importKey(key: string): Promise<CryptoKey> {
  const bytes = base64url.decode(key) as Uint8Array<ArrayBuffer>;
  return crypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt', 'decrypt']);
}

function parameters(iv: Uint8Array, about: string): AesGcmParams {
  return {
    name: 'AES-GCM',
    iv: iv as Uint8Array<ArrayBuffer>,
    additionalData: new TextEncoder().encode(about),
  };
}
