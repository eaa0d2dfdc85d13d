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

export const noPlatforms: PlatformsRecord = { revision: 0, platforms: [] };

export function decideSave(
  stored: PlatformsRecord,
  { platform: given, version, max, now }: SavePlatformRequest,
): Decision<SavePlatformOutcome> {
  const before = stored.platforms.find(({ name }) => name === given.name) ?? null;
  if ((before?.version ?? 0) !== version)
    return refused({ outcome: 'version_mismatch', version: before?.version ?? 0 });
  const others = stored.platforms.filter(({ name }) => name !== given.name);
  if (given.issuer !== null && others.some(({ issuer }) => issuer === given.issuer)) {
    return refused({ outcome: 'issuer_taken' });
  }
  if (before === null && others.length >= max) return refused({ outcome: 'too_many' });
  const createdAt = before?.createdAt ?? now;
  const platform: PlatformRecord = { ...given, version: version + 1, createdAt, changedAt: now };
  return { outcome: { outcome: 'saved', platform, before }, next: following(stored, [...others, platform]) };
}

export function decideRemoval(
  stored: PlatformsRecord,
  { name, version }: RemovePlatformRequest,
): Decision<RemovePlatformOutcome> {
  const before = stored.platforms.find((platform) => platform.name === name);
  if (before?.version !== version) return refused({ outcome: 'version_mismatch', version: before?.version ?? 0 });
  const others = stored.platforms.filter((platform) => platform !== before);
  return { outcome: { outcome: 'removed', before }, next: following(stored, others) };
}

function refused<Outcome>(outcome: Outcome): Decision<Outcome> {
  return { outcome, next: null };
}

function following({ revision }: PlatformsRecord, platforms: readonly PlatformRecord[]): PlatformsRecord {
  return {
    revision: revision + 1,
    platforms: [...platforms].sort((one, other) => (one.name < other.name ? -1 : 1)),
  };
}
