import { withinTime } from '../../http/timers.js';
import { platformDefaults } from '../../protocol/gaps/platforms.js';
import type { PlatformPreset } from '../platforms/preset.js';
import type { Scope } from '../stores/records.js';
import type { Store } from '../stores/store.js';
import { createPreparation, type Preparation, type PreparationOptions, type PreparedPlatform } from './prepare.js';
import type { AddressRules } from './public-addresses.js';
import type { Sealer } from './sealing.js';

/** The platforms that operators have registered, with their checks. */
export interface PlatformRegistry {
  readonly presets: ReadonlyMap<string, PlatformPreset>;
  readonly sealer: Sealer;
  readonly rules: AddressRules;
  /**
   * Those of a game, as they were within the last seconds. Where the store does not say, those that were known before;
   * rejects where none were.
   */
  platforms(scope: Scope): Promise<readonly PreparedPlatform[]>;
  /** Those of a game as the store has them now, which count from then on. */
  latest(scope: Scope): Promise<readonly PreparedPlatform[]>;
  readonly prepare: Preparation['prepare'];
  /** All that is prepared, for the registry of the next configuration. */
  handOn(): ReadonlyMap<string, readonly PreparedPlatform[]>;
}

interface RegistryOptions extends Omit<PreparationOptions, 'presets'> {
  store: Pick<Store, 'readPlatforms' | 'readPlatformsRevision'>;
  presets: readonly PlatformPreset[];
  rules: AddressRules;
  now(): number;
  /** The registry of the former configuration: what it has prepared, with the keys of providers, stays. */
  former?: PlatformRegistry | undefined;
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

export function createPlatformRegistry(options: RegistryOptions): PlatformRegistry {
  const { store, sealer, rules, now, report, former } = options;
  const presets = new Map(options.presets.map((preset) => [preset.name, preset]));
  const { prepare, prepareStored } = createPreparation({ ...options, presets });
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
