import * as z from 'zod/mini';
import { operatorDefaults } from '../../protocol/gaps/operators.js';
import { platformDefaults } from '../../protocol/gaps/platforms.js';
import { isUuid } from '../../protocol/ids.js';
import type { OperatorMark } from '../stores/operator-requests.js';
import type { PlatformRecord } from '../stores/platform-requests.js';
import type { Scope } from '../stores/records.js';
import type { Store } from '../stores/store.js';
import { isPlatformName } from './platform-names.js';

// The lines that a file of players has of the platforms of its games: what they are linked by means nothing without them.

/** Of a text that names something of a platform, such as its issuer. */
const longestText = 1_024;
const shortText = z.string().check(z.minLength(1), z.maxLength(longestText));
const platformName = z.string().check(z.refine(isPlatformName, 'must be a name that a platform may have'));
const settingsSize = z.refine(
  (settings) => JSON.stringify(settings).length <= platformDefaults.platformSettingsBytes,
  'must be smaller',
);
const scoped = {
  gameId: z.string().check(z.refine(isUuid, 'must be a UUID')),
  environment: z.literal([0, 1, 2]),
  name: platformName,
  preset: shortText,
};

/** A platform as it is registered, or the name of one that is gone, which its players are linked by still. */
const carriedPlatform = z.union([
  z.strictObject({ ...scoped, isGone: z.literal(true) }),
  z.strictObject({
    ...scoped,
    isOn: z.boolean(),
    settings: z.record(z.string(), z.union([z.string(), z.array(z.string())])).check(settingsSize),
    sealed: z.nullable(z.string().check(z.maxLength(2 * platformDefaults.platformSettingsBytes))),
    secrets: z.array(shortText).check(z.maxLength(platformDefaults.platformListItems)),
    issuer: z.nullable(shortText),
  }),
]);

export type CarriedPlatform = z.infer<typeof carriedPlatform>;

const platformLine = z.strictObject({ platform: carriedPlatform });

/** The platform of a line's JSON, or the place of what is wrong with it. */
export function readPlatformLine(json: unknown): { platform: CarriedPlatform } | { path: PropertyKey[] } {
  const read = platformLine.safeParse(json);
  return read.success ? read.data : { path: read.error.issues[0]?.path ?? [] };
}

/** The lines of the platforms of a game. What is secret stays sealed, and opens where the service has the same sealing key. */
export async function platformLines(store: Store, scope: Scope): Promise<string[]> {
  const { gameId, environment } = scope;
  const { platforms, former } = await store.readPlatforms({ gameId, environment });
  const registered = platforms.map(
    ({ version: _, createdAt: __, changedAt: ___, ...platform }): CarriedPlatform => ({
      gameId,
      environment,
      ...contentOf(platform),
    }),
  );
  const gone = former.map((one): CarriedPlatform => ({ gameId, environment, ...one, isGone: true }));
  return [...registered, ...gone].map((platform) => JSON.stringify({ platform }));
}

type Content = Omit<PlatformRecord, 'version' | 'createdAt' | 'changedAt'>;

/** As a line has it: in one order, and each setting as text or texts. */
function contentOf({ name, preset, isOn, settings, sealed, secrets, issuer }: Content) {
  return {
    name,
    preset,
    isOn,
    settings: settings as { [field: string]: string | string[] },
    sealed,
    secrets: [...secrets],
    issuer,
  };
}

export interface PlatformTarget {
  store: Store;
  now: number;
  newId(): string;
  isDryRun: boolean;
}

/** What became of a platform, or why it is not taken over. */
export type ImportedPlatform = 'created' | 'there' | { problem: string };

/** Registers a platform that is not there. One that is there stays as it is. */
export async function importPlatform(
  { store, now, newId, isDryRun }: PlatformTarget,
  carried: CarriedPlatform,
): Promise<ImportedPlatform> {
  const { gameId, environment, name, preset } = carried;
  const scope: Scope = { gameId: gameId.toLowerCase(), environment };
  const { platforms, former } = await store.readPlatforms(scope);
  const held = platforms.find((one) => one.name === name);
  const isGone = 'isGone' in carried;
  if (isGone) {
    const known = held?.preset ?? former.find((one) => one.name === name)?.preset;
    if (known !== undefined) return known === preset ? 'there' : { problem: nameInUse(known) };
  } else if (held !== undefined) {
    const isSame = JSON.stringify(contentOf(held)) === JSON.stringify(contentOf(carried));
    return isSame ? 'there' : { problem: 'another platform is registered under this name' };
  }
  if (isDryRun) return 'created';
  const mark = (action: string): OperatorMark => {
    const expiresAt = now + operatorDefaults.auditKeptMs;
    return { auditId: newId(), keyId: null, keyName: 'savepoint import', action, at: now, expiresAt };
  };
  const platform = isGone ? { ...placeholder, name, preset } : contentOf(carried);
  const rests = { version: 0, takesOver: false, max: platformDefaults.platformsPerGame, now };
  const request = { scope, platform, ...rests };
  const saved = await store.changeAsOperator({ change: 'savePlatform', request, mark: mark('savePlatform') });
  if (saved === 'no_key') return { problem: saved };
  if (saved.outcome !== 'saved') {
    return { problem: saved.outcome === 'name_in_use' ? nameInUse(saved.preset) : saved.outcome };
  }
  if (isGone) {
    // A name is known as that of a platform that is gone once the platform has gone.
    const removal = { scope, name, version: saved.platform.version };
    await store.changeAsOperator({ change: 'removePlatform', request: removal, mark: mark('removePlatform') });
  }
  return 'created';
}

const placeholder = { isOn: false, settings: {}, sealed: null, secrets: [], issuer: null };

function nameInUse(preset: string): string {
  return `players are linked by this name, whom the preset ${preset} has checked`;
}
