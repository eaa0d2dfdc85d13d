import { base64url } from 'jose';
import type { AccountLink, NewLink, Scope } from '../stores/records.js';
import type { ImportedPlayer, ImportHeader } from './import-format.js';
import { usernameSubject } from './usernames.js';

/** Where a login method stands in a line. */
export type LinkPlace = 'customId' | 'name' | 'identity' | 'social' | 'recovery' | 'devices';

/** A login method that a line asks for. Null as a password's hash: the player needs a code to set one. */
export interface PlacedLink {
  place: LinkPlace;
  link: NewLink;
  /** When it was linked and last used where it comes from, as far as the line says. */
  times: { linkedAt?: number | undefined; lastUsedAt?: number | undefined };
}

/** What leads to the player of a line; null where a hash needs the header that the file has not. */
export function linksOfLine(scope: Scope, header: ImportHeader | null, player: ImportedPlayer): PlacedLink[] | null {
  const { customId, name, identity, social, recovery, devices = [], methods = {} } = player;
  const links: PlacedLink[] = [];
  type Bare = Omit<NewLink, keyof Scope | 'credential'>;
  const add = (place: keyof typeof methods, link: Bare, credential: string | null): void => {
    links.push({ place, link: { ...scope, ...link, credential }, times: methods[place] ?? {} });
  };
  if (customId !== undefined) add('customId', { method: 'custom', subject: customId, label: null }, null);
  if (name !== undefined) {
    if (name.firebase !== undefined && header === null) return null;
    const { name: label, mailAddress = null, mailAddressAt = null } = name;
    const address = { mailAddress, mailAddressAt };
    add('name', { method: 'name', subject: usernameSubject(label), label, ...address }, credentialOf(name, header));
  }
  if (identity !== undefined) {
    const subject = JSON.stringify([identity.issuer, identity.subject]);
    add('identity', { method: 'identity', subject, label: identity.issuer }, null);
  }
  if (social !== undefined) {
    const subject = JSON.stringify([social.platform, social.id]);
    add('social', { method: 'social', subject, label: social.platform }, null);
  }
  for (const [subject, times] of new Map(devices.map(deviceOf))) {
    const link = { ...scope, method: 'device' as const, subject, label: null, credential: null };
    links.push({ place: 'devices', link, times });
  }
  if (recovery !== undefined) add('recovery', { method: 'recovery', subject: recovery, label: null }, null);
  return links;
}

type ImportedDevice = NonNullable<ImportedPlayer['devices']>[number];

/** A device's hash and its times. An earlier version has exported the hash alone. */
export function deviceOf(device: ImportedDevice): [subject: string, times: PlacedLink['times']] {
  return typeof device === 'string' ? [device, {}] : [device.device, device];
}

function credentialOf(name: NonNullable<ImportedPlayer['name']>, header: ImportHeader | null): string | null {
  const { hash = null, firebase } = name;
  return firebase !== undefined && header !== null ? firebaseHash(header, firebase) : hash;
}

function firebaseHash(
  { firebase: { signerKey, saltSeparator, rounds, memCost } }: ImportHeader,
  { salt, passwordHash }: { salt: string; passwordHash: string },
): string {
  const url = (text: string): string =>
    base64url.encode(base64url.decode(text.replaceAll('+', '-').replaceAll('/', '_')));
  const parameters = [2 ** memCost, rounds, 1, url(saltSeparator), url(signerKey)].join(',');
  return ['firebase-scrypt', parameters, url(salt), url(passwordHash)].join('$');
}

/** Which secrets' hashes a line is to have. */
export interface LineSecrets {
  /** Those of passwords. */
  passwords: boolean;
  /** Those of device ids and of recovery codes. */
  devices: boolean;
}

/** The members of a line that say what leads to an account. None where nothing would lead to it. */
export function membersOfLinks(links: readonly AccountLink[], secrets: LineSecrets): Partial<ImportedPlayer> | null {
  const members: Partial<ImportedPlayer> = {};
  const methods: NonNullable<ImportedPlayer['methods']> = {};
  const devices: ImportedDevice[] = [];
  for (const { method, subject, label, credential, mailAddress, mailAddressAt, linkedAt, lastUsedAt } of links) {
    const times = { linkedAt, lastUsedAt };
    const place = method === 'custom' ? 'customId' : method;
    if (place !== 'device' && (place !== 'recovery' || secrets.devices)) methods[place] = times;
    if (method === 'custom') members.customId = subject;
    if (method === 'name') {
      members.name = {
        name: label ?? subject,
        ...(secrets.passwords && credential !== null ? { hash: credential } : {}),
        ...(mailAddress === null ? {} : { mailAddress }),
        ...(mailAddress === null || mailAddressAt === null ? {} : { mailAddressAt }),
      };
    }
    if (method === 'identity' || method === 'social') {
      const [from = '', id = ''] = JSON.parse(subject) as string[];
      if (method === 'identity') members.identity = { issuer: from, subject: id };
      else members.social = { platform: from, id };
    }
    if (method === 'device' && secrets.devices) devices.push({ device: subject, ...times });
  }
  if (devices.length > 0) members.devices = devices;
  if (Object.keys(members).length === 0) return null;
  const recovery = links.find(({ method }) => method === 'recovery')?.subject;
  return { ...members, ...(recovery !== undefined && secrets.devices ? { recovery } : {}), methods };
}
