/**
 * The player's own wire. Spec gap: Spec 4.4 names the client's operations, not their requests. It stands in this
 * one file so that another form can take its place. Requests are in snake_case, answers as Spec 2.5.
 *
 * Under `{auth_url}/v2/auth`, all POST unless said otherwise:
 *
 * | path | body | answer |
 * |---|---|---|
 * | guest, name, identity, social, recovery | below | Spec 2.5 and `methods`; 409 `profile_conflict` |
 * | peek/name, peek/identity, peek/social, peek/recovery | the same | what would happen |
 * | conflict/sides | ticket | both profiles |
 * | conflict | ticket and choice; with `merge` the entries, and what they rest on | as guest |
 * | refresh | refresh_token | the same |
 * | sign-out | refresh_token, or the access token as Bearer; `everywhere` needs that | 204 |
 * | GET account | | who the account is and what leads to it |
 * | DELETE account | | when it will be removed, and the code that restores it |
 * | GET account/export | | everything that is held on the player |
 * | account/password | old and new password | 204 |
 * | account/recovery-code | | a new code; the former one ends |
 * | GET account/snapshots | | what lost, newest first |
 * | account/snapshots | an entry that lost a mismatch | its snapshot's id |
 * | GET account/snapshots/<id>, POST …/<id>/restore | | its entries; their new versions |
 * | DELETE methods/<method> | | the account as it is now |
 *
 * On guest, name, identity, social and recovery `Authorization: Bearer <ACCESS_TOKEN>` means "link, or conflict"; without
 * it they mean "sign in". `intent` says it outright: `link`, or `switch` to whose credential it is, which never creates.
 * A recovery code never makes an account or a link. A right credential of an account that is being deleted answers
 * `account_deleted`; the same with `restore` takes the deletion back and signs in to it, whatever session is there.
 *
 * Under `{base_url}`: GET `/v2/cl/games/<game>/collections/<collection>?env=` and PATCH `…/<key>?env=`, with the
 * bodies of Spec 4.1 and 4.2 and the access token as Bearer.
 */
import * as z from 'zod/mini';
import { conflictChoices, conflictField, conflictSide } from './conflict.js';
import { serviceSizes } from './gaps/service-sizes.js';
import { sizes } from './gaps/sizes.js';
import { authAnswer, deviceId, environment, jsonObject, lengthOf, uuid } from './messages.js';

const device = { game_id: uuid, env: environment, device_id: deviceId };
const linking = {
  ...device,
  /** What both sides of a conflict should show. */
  show: z.optional(z.array(conflictField).check(z.maxLength(sizes.maxConflictFields))),
  intent: z.optional(z.enum(['link', 'switch'])),
  /** Takes back a deletion that is still in its grace. */
  restore: z.optional(z.boolean()),
};
const credentialToken = z.string().check(z.minLength(1), z.maxLength(serviceSizes.credentialTokenLength));

export const guestRequest = z.object(device);
export const nameRequest = z.object({
  ...linking,
  username: lengthOf(serviceSizes.usernameLength),
  password: lengthOf(serviceSizes.passwordLength),
});
export const identityRequest = z.object({ ...linking, token: credentialToken });
export const socialRequest = z.object({
  ...linking,
  token: credentialToken,
  platform: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
});
export const recoveryRequest = z.object({ ...linking, code: z.string().check(z.minLength(1), z.maxLength(64)) });

const ticket = z.string().check(z.minLength(1), z.maxLength(256));
const at = { collection: z.string(), key: z.string() };
const restsOn = z.array(z.object({ ...at, version: z.int().check(z.minimum(0)) }));

export const conflictSidesRequest = z.object({ ...device, ticket });

/** `merge` brings the entries that differ from the cloud's, and every version of both sides that they rest on. */
export const conflictRequest = z.object({
  ...device,
  ticket,
  choice: z.enum(conflictChoices),
  entries: z.optional(z.array(z.object({ ...at, value: jsonObject }))),
  rests_on: z.optional(z.object({ local: restsOn, cloud: restsOn })),
});
export const refreshRequest = z.object({
  game_id: uuid,
  env: environment,
  refresh_token: z.string().check(z.minLength(1), z.maxLength(4096)),
});
export const passwordRequest = z.object({
  game_id: uuid,
  env: environment,
  old_password: lengthOf(serviceSizes.passwordLength),
  new_password: lengthOf(serviceSizes.passwordLength),
});
export const snapshotRequest = z.object({ game_id: uuid, env: environment, ...at, value: jsonObject });
export const signOutRequest = z.object({
  game_id: uuid,
  env: environment,
  refresh_token: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
  /** Every session of the account; needs the access token. */
  everywhere: z.optional(z.boolean()),
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

export const deletionAnswer = z.object({
  userId: uuid,
  /** Server time, ms since 1970: until then the account is kept. */
  removedAt: z.int(),
  recoveryCode: z.string(),
});
export type DeletionAnswer = z.infer<typeof deletionAnswer>;
/** An entry with where it stands. */
export const placedEntry = z.object({ ...at, value: jsonObject, version: z.int() });

export type PlacedEntry = z.infer<typeof placedEntry>;

export const conflictSidesAnswer = z.object({ local: z.array(placedEntry), cloud: z.array(placedEntry) });

export const peekOutcomes = ['free', 'mine', 'other'] as const;

/** What the same credential would do: link (`free`), nothing (`mine`), or a conflict (`other`, with that side). */
export const peekAnswer = z.object({ outcome: z.enum(peekOutcomes), side: z.optional(conflictSide) });

export type PeekAnswer = z.infer<typeof peekAnswer>;

export const recoveryCodeAnswer = z.object({ code: z.string() });

/** To what something lost: a choice in a conflict, a forced overwrite, a mismatch, or a restored snapshot. */
export const snapshotReasons = ['local', 'cloud', 'merge', 'overwrite', 'mismatch', 'restore'] as const;

export type SnapshotReason = (typeof snapshotReasons)[number];

/** What lost, and can be restored. */
export const snapshotSummary = z.object({
  id: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  /** One of `snapshotReasons`, or of a newer service's. */
  reason: z.string(),
  /** Whose entries they were. */
  fromUserId: z.string(),
  entries: z.int(),
  bytes: z.int(),
});

export type SnapshotSummary = z.infer<typeof snapshotSummary>;

export const snapshotsAnswer = z.object({ snapshots: z.array(snapshotSummary) });

export const snapshotAddedAnswer = z.object({ id: z.string() });

export const snapshotAnswer = z.extend(snapshotSummary, { content: z.array(placedEntry) });

export const restoreAnswer = z.object({ entries: z.array(z.object({ ...at, version: z.int() })) });

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
