import type { GameConfig, GameOptions } from '../../backend/index.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';
import { isReference, referenced, unresolved } from './references.js';

/**
 * The platforms of a game with their secrets, for which a file may refer to the environment or to files of their own.
 */
export async function resolvedPlatforms(
  platforms: GameConfig['platforms'],
  at: string,
  { io, missing }: { io: Io; missing(problem: string): null },
): Promise<{ platforms?: NonNullable<GameOptions['platforms']> }> {
  if (platforms === undefined) return {};
  requireObject(platforms, at);
  const found = await Promise.all(
    Object.entries(platforms).map(async ([name, platform]) => {
      const here = `${at}.${name}`;
      requireObject(platform, here);
      requireObject(platform.settings, `${here}.settings`);
      const settings = await Promise.all(
        Object.entries(platform.settings).map(async ([field, value]) => {
          const place = `${here}.settings.${field}`;
          if (!isReference(value)) return [field, value] as const;
          const text = (await referenced(value, place, io)) ?? missing(unresolved(value, place));
          // What is missing has been noted: the service does not start.
          return [field, text ?? ''] as const;
        }),
      );
      return [name, { preset: platform.preset, settings: Object.fromEntries(settings) }] as const;
    }),
  );
  return { platforms: Object.fromEntries(found) };
}

function requireObject(value: unknown, at: string): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${at} must be an object`);
}
