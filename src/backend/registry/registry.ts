import { withinTime } from '../../http/timers.js';
import { platformDefaults } from '../../protocol/gaps/platforms.js';
import type { PlatformCheck, PlatformPreset, PlatformSettings, PlatformSurroundings } from '../platforms/preset.js';
import type { PlatformRecord } from '../stores/platform-requests.js';
import type { Scope } from '../stores/records.js';
import type { Store } from '../stores/store.js';
import type { AddressRules } from './public-addresses.js';
import type { Sealer, Secrets } from './sealing.js';
import { SettingsProblem } from './settings.js';

/**
 * Why a platform that is registered cannot be used: the key that sealed its secrets is not given, or they were changed; the
 * service does not know its preset, or the preset does not take its settings any more.
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

/** The platforms that operators have registered, with their checks. */
export interface PlatformRegistry {
  readonly presets: ReadonlyMap<string, PlatformPreset>;
  readonly sealer: Sealer;
  readonly rules: AddressRules;
  /**
   * Those of a game, as they were within the last seconds. Where the store does not say, those that were known before; rejects
   * where none were.
   */
  platforms(scope: Scope): Promise<readonly PreparedPlatform[]>;
  /** Those of a game as the store has them now, which count from then on. */
  latest(scope: Scope): Promise<readonly PreparedPlatform[]>;
  /** Prepares a check. Throws SettingsProblem naming the field that is wrong. */
  prepare(preset: PlatformPreset, settings: PlatformSettings, secrets: Secrets): PlatformCheck;
  /** All that is prepared, for the registry of the next configuration. */
  handOn(): ReadonlyMap<string, readonly PreparedPlatform[]>;
}

interface RegistryOptions {
  store: Pick<Store, 'readPlatforms' | 'readPlatformsRevision'>;
  presets: readonly PlatformPreset[];
  sealer: Sealer;
  rules: AddressRules;
  surroundings: PlatformSurroundings;
  now(): number;
  report(message: string, error: unknown): void;
  /** The registry of the former configuration: what it has prepared, with the keys of providers, stays. */
  former?: PlatformRegistry | undefined;
}

/** What the secrets of a platform are sealed beside: with another game, name, preset or address they cannot be opened. */
export function sealedBeside(
  { gameId, environment }: Scope,
  { name, preset, settings }: Pick<PlatformRecord, 'name' | 'preset' | 'settings'>,
): string {
  return JSON.stringify([gameId, environment, name, preset, settings]);
}

/** What a process knows of the platforms of a game. */
interface Known {
  revision: number;
  platforms: readonly PreparedPlatform[];
  /** Which look it is of, so that a look that took long does not undo a later one. */
  look: number;
}

interface State {
  known: Known | null;
  lookedAt: number;
  /** The first look, which everybody waits for who comes before it ends. */
  first: Promise<readonly PreparedPlatform[]> | null;
  /** A later look, for as long as somebody waits for it. */
  looking: Promise<void> | null;
}

/** What a check was prepared from. It holds secrets, and stays in this file. */
const preparedFrom = new WeakMap<PlatformCheck, string>();

export function createPlatformRegistry(options: RegistryOptions): PlatformRegistry {
  const { store, sealer, rules, surroundings, now, report, former } = options;
  const presets = new Map(options.presets.map((preset) => [preset.name, preset]));
  const inherited =
    former?.rules.allowPrivateAddresses === rules.allowPrivateAddresses
      ? former.handOn()
      : new Map<string, readonly PreparedPlatform[]>();
  const states = new Map<string, State>();
  let looks = 0;

  function stateOf(scope: Scope): State {
    const key = keyOf(scope);
    const state = states.get(key) ?? { known: null, lookedAt: Number.NEGATIVE_INFINITY, first: null, looking: null };
    states.set(key, state);
    return state;
  }

  async function look(scope: Scope, isForced: boolean): Promise<readonly PreparedPlatform[]> {
    const state = stateOf(scope);
    looks += 1;
    const number = looks;
    const { known } = state;
    if (known !== null && !isForced && (await store.readPlatformsRevision(scope)) === known.revision) {
      return known.platforms;
    }
    const { revision, platforms } = await store.readPlatforms(scope);
    const before = known?.platforms ?? inherited.get(keyOf(scope)) ?? [];
    const prepared = await Promise.all(platforms.map((record) => prepareStored(scope, record, before)));
    if (number > (state.known?.look ?? 0)) state.known = { revision, platforms: prepared, look: number };
    state.lookedAt = now();
    return prepared;
  }

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

  async function lookInTime(scope: Scope, state: State): Promise<void> {
    const { platformsLookPatienceMs: patienceMs } = platformDefaults;
    try {
      await withinTime(patienceMs, look(scope, false), () => new Error('The store does not answer.'));
    } catch (error) {
      report('Whether the platforms have changed could not be read; those that were known count.', error);
    } finally {
      state.lookedAt = now();
      state.looking = null;
    }
  }

  return {
    presets,
    sealer,
    rules,
    prepare,
    latest: (scope) => look(scope, true),
    handOn: () =>
      new Map([
        ...inherited,
        ...[...states].flatMap(([key, { known }]) => (known ? [[key, known.platforms] as const] : [])),
      ]),

    async platforms(scope) {
      const state = stateOf(scope);
      if (state.known === null) {
        state.first ??= look(scope, false).finally(() => {
          state.first = null;
        });
        return state.first;
      }
      // A clock that was set back must not let what is known count for longer.
      if (Math.abs(now() - state.lookedAt) >= platformDefaults.platformsLookMs) {
        state.looking ??= lookInTime(scope, state);
        await state.looking;
      }
      return state.known.platforms;
    },
  };
}

function keyOf({ gameId, environment }: Scope): string {
  return `${gameId}/${environment}`;
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
