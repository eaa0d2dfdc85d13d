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
}

/** What leads to the player of a line; null where a hash needs the header that the file has not. */
export function linksOfLine(scope: Scope, header: ImportHeader | null, player: ImportedPlayer): PlacedLink[] | null {
  const { customId, name, identity, social, recovery, devices = [] } = player;
  const links: PlacedLink[] = [];
  const add = (place: LinkPlace, link: Omit<NewLink, keyof Scope | 'credential'>, credential: string | null): void => {
    links.push({ place, link: { ...scope, ...link, credential } });
  };
  if (customId !== undefined) add('customId', { method: 'custom', subject: customId, label: null }, null);
  if (name !== undefined) {
    if (name.firebase !== undefined && header === null) return null;
    const { name: label, mailAddress = null } = name;
    add('name', { method: 'name', subject: usernameSubject(label), label, mailAddress }, credentialOf(name, header));
  }
  if (identity !== undefined) {
    const subject = JSON.stringify([identity.issuer, identity.subject]);
    add('identity', { method: 'identity', subject, label: identity.issuer }, null);
  }
  if (social !== undefined) {
    const subject = JSON.stringify([social.platform, social.id]);
    add('social', { method: 'social', subject, label: social.platform }, null);
  }
  for (const subject of new Set(devices)) add('devices', { method: 'device', subject, label: null }, null);
  if (recovery !== undefined) add('recovery', { method: 'recovery', subject: recovery, label: null }, null);
  return links;
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
  const devices: string[] = [];
  for (const { method, subject, label, credential, mailAddress } of links) {
    if (method === 'custom') members.customId = subject;
    if (method === 'name') {
      members.name = {
        name: label ?? subject,
        ...(secrets.passwords && credential !== null ? { hash: credential } : {}),
        ...(mailAddress === null ? {} : { mailAddress }),
      };
    }
    if (method === 'identity' || method === 'social') {
      const [from = '', id = ''] = JSON.parse(subject) as string[];
      if (method === 'identity') members.identity = { issuer: from, subject: id };
      else members.social = { platform: from, id };
    }
    if (method === 'device' && secrets.devices) devices.push(subject);
  }
  if (devices.length > 0) members.devices = devices;
  if (Object.keys(members).length === 0) return null;
  const recovery = links.find(({ method }) => method === 'recovery')?.subject;
  return recovery !== undefined && secrets.devices ? { ...members, recovery } : members;
}
