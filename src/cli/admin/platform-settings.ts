import type { PlatformPresetInfo } from '../../server/index.js';
import type { Io } from '../io.js';
import { nearest } from '../nearest.js';
import { findSecret } from '../secrets.js';
import { UsageError } from '../usage-error.js';

/** How the settings of a platform are given. */
export const settingsOptions = {
  set: { type: 'string', multiple: true },
  unset: { type: 'string', multiple: true },
  'secret-env': { type: 'string', multiple: true },
  'secret-file': { type: 'string', multiple: true },
} as const;

export interface SettingsArguments {
  set?: readonly string[] | undefined;
  unset?: readonly string[] | undefined;
  'secret-env'?: readonly string[] | undefined;
  'secret-file'?: readonly string[] | undefined;
}

/** Fields by their names; null for one that is to be taken away. */
export interface GivenSettings {
  [field: string]: string | string[] | null;
}

/**
 * Reads what the options give. What is secret comes from the environment, a file or stdin, and
 * never from the command line.
 */
export async function givenSettings(
  { set = [], unset = [], ...from }: SettingsArguments,
  preset: PlatformPresetInfo,
  io: Io,
): Promise<GivenSettings> {
  const given = new Map<string, string | string[] | null>();
  for (const text of set) {
    const [name, value] = pairOf(text, '--set <field>=<value>');
    const { kind } = fieldOf(preset, name);
    if (kind === 'secret') {
      throw new UsageError(
        `${name} is a secret, which must not be on the command line: --secret-env ${name}=<variable>, or --secret-file ${name}=<file>, where - is stdin`,
      );
    }
    if (kind === 'list') given.set(name, [...([given.get(name) ?? []].flat() as string[]), value]);
    else given.set(name, value);
  }
  for (const text of from['secret-env'] ?? []) {
    const [name, variable] = pairOf(text, '--secret-env <field>=<variable>');
    given.set(fieldOf(preset, name).name, await secretOf(io, name, { variable, file: undefined }));
  }
  for (const text of from['secret-file'] ?? []) {
    const [name, file] = pairOf(text, '--secret-file <field>=<file>');
    given.set(fieldOf(preset, name).name, await secretOf(io, name, { variable: '', file }));
  }
  for (const name of unset) given.set(fieldOf(preset, name).name, null);
  return Object.fromEntries(given);
}

/** Settings as they were, with those that are given in their place. */
export function withSettings(before: { [field: string]: string | string[] }, given: GivenSettings): GivenSettings {
  return { ...before, ...given };
}

async function secretOf(io: Io, name: string, source: { variable: string; file: string | undefined }): Promise<string> {
  const found = await findSecret(io, { what: `the secret ${name}`, option: 'secret-file', ...source });
  if (found === null) throw new UsageError(`the variable that --secret-env names for ${name} is not set`);
  return found;
}

/** What stands behind the sign may be a secret that somebody has given in the wrong place, and is not shown. */
function pairOf(text: string, form: string): [name: string, value: string] {
  const at = text.indexOf('=');
  if (at < 1 || at === text.length - 1) throw new UsageError(`give ${form}`);
  return [text.slice(0, at), text.slice(at + 1)];
}

function fieldOf({ name: preset, fields }: PlatformPresetInfo, name: string): PlatformPresetInfo['fields'][number] {
  const found = fields.find((field) => field.name === name);
  if (found !== undefined) return found;
  const names = fields.map((field) => field.name);
  const meant = nearest(name, names);
  const hint = meant === null ? `there are ${names.join(', ')}` : `did you mean ${meant}?`;
  throw new UsageError(`the preset ${preset} has no such field; ${hint}`);
}
