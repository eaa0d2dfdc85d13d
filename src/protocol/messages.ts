import * as z from 'zod/mini';
import { serviceSizes } from './gaps/service-sizes.js';
import { sizes } from './gaps/sizes.js';
import { versions } from './gaps/versions.js';

/** Which environment of the game is meant (docs/interface.md#server-authentication-request). */
export const environment = z.union([z.literal(0), z.literal(1), z.literal(2)]);

/** A game's or user's identifier: any UUID, in any case; both ends compare it in lower case. */
export const uuid = z.guid();

/** An IPv4 or IPv6 address. */
export const ipAddress = z.union([z.ipv4(), z.ipv6()]);

/**
 * The content of an entry: a JSON object, whose members are the game's own.
 *
 * @see docs/interface.md#profile-entry
 */
export type JsonObject = { [key: string]: unknown };

// Not z.record: it makes a new object and leaves out a member named `__proto__`, and a player's data must come as it
// is.
export const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Spec gap: -1 writes unconditionally, 0 and up is the version that the update is based on. */
export const version = z.int().check(z.minimum(versions.force), z.maximum(versions.max));

/** @see docs/interface.md#profile-entry */
export const profileEntry = z.object({
  key: z.string(),
  value: jsonObject,
  version: z.int().check(z.minimum(versions.first)),
});

/**
 * An entry of a collection, as the service has it.
 *
 * @see docs/interface.md#profile-entry
 */
export interface ProfileEntry {
  /** The entry's name inside its collection: 1 to 128 bytes of UTF-8. */
  key: string;
  /** The entry's content, up to 150 KiB of JSON. */
  value: JsonObject;
  /** The entry's version: 0 when it is created, and one more with each update. */
  version: number;
}

/** @see docs/interface.md#read-a-collection */
export const collectionAnswer = z.array(profileEntry);

/** @see docs/interface.md#entry-update-request */
export const updateRequest = z.object({ value: jsonObject, version });

/** @see docs/interface.md#entry-update-response */
export const updateAnswer = z.object({ version: z.int().check(z.minimum(versions.first)) });

export const deviceId = lengthOf(sizes.deviceIdLength);

/** @see docs/interface.md#server-authentication-request */
export const serverAuthRequest = z.object({
  custom_user_id: lengthOf(serviceSizes.signedIdLength),
  device_id: lengthOf(serviceSizes.signedIdLength),
  game_id: uuid,
  env: environment,
});

export type ServerAuthRequest = z.infer<typeof serverAuthRequest>;

/** @see docs/interface.md#server-authentication-response */
export const authAnswer = z.object({
  userId: uuid,
  accessToken: z.string().check(z.minLength(1)),
  refreshToken: z.string().check(z.minLength(1)),
  status: z.int(),
  country: z.string(),
  time: z.int(),
});

/**
 * What the service answers when it has authenticated a player.
 *
 * @see docs/interface.md#server-authentication-response
 */
export interface AuthAnswer {
  /** The player's user id: a UUID, the same for each game and environment as long as the account lives. */
  userId: string;
  /** The token that the player's requests carry: a JWT that is valid for an hour. A secret of this player. */
  accessToken: string;
  /** The token that new access tokens are asked for with, once each. A secret of this player: keep it off the page. */
  refreshToken: string;
  /** The user's status. The interface does not say what its values mean; the service of this package answers 0. */
  status: number;
  /** The player's country by ISO 3166-1 alpha-2, such as `NL`; `ZZ` where it is not known. */
  country: string;
  /** The service's clock, in ms since 1970. */
  time: number;
}

/**
 * A list that is looked at up to its first wrong item, and no further than one item too many: zod tells of every item
 * that is wrong, and a body of megabytes would become a list of its problems that is a hundred times as large.
 */
export function listOf<Item extends z.ZodMiniType>(
  item: Item,
  { max = Number.POSITIVE_INFINITY }: { max?: number } = {},
): z.ZodMiniPipe<z.ZodMiniTransform<unknown, unknown>, z.ZodMiniArray<Item>> {
  const upToFirstWrong = z.transform((list: unknown) => {
    if (!Array.isArray(list)) return list;
    const wrong = list.findIndex((one, index) => index >= max || !item.safeParse(one).success);
    return wrong < 0 ? list : list.slice(0, wrong + 1);
  });
  const whole = z.array(item);
  return z.pipe(upToFirstWrong, max === Number.POSITIVE_INFINITY ? whole : whole.check(z.maxLength(max)));
}

/** A text whose length lies between two bounds, counted in units of UTF-16. */
export function lengthOf(bounds: { min: number; max: number }): z.ZodMiniString {
  return z.string().check(z.minLength(bounds.min), z.maxLength(bounds.max));
}
