import { platformDefaults } from '../../protocol/gaps/platforms.js';
import type { PlatformField, PlatformPreset, PlatformSettings } from '../platforms/preset.js';
import { type AddressRules, addressProblem } from './public-addresses.js';
import type { Secrets } from './sealing.js';

/** What is wrong with the settings of a platform. It names the field, and nothing that was in it. */
export class SettingsProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SettingsProblem';
  }
}

/** The settings of a platform, taken apart: what may be shown, and what is secret. */
export interface SortedSettings {
  settings: PlatformSettings;
  secrets: Secrets;
}

/** What is there already, for the fields that are left out. */
export interface KeptSettings {
  settings: PlatformSettings;
  /** Null where nobody can open them. */
  secrets: Secrets | null;
  /** The names of the secret fields. */
  secretNames: readonly string[];
}

const longestText = 8_192;

/**
 * Checks what an operator has given for the fields of a preset. A secret field that is left out keeps what is there,
 * and null takes it away; all other fields are as they are given. Whoever changes an address has to give the secrets
 * again, because they are sent there. Throws SettingsProblem.
 */
export function sortSettings(
  preset: PlatformPreset,
  given: { readonly [field: string]: unknown },
  { kept, rules }: { kept: KeptSettings | null; rules: AddressRules | null },
): SortedSettings {
  const fields = new Map(preset.fields.map((field) => [field.name, field]));
  for (const name of Object.keys(given)) {
    if (!fields.has(name)) throw new SettingsProblem(`The preset has no field ${readable(name)}: ${namesOf(preset)}.`);
  }
  const settings: { [field: string]: string | readonly string[] } = {};
  const secrets: { [field: string]: string | readonly string[] } = {};
  const left: PlatformField[] = [];
  for (const field of preset.fields) {
    const value = Object.hasOwn(given, field.name) ? given[field.name] : undefined;
    if (value === undefined && field.kind === 'secret') left.push(field);
    else if (value !== undefined && value !== null) {
      (field.kind === 'secret' ? secrets : settings)[field.name] = checked(field, value, rules);
    }
  }
  keepSecrets(secrets, { left, kept, hasMoved: kept !== null && hasMoved(preset, kept.settings, settings) });
  for (const { name, isRequired } of preset.fields) {
    const isThere = Object.hasOwn(settings, name) || Object.hasOwn(secrets, name);
    if (isRequired && !isThere) throw new SettingsProblem(`"${name}" must be given.`);
  }
  const { platformSettingsBytes: max } = platformDefaults;
  if (new TextEncoder().encode(JSON.stringify([settings, secrets])).length > max) {
    throw new SettingsProblem(`The settings must be at most ${max} bytes together.`);
  }
  return { settings, secrets };
}

function keepSecrets(
  secrets: { [field: string]: string | readonly string[] },
  {
    left,
    kept,
    hasMoved: isElsewhere,
  }: { left: readonly PlatformField[]; kept: KeptSettings | null; hasMoved: boolean },
): void {
  for (const { name } of left) {
    if (kept === null || !kept.secretNames.includes(name)) continue;
    if (isElsewhere) throw new SettingsProblem(`"${name}" must be given again, because an address has changed.`);
    const value = kept.secrets === null || !Object.hasOwn(kept.secrets, name) ? undefined : kept.secrets[name];
    if (value === undefined) throw new SettingsProblem(`"${name}" must be given again, because it cannot be opened.`);
    secrets[name] = value;
  }
}

function hasMoved({ fields }: PlatformPreset, before: PlatformSettings, after: PlatformSettings): boolean {
  return fields.some(({ name, kind }) => kind === 'address' && before[name] !== after[name]);
}

function checked(field: PlatformField, value: unknown, rules: AddressRules | null): string | readonly string[] {
  const { name, kind, choices = [] } = field;
  if (kind === 'list') {
    const { platformListItems: max } = platformDefaults;
    if (!Array.isArray(value) || value.length === 0 || value.length > max || !value.every(isText)) {
      throw new SettingsProblem(`"${name}" must be a list of 1 to ${max} texts.`);
    }
    return [...value];
  }
  if (!isText(value)) throw new SettingsProblem(`"${name}" must be a text of 1 to ${longestText} characters.`);
  if (kind === 'choice' && !choices.includes(value)) {
    throw new SettingsProblem(`"${name}" must be one of ${choices.join(', ')}.`);
  }
  const problem = kind === 'address' && rules !== null ? addressProblem(value, rules) : null;
  if (problem !== null) throw new SettingsProblem(`"${name}" ${problem}.`);
  return value;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longestText && !/\p{Cs}/u.test(value);
}

/** A name that somebody has sent is shown only where it could be the name of a field. */
function readable(name: string): string {
  return /^\w{1,40}$/.test(name) ? `"${name}"` : 'of this name';
}

function namesOf({ fields }: PlatformPreset): string {
  return fields.length === 0 ? 'it has none' : `it has ${fields.map(({ name }) => name).join(', ')}`;
}
