import * as z from 'zod/mini';
import { serviceSizes } from './gaps/service-sizes.js';
import { sizes } from './gaps/sizes.js';
import { versions } from './gaps/versions.js';

/** @see Spec 2.4 */
export const environment = z.union([z.literal(0), z.literal(1), z.literal(2)]);

/** A game's or user's identifier: any UUID, in any case; both ends compare it in lower case. */
export const uuid = z.guid();

/** An entry's content. What it holds is the game's own (Spec 2.1). */
export type JsonObject = { [key: string]: unknown };

// Not z.record, which makes a new object and leaves a member named `__proto__` out of it: a player's data must come as it is.
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Spec gap: -1 writes unconditionally, 0 and up is the version that the update is based on. */
export const version = z.int().check(z.minimum(versions.force), z.maximum(versions.max));

/** @see Spec 2.1 */
const profileEntry = z.object({
  key: z.string(),
  value: jsonObject,
  version: z.int().check(z.minimum(versions.first)),
});

/** @see Spec 2.1 */
export interface ProfileEntry {
  key: string;
  value: JsonObject;
  version: number;
}

/** @see Spec 4.1 */
export const collectionAnswer = z.array(profileEntry);

/** @see Spec 2.2 */
export const updateRequest = z.object({ value: jsonObject, version });

/** @see Spec 2.3 */
export const updateAnswer = z.object({ version: z.int().check(z.minimum(versions.first)) });

export const deviceId = lengthOf(sizes.deviceIdLength);

/** @see Spec 2.4 */
export const serverAuthRequest = z.object({
  custom_user_id: lengthOf(serviceSizes.customUserIdLength),
  device_id: deviceId,
  game_id: uuid,
  env: environment,
});

export type ServerAuthRequest = z.infer<typeof serverAuthRequest>;

/** @see Spec 2.5 */
export const authAnswer = z.object({
  userId: uuid,
  accessToken: z.string().check(z.minLength(1)),
  refreshToken: z.string().check(z.minLength(1)),
  /** Opaque: the spec does not say what its values mean. */
  status: z.int(),
  /** ISO 3166-1 alpha-2; `ZZ` where it is not known. */
  country: z.string(),
  /** Server time, ms since 1970. */
  time: z.int(),
});

/** @see Spec 2.5 */
export type AuthAnswer = z.infer<typeof authAnswer>;

export function lengthOf(bounds: { min: number; max: number }): z.ZodMiniString {
  return z.string().check(z.minLength(bounds.min), z.maxLength(bounds.max));
}
