/**
 * What operators ask about the platforms of a game, and what they are answered. Ours: the
 * interface has no such requests.
 */
import * as z from 'zod/mini';
import { platformDefaults } from './gaps/platforms.js';
import { serviceSizes } from './gaps/service-sizes.js';
import { type JsonObject, jsonObject, lengthOf } from './messages.js';

const presetName = lengthOf(platformDefaults.platformNameLength);
const kind = z.enum(['social', 'identity']);

const platformField = z.object({
  name: z.string(),
  label: z.string(),
  help: z.string(),
  kind: z.enum(['text', 'secret', 'address', 'list', 'choice']),
  choices: z.optional(z.array(z.string())),
  isRequired: z.boolean(),
  example: z.optional(z.string()),
});

/** One thing that a preset needs to know, as a form asks for it. */
export interface PlatformFieldInfo {
  /** The field's name in the settings. */
  name: string;
  /** What stands beside the field in a form. */
  label: string;
  /** What belongs in it, and where the platform shows it. */
  help: string;
  /** A `secret` is shown to nobody once it is set; a `list` is a list of texts; a `choice` is one of `choices`. */
  kind: 'text' | 'secret' | 'address' | 'list' | 'choice';
  /** What a `choice` may be. */
  choices?: string[] | undefined;
  /** Whether the preset cannot do without it. */
  isRequired: boolean;
  /** A value as it could be. */
  example?: string | undefined;
}

export const platformPreset = z.object({
  name: z.string(),
  title: z.string(),
  kind,
  documentation: z.string(),
  help: z.string(),
  fields: z.array(platformField),
});

/** A platform or an identity provider whose tokens the service knows how to check. */
export interface PlatformPresetInfo {
  /** The preset's name. */
  name: string;
  /** The platform's own name. */
  title: string;
  /** Whether players bring a social token, under the platform's registered name, or an identity token. */
  kind: 'social' | 'identity';
  /** The address of the platform's page about the token. */
  documentation: string;
  /** Where to find what is needed. */
  help: string;
  /** What is needed. */
  fields: PlatformFieldInfo[];
}

export const platformPresetsAnswer = z.object({ presets: z.array(platformPreset) });

export const platformAnswer = z.object({
  name: z.string(),
  preset: z.nullable(z.string()),
  kind,
  isOn: z.boolean(),
  source: z.enum(['store', 'configuration']),
  settings: jsonObject,
  secrets: z.array(z.string()),
  problem: z.optional(z.string()),
  version: z.int(),
  createdAt: z.optional(z.int()),
  changedAt: z.optional(z.int()),
});

/** A platform that players of a game may sign in with, as an operator may see it. */
export interface GamePlatform {
  /**
   * The name that clients use for a social platform, and operators for every one. An identity provider of
   * `identityProviders` in the configuration has none: this is its issuer.
   */
  name: string;
  /** The preset that checks its tokens; null where code of the configuration does. */
  preset: string | null;
  /** Whether players bring a social token or an identity token. */
  kind: 'social' | 'identity';
  /** Whether players may sign in with it. */
  isOn: boolean;
  /** `store` where operators have registered it; what is from the `configuration` of the service they cannot change. */
  source: 'store' | 'configuration';
  /** What the preset was told, without what is secret. */
  settings: JsonObject;
  /** The names of the secret fields that are set. */
  secrets: string[];
  /**
   * Why it cannot be used although it may be on; absent where it can. `key_missing`: the service was not given the key
   * that sealed its secrets. `unreadable`: they were changed in the store. `unknown_preset`, `invalid_settings`: this
   * version of the service does not know its preset, or how it was set. `overridden`: the configuration has a platform
   * of this name, or an identity provider with this issuer, which counts. A newer service may have more.
   */
  problem?: string | undefined;
  /** The version that a change rests on; 0 for one from the configuration. */
  version: number;
  /** When it was registered, by the service's clock in ms since 1970; absent for one from the configuration. */
  createdAt?: number | undefined;
  /** When it was changed last; absent for one from the configuration. */
  changedAt?: number | undefined;
}

export const platformsAnswer = z.object({ platforms: z.array(platformAnswer) });

/**
 * `version` is the one that the change rests on; 0 or null for a platform that is not there yet. `takesOver` says that
 * a social platform gets the accounts of those who were linked by its name with another preset.
 */
export const savePlatformRequest = z.object({
  preset: presetName,
  settings: jsonObject,
  isOn: z.boolean(),
  version: z.nullable(z.int().check(z.gte(0))),
  takesOver: z.optional(z.boolean()),
});

/** Without a preset and settings it is the platform as it is registered that is tried. */
export const tryPlatformRequest = z.object({
  token: lengthOf({ min: 1, max: serviceSizes.credentialTokenLength }),
  preset: z.optional(presetName),
  settings: z.optional(jsonObject),
});

const checkStep = z.object({
  step: z.string(),
  result: z.enum(['passed', 'failed', 'not_reached']),
  detail: z.optional(z.string()),
});

export const platformTrialAnswer = z.object({
  player: z.nullable(z.object({ id: z.string(), issuer: z.optional(z.string()) })),
  steps: z.array(checkStep),
});

/** What became of a token that an operator has tried. */
export interface PlatformTrial {
  /** Whose token it is; null where it does not hold, or nobody could find out. */
  player: {
    /** The player's id at the platform. */
    id: string;
    /** Who says so, for an identity provider. */
    issuer?: string | undefined;
  } | null;
  /** Every step of the check, in the order in which they are taken. */
  steps: {
    /** What is checked. */
    step: string;
    /** `not_reached` where an earlier step has failed. */
    result: 'passed' | 'failed' | 'not_reached';
    /** Why it failed. */
    detail?: string | undefined;
  }[];
}
