import { isLoopbackHost } from '../loopback.js';
import type { SocialVerifier } from '../providers/social.js';
import type { PlatformField, PlatformPreset, PlatformSettings, PlatformSurroundings } from './preset.js';

/** What a preset's fields hold, once they are checked. */
export type SettingsOf<Fields extends readonly PlatformField[]> = {
  readonly [Field in Fields[number] as Field['name']]: Field['isRequired'] extends true
    ? ValueOf<Field>
    : ValueOf<Field> | undefined;
};

type ValueOf<Field extends PlatformField> = Field['kind'] extends 'list'
  ? readonly string[]
  : Field extends { choices: readonly (infer Choice)[] }
    ? Choice
    : string;

/** The longest that a text of the settings may be, in characters, and the longest list. */
const longestText = 4_096;
const longestList = 100;

/** Checks settings by the fields that a preset has. Throws TypeError naming the one that is wrong. */
export function readSettings<const Fields extends readonly PlatformField[]>(
  fields: Fields,
  settings: PlatformSettings,
): SettingsOf<Fields> {
  for (const name of Object.keys(settings)) {
    requireField(
      fields.some((field) => field.name === name),
      name,
      'left out: this platform has no such field',
    );
  }
  const values = fields.map((field) => {
    const value = Object.hasOwn(settings, field.name) ? settings[field.name] : undefined;
    requireField(value !== undefined || !field.isRequired, field.name, 'given');
    return [field.name, value === undefined ? undefined : readValue(field, value)];
  });
  return Object.fromEntries(values);
}

function readValue({ name, kind, choices }: PlatformField, value: string | readonly string[]): unknown {
  if (kind === 'list') {
    const list: readonly unknown[] = typeof value === 'string' ? [value] : value;
    const isList = Array.isArray(list) && list.length > 0 && list.length <= longestList;
    requireField(isList && list.every(isText), name, 'a text, or a list of texts, without white space around them');
    return [...list];
  }
  requireField(isText(value), name, 'a text without white space around it');
  if (kind === 'choice') requireField(choices?.includes(value) === true, name, `one of ${choices?.join(', ')}`);
  if (kind === 'secret') requireField(/^[ -~]+$/.test(value), name, 'of printable ASCII');
  if (kind === 'address') {
    requireField(isAddress(value), name, 'an https address without a password and a fragment, or http on this machine');
  }
  return value;
}

/**
 * Throws TypeError for a field that does not hold what it should. The message never has the
 * value, which may be a secret.
 */
export function requireField(holds: boolean, name: string, what: string): asserts holds {
  if (!holds) throw new TypeError(`${name} must be ${what}`);
}

/** What a game's code has given, as settings and surroundings; code may write numbers where a form has text. */
export function settingsFrom(options: PlatformSurroundings & object): {
  settings: PlatformSettings;
  surroundings: PlatformSurroundings;
} {
  requireField(typeof options === 'object' && options !== null, 'options', 'an object');
  const { fetch, timeoutMs, ...others } = options;
  requireField(fetch === undefined || typeof fetch === 'function', 'fetch', 'a function');
  const isTime = timeoutMs === undefined || (Number.isSafeInteger(timeoutMs) && timeoutMs > 0);
  requireField(isTime, 'timeoutMs', 'an integer from 1 up');
  const given = Object.entries(others as { [name: string]: PlatformSettings[string] | number | undefined });
  const settings = given.flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [[name, typeof value === 'number' ? String(value) : value] as const];
  });
  return { settings: Object.fromEntries(settings), surroundings: { fetch, timeoutMs } };
}

/** What a preset makes of the options that a game's code gives it: the verifier for `socialPlatforms`. */
export function verifierFrom(preset: PlatformPreset, options: PlatformSurroundings & object): SocialVerifier {
  const { settings, surroundings } = settingsFrom(options);
  return preset.create(settings, surroundings).verify;
}

function isText(value: unknown): value is string {
  const isShort = typeof value === 'string' && value !== '' && value.length <= longestText;
  // Control and format characters, such as those that turn the direction of writing around, are
  // in no id and no address.
  return isShort && value.trim() === value && !/\p{C}/u.test(value);
}

/** Who listens on the way could answer in the platform's place; on the machine itself there is no way. */
function isAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, hash } = new URL(text);
  const isHere = isLoopbackHost(hostname);
  return (protocol === 'https:' || (protocol === 'http:' && isHere)) && username + password + hash === '';
}
