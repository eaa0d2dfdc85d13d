import type { PlatformCheck, PlatformPreset, PlatformSettings, PlatformSurroundings } from '../platforms/preset.js';
import { isPlatformName, platformNameForm } from './platform-names.js';
import { SettingsProblem, sortSettings } from './settings.js';

/** A platform of the configuration, by a preset. */
export interface PlatformOptions {
  /** The name of the preset that checks its tokens, such as `discord`. */
  preset: string;
  /** What the preset needs to know, by the names of its fields. */
  settings: PlatformSettings;
}

/** A platform of the configuration, prepared once. No operator can change it. */
export interface ConfiguredPlatform {
  name: string;
  preset: PlatformPreset;
  /** Without what is secret. */
  settings: PlatformSettings;
  /** The names of the secret fields that are set. */
  secrets: readonly string[];
  check: PlatformCheck;
}

/** Prepares the platforms of a game. Throws TypeError naming the option that is wrong. */
export function createConfigured(
  given: { readonly [name: string]: PlatformOptions },
  at: string,
  { presets, surroundings }: { presets: readonly PlatformPreset[]; surroundings: PlatformSurroundings },
): Map<string, ConfiguredPlatform> {
  if (typeof given !== 'object' || given === null) throw new TypeError(`${at} must be an object`);
  const found = new Map<string, ConfiguredPlatform>();
  const issuers = new Set<string>();
  for (const [name, options] of Object.entries(given)) {
    if (!isPlatformName(name)) throw new TypeError(`${at} must have names of ${platformNameForm}`);
    const here = `${at}.${name}`;
    const preset = presets.find((one) => one.name === options?.preset);
    if (preset === undefined) {
      throw new TypeError(`${here}.preset must be one of ${presets.map((one) => one.name).join(', ')}`);
    }
    const { settings } = options;
    if (typeof settings !== 'object' || settings === null) throw new TypeError(`${here}.settings must be an object`);
    const platform = createOne(name, preset, { settings, surroundings, here });
    for (const issuer of platform.check.issuers ?? []) {
      if (issuers.has(issuer)) throw new TypeError(`${here} must have an issuer of its own`);
      issuers.add(issuer);
    }
    found.set(name, platform);
  }
  return found;
}

function createOne(
  name: string,
  preset: PlatformPreset,
  {
    settings: given,
    surroundings,
    here,
  }: { settings: PlatformSettings; surroundings: PlatformSurroundings; here: string },
): ConfiguredPlatform {
  try {
    // Whoever writes the configuration may ask every address.
    const { settings, secrets } = sortSettings(preset, given, { kept: null, rules: null });
    const check = preset.create({ ...settings, ...secrets }, surroundings);
    return { name, preset, settings, secrets: Object.keys(secrets), check };
  } catch (error) {
    if (error instanceof SettingsProblem || error instanceof TypeError) {
      throw new TypeError(`${here}.settings: ${error.message}`);
    }
    throw error;
  }
}
