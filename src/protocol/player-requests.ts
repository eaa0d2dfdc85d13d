/** What players' devices send below `{base_url}/v2`, as the head of player-messages.ts has it. */

import * as z from 'zod/mini';
import { conflictChoices, conflictField } from './conflict.js';
import { platformDefaults } from './gaps/platforms.js';
import { serviceSizes } from './gaps/service-sizes.js';
import { codeLength, passwordLength, refreshTokenLength, sizes, ticketLength } from './gaps/sizes.js';
import { deviceId, environment, jsonObject, lengthOf, listOf, updateRequest, uuid } from './messages.js';
import { at, entryTimes } from './player-messages.js';

const device = { game_id: uuid, env: environment, device_id: deviceId };
const linking = {
  ...device,
  /** The fields that both sides of a conflict should show. */
  show: z.optional(listOf(conflictField, { max: sizes.maxConflictFields })),
  intent: z.optional(z.enum(['link', 'switch', 'reauthenticate'])),
  /** Takes back a deletion that is still in its grace. */
  restore: z.optional(z.boolean()),
};
const credentialToken = z.string().check(z.minLength(1), z.maxLength(serviceSizes.credentialTokenLength));

/**
 * A password that is shown. It may be shorter than a new one: an import brings hashes of passwords that were set
 * elsewhere. One that is too short to be right is wrong, as any other.
 */
const shownPassword = lengthOf({ ...passwordLength, min: 0 });

export const guestRequest = z.object(device);
export const nameRequest = z.object({
  ...linking,
  username: lengthOf(serviceSizes.usernameLength),
  password: shownPassword,
});
export const identityRequest = z.object({ ...linking, token: credentialToken });
export const socialRequest = z.object({
  ...linking,
  token: credentialToken,
  platform: z.optional(lengthOf(platformDefaults.platformNameLength)),
});
export const recoveryRequest = z.object({ ...linking, code: lengthOf(codeLength) });

const username = lengthOf(serviceSizes.usernameLength);
/** Spec gap: the device counts, so that strangers who ask for a name do not keep its owner from it. */
export const resetRequest = z.object({ ...device, username });
export const newPasswordRequest = z.object({
  ...device,
  username,
  code: lengthOf(codeLength),
  new_password: lengthOf(passwordLength),
});

/** An update on the player's wire. `times` takes the place of those that are stored; left out, they stay. */
export const playerUpdateRequest = z.extend(updateRequest, { times: z.optional(entryTimes) });

const ticket = lengthOf(ticketLength);
const restsOn = listOf(z.object({ ...at, version: z.int().check(z.minimum(0)) }));

export const conflictSidesRequest = z.object({ ...device, ticket });

/**
 * The choice `merge` brings the entries that differ from the cloud's, and the versions of both sides that they rest on.
 */
export const conflictRequest = z.object({
  ...device,
  ticket,
  choice: z.enum(conflictChoices),
  entries: z.optional(listOf(z.object({ ...at, value: jsonObject, times: z.optional(entryTimes) }))),
  rests_on: z.optional(z.object({ local: restsOn, cloud: restsOn })),
});
export const refreshRequest = z.object({
  game_id: uuid,
  env: environment,
  refresh_token: lengthOf(refreshTokenLength),
});
export const passwordRequest = z.object({
  game_id: uuid,
  env: environment,
  old_password: shownPassword,
  new_password: lengthOf(passwordLength),
});
/**
 * An e-mail address for codes. What zod takes for one has printable ASCII alone, and so no line breaks, by which a
 * game's mail would get other headers.
 */
export const addressRequest = z.object({
  game_id: uuid,
  env: environment,
  address: z.nullable(z.email().check(z.maxLength(serviceSizes.mailAddressLength))),
  /** As BCP 47 has it. */
  language: z.optional(z.string().check(z.regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}$/))),
});
export const verificationRequest = z.object({
  game_id: uuid,
  env: environment,
  code: lengthOf(codeLength),
});
export const snapshotRequest = z.object({ game_id: uuid, env: environment, ...at, value: jsonObject });
export const signOutRequest = z.object({
  game_id: uuid,
  env: environment,
  refresh_token: z.optional(lengthOf(refreshTokenLength)),
  /** Ends every session of the account, which needs the access token. */
  everywhere: z.optional(z.boolean()),
});

export const signOutOthersRequest = z.object({
  game_id: uuid,
  env: environment,
  /** By the service's clock, in ms since 1970: what was linked then or later is unlinked. */
  unlink_since: z.int().check(z.minimum(0)),
});
