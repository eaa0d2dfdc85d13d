import { adminOperations } from '../protocol/admin-operations.js';
import {
  type GamePlatform,
  type PlatformPresetInfo,
  type PlatformTrial,
  platformAnswer,
  platformPresetsAnswer,
  platformsAnswer,
  platformTrialAnswer,
} from '../protocol/admin-platforms.js';
import type { Environment } from '../protocol/environments.js';
import type { JsonObject } from '../protocol/messages.js';
import { checkedBy } from '../protocol/schema-check.js';
import type { AdminCallOptions } from './admin-pages.js';
import { type AskAsOperator, callOf, onlyOnce, operationAt } from './admin-requests.js';
import { readEnvironment, readObject, readUuid } from './options.js';

/** Of which game in which environment platforms are meant. */
export interface PlatformsOptions extends AdminCallOptions {
  /** The game's id, a UUID. */
  gameId: string;
  /** The environment: 0 is Development, 1 is Stage, 2 is Production. */
  environment: Environment;
}

/** Which platform is meant. */
export interface PlatformAtOptions extends PlatformsOptions {
  /** The platform's name. */
  name: string;
}

/** What is kept of a platform. */
export interface SavePlatformOptions extends PlatformAtOptions {
  /** The name of the preset that checks its tokens. */
  preset: string;
  /**
   * By the names of the preset's fields. A secret field that is left out keeps what is there, and null takes it away.
   */
  settings: { readonly [field: string]: string | readonly string[] | null };
  /** Whether players may sign in with it; true by default. */
  isOn?: boolean | undefined;
  /** The version that the change rests on, as `platforms` gives it; 0, for a new one, by default. */
  version?: number | undefined;
  /**
   * Whether a social platform may have the name of one that another preset has checked, also when that is gone; false
   * by default. Players are linked by the name and their ids, so that whoever the new preset says has the id of a
   * player of the former one gets that player's account.
   */
  takesOver?: boolean | undefined;
}

/** Which platform is removed. */
export interface RemovePlatformOptions extends PlatformAtOptions {
  /** The version that is removed, as `platforms` gives it. */
  version: number;
}

/** Which token is tried. */
export interface TryPlatformOptions extends PlatformAtOptions {
  /** The token, as a player's client would bring it. */
  token: string;
  /** What is tried in place of what is registered: a preset and its settings, as they would be saved. */
  unsaved?: Pick<SavePlatformOptions, 'preset' | 'settings'> | undefined;
}

/** What an operator asks about the platforms that players of a game sign in with. */
export interface AdminPlatforms {
  /** Lists the presets by which platforms are registered, with the fields that each needs. */
  platformPresets(options?: AdminCallOptions): Promise<PlatformPresetInfo[]>;
  /** Lists the platforms of a game: those of the configuration, and those that operators have registered. */
  platforms(options: PlatformsOptions): Promise<GamePlatform[]>;
  /**
   * Registers a platform, or changes one, and gives it as it is now. All processes of the service take it up within 5
   * s. Takes the scope `admin`. Fails with `version_mismatch` where somebody else has changed it,
   * `platform_configured`, `issuer_taken`, `platform_name_in_use`, `too_many_platforms`, `sealing_key_missing`, and
   * `invalid_request` naming the field that is wrong.
   *
   * @example
   * ```ts
   * const settings = { applicationId: '1234', clientSecret: process.env.DISCORD_SECRET ?? '' };
   * await admin.savePlatform({ gameId, environment, name: 'discord', preset: 'discord', settings });
   * ```
   */
  savePlatform(options: SavePlatformOptions): Promise<GamePlatform>;
  /**
   * Removes a platform: nobody signs in with it any more, and the links of players who did stay. Takes the scope
   * `admin`. Fails with `not_found`, `version_mismatch` or `platform_configured`.
   */
  removePlatform(options: RemovePlatformOptions): Promise<void>;
  /**
   * Checks a token as a player's is checked, and tells of each step; nothing is changed. Takes the scope `admin`. Fails
   * with `not_found`, and with `invalid_request` naming the field of `unsaved` that is wrong.
   */
  tryPlatform(options: TryPlatformOptions): Promise<PlatformTrial>;
}

export function createAdminPlatforms(ask: AskAsOperator): AdminPlatforms {
  return {
    async platformPresets(options) {
      const { listPlatformPresets: operation } = adminOperations;
      return (await ask({ operation, answer: checkedBy(platformPresetsAnswer), ...callOf(options) })).presets;
    },

    async platforms(options) {
      const { gameId, environment } = readObject(options, 'options');
      const operation = operationAt(adminOperations.listPlatforms, { game: readUuid(gameId, 'gameId') });
      const query = { env: readEnvironment(environment) };
      return (await ask({ operation, query, answer: checkedBy(platformsAnswer), ...callOf(options) })).platforms;
    },

    async savePlatform(options) {
      const { preset, settings, isOn = true, version = 0, takesOver = false } = readObject(options, 'options');
      const operation = operationAt(adminOperations.savePlatform, placeOf(options));
      const query = { env: readEnvironment(options.environment) };
      const body = {
        preset: readText(preset, 'preset'),
        settings: readSettings(settings),
        isOn,
        version,
        ...(takesOver && { takesOver }),
      };
      // After a save whose answer got lost the version is another one: the second would be refused.
      const answer = checkedBy(platformAnswer);
      return ask({ operation, query, body, answer, mayRepeat: onlyOnce, ...callOf(options) });
    },

    async removePlatform(options) {
      const operation = operationAt(adminOperations.removePlatform, placeOf(options));
      const query = { env: readEnvironment(options.environment), version: options.version };
      return ask<void>({ operation, query, answer: null, mayRepeat: onlyOnce, ...callOf(options) });
    },

    async tryPlatform(options) {
      const { token, unsaved } = readObject(options, 'options');
      const operation = operationAt(adminOperations.tryPlatform, placeOf(options));
      const query = { env: readEnvironment(options.environment) };
      const body = {
        token: readText(token, 'token'),
        ...(unsaved === undefined
          ? {}
          : { preset: readText(unsaved.preset, 'unsaved.preset'), settings: readSettings(unsaved.settings) }),
      };
      const answer = checkedBy(platformTrialAnswer);
      return ask({ operation, query, body, answer, mayRepeat: onlyOnce, ...callOf(options) });
    },
  };
}

function placeOf(options: PlatformAtOptions): { game: string; platform: string } {
  const { gameId, name } = readObject(options, 'options');
  // An address with these would lead to another operation.
  if (name === '.' || name === '..') throw new TypeError('name must be that of a platform');
  return { game: readUuid(gameId, 'gameId'), platform: readText(name, 'name') };
}

function readSettings(settings: unknown): JsonObject {
  return readObject(settings as JsonObject, 'settings');
}

function readText(value: unknown, name: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new TypeError(`${name} must be a text that is not empty`);
}
