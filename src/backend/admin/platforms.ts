import type { GamePlatform, PlatformPresetInfo } from '../../protocol/admin-platforms.js';
import { platformDefaults } from '../../protocol/gaps/platforms.js';
import type { Game } from '../game.js';
import type { PlatformCheck, PlatformPreset } from '../platforms/preset.js';
import { Refusal } from '../refusal.js';
import { isPlatformName, platformNameForm } from '../registry/platform-names.js';
import { type PreparedPlatform, sealedBeside } from '../registry/prepare.js';
import { type KeptSettings, SettingsProblem, type SortedSettings, sortSettings } from '../registry/settings.js';
import { hasIssuer, isOverridden, kindOf } from '../registry/sign-in.js';
import type { Service } from '../service.js';
import type { PlatformRecord, SavePlatformRequest } from '../stores/platform-requests.js';
import type { Scope } from '../stores/records.js';
import type { Asked } from './changes.js';
import { changeAs } from './operators.js';

/** The presets that platforms are registered by. */
export function listPresets({ registry }: Service): PlatformPresetInfo[] {
  return [...registry.presets.values()].map(({ name, title, kind, documentation, help, fields }) => ({
    name,
    title,
    kind,
    documentation,
    help,
    fields: fields.map(({ choices, ...field }) => ({ ...field, ...(choices && { choices: [...choices] }) })),
  }));
}

/** The platforms of a game: those of the configuration, and those that operators have registered. */
export async function listPlatforms({ registry }: Service, game: Game, scope: Scope): Promise<GamePlatform[]> {
  const registered = await registry.latest(scope);
  return [...configuredPlatforms(game), ...registered.map((platform) => showPlatform(game, platform))];
}

function configuredPlatforms({ configured, socialPlatforms, identityProviders }: Game): GamePlatform[] {
  const shown = { isOn: true, source: 'configuration', version: 0 } as const;
  const byCode = [...socialPlatforms.keys()].filter((name) => !configured.has(name));
  return [
    ...byCode.map((name) => ({ name, preset: null, kind: 'social' as const, settings: {}, secrets: [], ...shown })),
    ...identityProviders.map(({ issuer, audience }) => {
      return { name: issuer, preset: null, kind: 'identity' as const, settings: { audience }, secrets: [], ...shown };
    }),
    ...[...configured.values()].map(({ name, preset, settings, secrets }) => {
      return { name, preset: preset.name, kind: preset.kind, settings, secrets: [...secrets], ...shown };
    }),
  ];
}

function showPlatform(game: Game, platform: PreparedPlatform): GamePlatform {
  const { name, preset, isOn, settings, secrets, version, createdAt, changedAt } = platform.record;
  const problem = platform.problem ?? (isOverridden(game, platform) ? 'overridden' : null);
  return {
    name,
    preset,
    kind: kindOf(platform),
    isOn,
    source: 'store',
    settings,
    secrets: [...secrets],
    ...(problem === null ? {} : { problem }),
    version,
    createdAt,
    changedAt,
  };
}

/** What is to be kept of a platform. */
export interface WantedPlatform {
  preset: string;
  settings: { readonly [field: string]: unknown };
  isOn: boolean;
  /** The version that the change rests on; 0 or null for a new one. */
  version: number | null;
  /**
   * Whether a social platform may have the name of one that another preset has checked, and with it the
   * accounts of its players.
   */
  takesOver?: boolean | undefined;
}

/**
 * Registers a platform or changes one; the service takes it up at once, and other processes within seconds. What is
 * secret is sealed by the present key, also what was kept from before.
 */
export async function savePlatform(
  service: Service,
  game: Game,
  { scope, name, wanted, operator, action }: Asked & { scope: Scope; name: string; wanted: WantedPlatform },
): Promise<GamePlatform> {
  const { registry } = service;
  if (!isPlatformName(name)) throw invalid(`The name must be ${platformNameForm}.`);
  refuseConfigured(game, name);
  const before = (await registry.latest(scope)).find(({ record }) => record.name === name) ?? null;
  const version = wanted.version ?? 0;
  if ((before?.record.version ?? 0) !== version) throw mismatch(before?.record.version ?? 0);
  const platform =
    before !== null && isSwitchedAlone(before, wanted)
      ? { ...before.record, isOn: wanted.isOn }
      : await platformOf(service, game, { scope, name, wanted, before });
  const request = {
    scope,
    platform,
    version,
    takesOver: wanted.takesOver ?? false,
    max: platformDefaults.platformsPerGame,
    now: service.now(),
  };
  const saved = await changeAs(service, operator, { action, change: 'savePlatform', request });
  if (saved.outcome === 'version_mismatch') throw mismatch(saved.version);
  if (saved.outcome === 'name_in_use') {
    const detail = `The preset "${saved.preset}" has checked who the players of this name are, and their accounts would be those of others.`;
    throw new Refusal('platform_name_in_use', { detail });
  }
  if (saved.outcome === 'issuer_taken') throw new Refusal('issuer_taken');
  if (saved.outcome !== 'saved') throw new Refusal('too_many_platforms');
  return showPlatform(game, (await takeUp(service, scope, name)) ?? unread(service, saved.platform));
}

/** Removes a platform: nobody signs in with it any more, and the links of those who did stay. */
export async function removePlatform(
  service: Service,
  game: Game,
  { scope, name, version, operator, action }: Asked & { scope: Scope; name: string; version: number },
): Promise<void> {
  const request = { scope, name, version };
  const removed = await changeAs(service, operator, { action, change: 'removePlatform', request });
  if (removed.outcome === 'version_mismatch') {
    if (removed.version > 0) throw mismatch(removed.version);
    refuseConfigured(game, name);
    throw new Refusal('not_found', { detail: 'There is no such platform.' });
  }
  await takeUp(service, scope, name);
}

/** What is in the store counts here from now on. Where that cannot be read now, it counts within seconds. */
async function takeUp({ registry, report }: Service, scope: Scope, name: string): Promise<PreparedPlatform | null> {
  try {
    return (await registry.latest(scope)).find(({ record }) => record.name === name) ?? null;
  } catch (error) {
    report('The platforms could not be read after a change.', error);
    return null;
  }
}

/** A platform that is saved, and could not be read again: nothing is known to be wrong with it. */
function unread({ registry }: Service, record: PlatformRecord): PreparedPlatform {
  const preset = registry.presets.get(record.preset) ?? null;
  return { record, preset, secrets: null, check: null, problem: null };
}

interface Change {
  scope: Scope;
  name: string;
  wanted: WantedPlatform;
  before: PreparedPlatform | null;
}

async function platformOf(
  service: Service,
  game: Game,
  { scope, name, wanted, before }: Change,
): Promise<SavePlatformRequest['platform']> {
  const { sealer } = service.registry;
  const preset = presetOf(service, wanted.preset);
  const { settings, secrets, check } = prepareGiven(service, preset, { given: wanted.settings, before });
  if (check.issuers?.some((issuer) => hasIssuer(game, issuer))) throw new Refusal('issuer_taken');
  const secretNames = Object.keys(secrets);
  if (secretNames.length > 0 && !sealer.canSeal) {
    throw new Refusal('sealing_key_missing', {
      detail: 'Give the service SAVEPOINT_SEALING_KEY, which savepoint new-key sealing makes.',
    });
  }
  const platform = { name, preset: preset.name, isOn: wanted.isOn, settings, secrets: secretNames };
  const sealed = secretNames.length === 0 ? null : await sealer.seal(secrets, sealedBeside(scope, platform));
  return { ...platform, sealed, issuer: issuerOf(preset, check) };
}

/**
 * Whether a platform that cannot be used, because its secrets cannot be opened, say, is only switched on or off:
 * all else stays as it is.
 */
function isSwitchedAlone({ record, check }: PreparedPlatform, wanted: WantedPlatform): boolean {
  if (check !== null || record.preset !== wanted.preset) return false;
  const [before, after] = [record.settings, wanted.settings].map((settings) =>
    JSON.stringify(Object.entries(settings).sort(([one], [other]) => (one < other ? -1 : 1))),
  );
  return before === after;
}

/** Checks settings that an operator has given, and prepares the check of tokens by them. */
export function prepareGiven(
  { registry }: Service,
  preset: PlatformPreset,
  { given, before }: { given: WantedPlatform['settings']; before: PreparedPlatform | null },
): SortedSettings & { check: PlatformCheck } {
  try {
    const kept = before?.record.preset === preset.name ? keptOf(before) : null;
    const sorted = sortSettings(preset, given, { kept, rules: registry.rules });
    return { ...sorted, check: registry.prepare(preset, sorted.settings, sorted.secrets) };
  } catch (error) {
    if (error instanceof SettingsProblem) throw invalid(error.message);
    throw error;
  }
}

function keptOf({ record, secrets }: PreparedPlatform): KeptSettings {
  return { settings: record.settings, secrets, secretNames: record.secrets };
}

/** By what two identity providers are held apart; null for a social platform. */
function issuerOf({ kind, name }: PlatformPreset, check: PlatformCheck): string | null {
  return kind === 'social' ? null : (check.issuers?.[0] ?? `preset:${name}`);
}

export function presetOf({ registry: { presets } }: Service, name: string): PlatformPreset {
  const preset = presets.get(name);
  if (preset === undefined) throw invalid(`There is no such preset: there are ${[...presets.keys()].join(', ')}.`);
  return preset;
}

function refuseConfigured({ configured, socialPlatforms, identityProviders }: Game, name: string): void {
  const isConfigured =
    configured.has(name) || socialPlatforms.has(name) || identityProviders.some(({ issuer }) => issuer === name);
  if (isConfigured) throw new Refusal('platform_configured', { detail: 'Change it there.' });
}

function mismatch(currentVersion: number): Refusal {
  return new Refusal('version_mismatch', { currentVersion, detail: 'Somebody else has changed the platform.' });
}

function invalid(detail: string): Refusal {
  return new Refusal('invalid_request', { detail });
}
