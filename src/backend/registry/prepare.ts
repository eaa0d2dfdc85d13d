import type { PlatformCheck, PlatformPreset, PlatformSettings, PlatformSurroundings } from '../platforms/preset.js';
import type { PlatformRecord } from '../stores/platform-requests.js';
import type { Scope } from '../stores/records.js';
import type { Sealer, Secrets } from './sealing.js';
import { SettingsProblem } from './settings.js';

/**
 * Why a platform that is registered cannot be used: the key that sealed its secrets is not given, or they were changed;
 * the service does not know its preset, or the preset does not take its settings any more.
 */
export type PreparationProblem = 'key_missing' | 'unreadable' | 'unknown_preset' | 'invalid_settings';

/** A platform of the store, with its check; null where there is a problem. */
export interface PreparedPlatform {
  record: PlatformRecord;
  preset: PlatformPreset | null;
  /** Null where they cannot be opened. */
  secrets: Secrets | null;
  check: PlatformCheck | null;
  problem: PreparationProblem | null;
}

/**
 * What the secrets of a platform are sealed beside: with another game, name, preset or address they cannot be opened.
 */
export function sealedBeside(
  { gameId, environment }: Scope,
  { name, preset, settings }: Pick<PlatformRecord, 'name' | 'preset' | 'settings'>,
): string {
  return JSON.stringify([gameId, environment, name, preset, settings]);
}

/** Makes checks of what is registered. */
export interface Preparation {
  /** Prepares a check. Throws SettingsProblem naming the field that is wrong. */
  prepare(preset: PlatformPreset, settings: PlatformSettings, secrets: Secrets): PlatformCheck;
  /** Prepares a platform of the store; of those before, the check of the same one with the same settings stays. */
  prepareStored(scope: Scope, record: PlatformRecord, before: readonly PreparedPlatform[]): Promise<PreparedPlatform>;
}

export interface PreparationOptions {
  presets: ReadonlyMap<string, PlatformPreset>;
  sealer: Sealer;
  surroundings: PlatformSurroundings;
  report(message: string, error: unknown): void;
}

/** What a check was prepared from. It holds secrets, and stays in this file. */
const preparedFrom = new WeakMap<PlatformCheck, string>();

export function createPreparation({ presets, sealer, surroundings, report }: PreparationOptions): Preparation {
  async function prepareStored(
    scope: Scope,
    record: PlatformRecord,
    before: readonly PreparedPlatform[],
  ): Promise<PreparedPlatform> {
    const preset = presets.get(record.preset) ?? null;
    const opened = await openSecrets(scope, record);
    const secrets = opened.outcome === 'opened' ? opened.secrets : null;
    if (opened.outcome !== 'opened') return { record, preset, secrets: null, check: null, problem: opened.outcome };
    if (preset === null) return { record, preset, secrets, check: null, problem: 'unknown_preset' };
    const { settings } = record;
    const origin = originOf(preset, settings, opened.secrets);
    const same = before.find(({ record: { name }, check }) => name === record.name && isFrom(check, origin));
    if (same?.check) return { record, preset, secrets, check: same.check, problem: null };
    try {
      return { record, preset, secrets, check: prepare(preset, settings, opened.secrets), problem: null };
    } catch (error) {
      report(`The platform "${record.name}" cannot be prepared.`, error);
      return { record, preset, secrets, check: null, problem: 'invalid_settings' };
    }
  }

  async function openSecrets(scope: Scope, record: PlatformRecord): ReturnType<Sealer['open']> {
    if (record.sealed === null) return { outcome: 'opened', secrets: {} };
    return sealer.open(record.sealed, sealedBeside(scope, record));
  }

  function prepare(preset: PlatformPreset, settings: PlatformSettings, secrets: Secrets): PlatformCheck {
    let check: PlatformCheck;
    try {
      check = preset.create({ ...settings, ...secrets }, surroundings);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new SettingsProblem(withoutSecrets(error.message, secrets));
    }
    preparedFrom.set(check, originOf(preset, settings, secrets));
    return check;
  }

  return { prepare, prepareStored };
}

function originOf({ name }: PlatformPreset, settings: PlatformSettings, secrets: Secrets): string {
  return JSON.stringify([name, settings, secrets]);
}

function isFrom(check: PlatformCheck | null, origin: string): boolean {
  return check !== null && preparedFrom.get(check) === origin;
}

/** A preset names the field that is wrong; one that shows what is in it must not show a secret. */
function withoutSecrets(message: string, secrets: Secrets): string {
  const isShown = Object.values(secrets)
    .flat()
    .some((secret) => message.includes(secret));
  return isShown ? 'A secret field does not have the right form.' : message;
}
