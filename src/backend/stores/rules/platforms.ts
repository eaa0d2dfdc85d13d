import type {
  PlatformRecord,
  PlatformsRecord,
  RemovePlatformOutcome,
  RemovePlatformRequest,
  SavePlatformOutcome,
  SavePlatformRequest,
} from '../platform-requests.js';

/** What a change makes of the platforms of a game; `next` is null where nothing is changed. */
interface Decision<Outcome> {
  outcome: Outcome;
  next: PlatformsRecord | null;
}

export const noPlatforms: PlatformsRecord = { revision: 0, platforms: [], former: [] };

export function decideSave(
  stored: PlatformsRecord,
  { platform: given, version, max, takesOver, now }: SavePlatformRequest,
): Decision<SavePlatformOutcome> {
  const before = stored.platforms.find(({ name }) => name === given.name) ?? null;
  if ((before?.version ?? 0) !== version)
    return refused({ outcome: 'version_mismatch', version: before?.version ?? 0 });
  const others = stored.platforms.filter(({ name }) => name !== given.name);
  if (given.issuer !== null && others.some(({ issuer }) => issuer === given.issuer)) {
    return refused({ outcome: 'issuer_taken' });
  }
  const used = presetInUse(stored, given.name);
  if (given.issuer === null && used !== null && used !== given.preset && !takesOver) {
    return refused({ outcome: 'name_in_use', preset: used });
  }
  if (before === null && others.length >= max) return refused({ outcome: 'too_many' });
  const createdAt = before?.createdAt ?? now;
  const platform: PlatformRecord = { ...given, version: stored.revision + 1, createdAt, changedAt: now };
  return { outcome: { outcome: 'saved', platform, before }, next: following(stored, [...others, platform], before) };
}

export function decideRemoval(
  stored: PlatformsRecord,
  { name, version }: RemovePlatformRequest,
): Decision<RemovePlatformOutcome> {
  const before = stored.platforms.find((platform) => platform.name === name);
  if (before?.version !== version) return refused({ outcome: 'version_mismatch', version: before?.version ?? 0 });
  const others = stored.platforms.filter((platform) => platform !== before);
  return { outcome: { outcome: 'removed', before }, next: following(stored, others, before) };
}

function refused<Outcome>(outcome: Outcome): Decision<Outcome> {
  return { outcome, next: null };
}

/**
 * The preset by which a social platform of this name was checked last, also when it is gone: the links of its players
 * stay. Null where there was none.
 */
function presetInUse({ platforms, former }: PlatformsRecord, name: string): string | null {
  const present = platforms.find((platform) => platform.name === name && platform.issuer === null);
  return present?.preset ?? former.find((platform) => platform.name === name)?.preset ?? null;
}

/** What follows a change of a platform that was `before`; its name stays known where players may have links by it. */
function following(
  { revision, former }: PlatformsRecord,
  platforms: readonly PlatformRecord[],
  before: PlatformRecord | null,
): PlatformsRecord {
  const isSocial = (name: string) => platforms.some((one) => one.name === name && one.issuer === null);
  const left = before === null || before.issuer !== null ? [] : [{ name: before.name, preset: before.preset }];
  const known = [...former.filter(({ name }) => left.every((one) => one.name !== name)), ...left];
  return {
    revision: revision + 1,
    platforms: [...platforms].sort((one, other) => (one.name < other.name ? -1 : 1)),
    former: known.filter(({ name }) => !isSocial(name)).slice(-maxFormer),
  };
}

/** So many names of platforms that are gone are known for a game and environment, the latest ones. */
const maxFormer = 200;
