/**
 * The player's own wire. Spec gap: Spec 4.4 names the client's operations, not their requests. It stands in this
 * one file so that another form can take its place. Requests are in snake_case, answers as Spec 2.5.
 *
 * Under `{auth_url}/v2/auth`, all POST unless said otherwise:
 *
 * | path | body | answer |
 * |---|---|---|
 * | guest, name, identity, social | below | Spec 2.5 and `methods`; 409 `profile_conflict` |
 * | conflict | ticket and choice | the same |
 * | refresh | refresh_token | the same |
 * | sign-out | refresh_token, or the access token as Bearer | 204 |
 * | GET account | | who the account is and what leads to it |
 * | DELETE account | | when it will be removed |
 * | DELETE methods/<method> | | the account as it is now |
 *
 * On guest, name, identity and social `Authorization: Bearer <ACCESS_TOKEN>` means "link, or conflict"; without it
 * they mean "sign in".
 *
 * Under `{base_url}`: GET `/v2/cl/games/<game>/collections/<collection>?env=` and PATCH `…/<key>?env=`, with the
 * bodies of Spec 4.1 and 4.2 and the access token as Bearer.
 */
import * as z from 'zod/mini';
import { conflictChoices, conflictField } from './conflict.js';
import { accounts, sizes } from './gaps.js';
import { authAnswer, deviceId, environment, lengthOf, uuid } from './messages.js';

const device = { game_id: uuid, env: environment, device_id: deviceId };
const linking = {
  ...device,
  /** What both sides of a conflict should show. */
  show: z.optional(z.array(conflictField).check(z.maxLength(accounts.maxConflictFields))),
};
const credentialToken = z.string().check(z.minLength(1), z.maxLength(sizes.credentialTokenLength));

export const guestRequest = z.object(device);
export const nameRequest = z.object({
  ...linking,
  username: lengthOf(sizes.usernameLength),
  password: lengthOf(sizes.passwordLength),
});
export const identityRequest = z.object({ ...linking, token: credentialToken });
export const socialRequest = z.object({
  ...linking,
  token: credentialToken,
  platform: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
});
export const conflictRequest = z.object({
  ...device,
  ticket: z.string().check(z.minLength(1), z.maxLength(256)),
  choice: z.enum(conflictChoices),
});
export const refreshRequest = z.object({
  game_id: uuid,
  env: environment,
  refresh_token: z.string().check(z.minLength(1), z.maxLength(4096)),
});
export const signOutRequest = z.object({
  game_id: uuid,
  env: environment,
  refresh_token: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
});

/** Spec 2.5, and what leads to the account: `device`, `name`, `identity`, `social`, `custom`. */
export const playerAuthAnswer = z.extend(authAnswer, { methods: z.optional(z.array(z.string())) });

export type PlayerAuthAnswer = z.infer<typeof playerAuthAnswer>;

export const accountAnswer = z.object({
  userId: uuid,
  createdAt: z.int(),
  /** `label` is the name as the player wrote it, or the issuer or platform; a device has none. */
  methods: z.array(z.object({ method: z.string(), label: z.optional(z.string()), linkedAt: z.int() })),
});

export type AccountAnswer = z.infer<typeof accountAnswer>;

const deletionAnswer = z.object({
  userId: uuid,
  /** Server time, ms since 1970: until then the account is kept. */
  removedAt: z.int(),
});
export type DeletionAnswer = z.infer<typeof deletionAnswer>;

/** What an access token says (a JWT, ES256); times in seconds since 1970, as JWT has them. */
export const accessClaims = z.object({
  iss: z.string(),
  /** The game's id. */
  aud: z.string(),
  env: environment,
  /** The user's id. */
  sub: z.string(),
  /** The session. */
  sid: z.string(),
  jti: z.string(),
  iat: z.int(),
  exp: z.int(),
});

export type AccessClaims = z.infer<typeof accessClaims>;
