/**
 * The requests of the client and their answers. Spec gap: the interface names the client's operations but not their
 * requests. They are described in this one file, so that other requests can take their place. Requests are written in
 * snake_case, answers as in docs/interface.md#server-authentication-response.
 *
 * Below `{auth_url}/v2/auth`, all by POST unless the table says otherwise:
 *
 * | path | body | answer |
 * |---|---|---|
 * | guest, name, identity, social, recovery | a credential | docs/interface.md#server-authentication-response and `methods`; 409 `profile_conflict` |
 * | peek/name, peek/identity, peek/social, peek/recovery | the same | what the credential would do |
 * | reset/request | a name | 204 for every name; the game delivers a code |
 * | reset | the name, the code, a new password | 204 |
 * | conflict/sides | ticket | the entries of both sides |
 * | conflict | ticket and choice; with `merge` the entries, and the versions that they rest on | as for guest |
 * | refresh | refresh_token | as for guest |
 * | sign-out | refresh_token, or the access token as Bearer; `everywhere` needs the latter | 204 |
 * | sign-out-others | unlink_since | as for guest: a new session; all others, and what was linked since, are gone |
 * | GET account | | the account and its methods |
 * | GET account/usage | | how much the account holds, and may hold |
 * | DELETE account | | when the account will be removed, and the code that restores it |
 * | GET account/devices | | the devices that are linked to it |
 * | DELETE account/devices/<device> | | 204; the sessions on it have ended |
 * | GET account/export | | everything that the service holds on the player |
 * | account/password | old and new password | 204 |
 * | account/address | an e-mail address, or null for none, and a language | 204; the game sends a code there |
 * | account/address/verification | that code | 204 |
 * | account/recovery-code | | a new code; the former one ends |
 * | GET account/snapshots | | the snapshots, newest first |
 * | account/snapshots | an entry that lost a mismatch | the id of its snapshot |
 * | GET account/snapshots/<id> | | the snapshot's entries |
 * | account/snapshots/<id>/restore | | the new versions of its entries |
 * | DELETE methods/<method> | | the account as it is now |
 *
 * A credential with `Authorization: Bearer <ACCESS_TOKEN>` is linked to that account, or leads to a conflict;
 * without the header it signs in. `intent` says so outright: `link`, or `switch` to the account that owns the
 * credential. `switch` never creates an account, and a recovery code never creates an account or a link. A method
 * that leads to the account already is shown once more: from then on the session comes from it, and counts as
 * recent. `reauthenticate` does that and nothing else. The right credential of an account that is being deleted is
 * answered with `account_deleted`; with `restore` it takes the deletion back and signs in to that account, whatever
 * session the request carries.
 *
 * Below `{base_url}`: GET `/v2/cl/games/<game>/collections/<collection>?env=` and PATCH `…/<key>?env=`, with the bodies
 * of docs/interface.md#read-a-collection and docs/interface.md#update-an-entry and the access token as Bearer. Besides,
 * an entry may have `times`: what the devices keep beside its value for their merges. PATCH of an entry and POST of a
 * snapshot take the header Idempotency-Key, so that either is done once however often it is sent.
 */

import * as z from 'zod/mini';
import { type ConflictSide, conflictSide } from './conflict.js';
import { type EntryTimes, isEntryTimes } from './entry-times.js';
import {
  authAnswer,
  environment,
  type JsonObject,
  jsonObject,
  type ProfileEntry,
  profileEntry,
  uuid,
} from './messages.js';

// Not z.record: it makes a new object and leaves out a member named `__proto__`.
export const entryTimes = z.custom<EntryTimes>(isEntryTimes);

export const playerEntry = z.extend(profileEntry, { times: z.optional(entryTimes) });

/** An entry of a collection on the player's wire. */
export interface PlayerEntry extends ProfileEntry {
  /** What the devices keep beside the value; absent where there is nothing. */
  times?: EntryTimes | undefined;
}

export const playerCollectionAnswer = z.array(playerEntry);

/** A collection of the player's, without what is in it. */
export interface CollectionRevision {
  /** The collection's name. */
  name: string;
  /** The sum of its entries' versions, each plus one: it grows with every write of any of them, and never falls. */
  revision: number;
}

export const collectionsAnswer = z.object({
  collections: z.array(z.object({ name: z.string(), revision: z.int().check(z.minimum(1)) })),
});

/** Where an entry is. */
export const at = { collection: z.string(), key: z.string() };
/** Why a name cannot be used. */
export type NameReason = 'empty' | 'too_long' | 'invisible_characters' | 'unknown_characters';

/** Each may be missing: what one side does not know of, it leaves out or passes over. */
const limits = z.object({
  valueBytes: z.optional(z.int()),
  entries: z.optional(z.int()),
  collections: z.optional(z.int()),
});

/**
 * docs/interface.md#server-authentication-response, the methods that are linked to the account: `device`, `name`,
 * `identity`, `social`, `custom`, and the limits beyond which the service refuses a save. Earlier services tell none.
 */
export const playerAuthAnswer = z.extend(authAnswer, {
  methods: z.optional(z.array(z.string())),
  limits: z.optional(limits),
});

/** The limits of saves, as far as the service has told them. */
export type AnsweredLimits = z.infer<typeof limits>;

export type PlayerAuthAnswer = z.infer<typeof playerAuthAnswer>;

export const linkedMethod = z.object({
  method: z.string(),
  label: z.optional(z.string()),
  address: z.optional(z.string()),
  addressSince: z.optional(z.int()),
  linkedAt: z.int(),
  lastUsedAt: z.optional(z.int()),
});

/** A method that is linked to an account, as the player may see it. */
export interface LinkedMethod {
  /** `device`, `name`, `identity`, `social`, `custom` or `recovery`. */
  method: string;
  /** The name as the player wrote it, the identity provider's issuer or the social platform; absent for the others. */
  label?: string | undefined;
  /** Of a name the e-mail address that the player has verified; absent where there is none. */
  address?: string | undefined;
  /**
   * When the player verified that address, by the service's clock in ms since 1970. Absent where nobody knows; earlier
   * services say nothing.
   */
  addressSince?: number | undefined;
  /** When the method was linked, by the service's clock in ms since 1970. */
  linkedAt: number;
  /**
   * When the method was last used, by the service's clock in ms since 1970: of a day in UTC the first time.
   * Earlier services say nothing.
   */
  lastUsedAt?: number | undefined;
}

export const accountAnswer = z.object({ userId: uuid, createdAt: z.int(), methods: z.array(linkedMethod) });

/** Who an account is, and what is linked to it. */
export interface AccountAnswer {
  /** The account's user id. */
  userId: string;
  /** When the account was created, by the service's clock in ms since 1970. */
  createdAt: number;
  /** The methods that are linked to the account. */
  methods: LinkedMethod[];
}

const quotaUsage = z.object({ used: z.int(), limit: z.int() });

export const usageAnswer = z.object({
  values: quotaUsage,
  entries: quotaUsage,
  collections: quotaUsage,
  snapshots: quotaUsage,
  snapshotBytes: quotaUsage,
  devices: quotaUsage,
  sessions: quotaUsage,
});

/** How much of a quota an account uses. */
export interface QuotaUsage {
  /** How much it uses; more than `limit` where the quota was lowered, or two accounts were merged. */
  used: number;
  /** How much it may use. */
  limit: number;
}

/**
 * How much an account holds, and how much it may hold.
 *
 * @see docs/interface.md#ours-errors-and-limits
 */
export interface AccountUsage {
  /**
   * The values of all entries together, with the times that devices keep beside them, in bytes of JSON in UTF-8. Beyond
   * it, saves are refused with `quota_exceeded`.
   */
  values: QuotaUsage;
  /** The entries of one collection: of the one that has most. Beyond it, new entries are refused. */
  entries: QuotaUsage;
  /** The collections that have an entry. Beyond it, new ones are refused. */
  collections: QuotaUsage;
  /** The snapshots of what was lost. Beyond it, the oldest go. */
  snapshots: QuotaUsage;
  /** The values in all snapshots together, in bytes of JSON in UTF-8. Beyond it, the oldest snapshots go. */
  snapshotBytes: QuotaUsage;
  /** The devices that lead to the account. Beyond it, the one longest unused goes. */
  devices: QuotaUsage;
  /** The sessions that are open, on all devices. Beyond it, the one longest unused ends. */
  sessions: QuotaUsage;
}

export const devicesAnswer = z.object({
  devices: z.array(z.object({ id: z.string(), linkedAt: z.int(), lastUsedAt: z.int(), isCurrent: z.boolean() })),
});

/** A device that is linked to an account, as the player may see it. */
export interface LinkedDevice {
  /** A name for `revokeDevice`. It is not the device's own id, which is a secret, and lets nobody in. */
  id: string;
  /** When the device was linked, by the service's clock in ms since 1970. */
  linkedAt: number;
  /** When the device was last used, by the service's clock in ms since 1970: of a day in UTC the first time. */
  lastUsedAt: number;
  /** Whether it is the device that asks. */
  isCurrent: boolean;
}

/** The devices that are linked to an account. */
export interface DevicesAnswer {
  /** Each device, the one first that was linked first. */
  devices: LinkedDevice[];
}

export const deletionAnswer = z.object({ userId: uuid, removedAt: z.int(), recoveryCode: z.string() });

/** What the service answers when an account is deleted. */
export interface DeletionAnswer {
  /** The account's user id. */
  userId: string;
  /** Until when the account can be restored, by the service's clock in ms since 1970; 30 days after the deletion. */
  removedAt: number;
  /** The code that restores the account, for a player who has no other method. */
  recoveryCode: string;
}

export const placedEntry = z.object({ ...at, value: jsonObject, version: z.int() });

/** An entry with the collection that it is in. */
export interface PlacedEntry {
  /** The collection's name. */
  collection: string;
  /** The entry's key. */
  key: string;
  /** The entry's content. */
  value: JsonObject;
  /** The entry's version, 0 and up. */
  version: number;
}

/** An entry of one side of a conflict. */
export const sideEntry = z.extend(placedEntry, { times: z.optional(entryTimes) });

/** An entry of one side of a conflict. */
export interface SideEntry extends PlacedEntry {
  /** What the devices keep beside the value; absent where there is nothing. */
  times?: EntryTimes | undefined;
}

export const conflictSidesAnswer = z.object({
  local: z.array(sideEntry),
  cloud: z.array(sideEntry),
  /**
   * The entries' common past: what came from one account into the other last, by a merge or from its history, and is still there.
   * Earlier services have none.
   */
  merged: z.optional(z.array(sideEntry)),
});

/** Both profiles of an open conflict. */
export interface ConflictProfiles {
  /** The account that the player is signed in to. */
  local: SideEntry[];
  /** The account that the login method belongs to. */
  cloud: SideEntry[];
  /** The entries' common past: what came from one account into the other last, and is still there; empty if nothing did. */
  merged?: SideEntry[] | undefined;
}

export const peekOutcomes = ['free', 'mine', 'other'] as const;

export const peekAnswer = z.object({ outcome: z.enum(peekOutcomes), side: z.optional(conflictSide) });

/** What signing in with a credential would do. */
export interface PeekAnswer {
  /** `free`: it would be linked. `mine`: nothing would change. `other`: there would be a conflict. */
  outcome: (typeof peekOutcomes)[number];
  /** The account that the credential belongs to, where it is another one. */
  side?: ConflictSide | undefined;
}

export const recoveryCodeAnswer = z.object({ code: z.string() });

/** Why entries were put into a snapshot: a choice in a conflict, a forced write, a mismatch, or a restored snapshot. */
export const snapshotReasons = ['local', 'cloud', 'merge', 'overwrite', 'mismatch', 'restore'] as const;

export type SnapshotReason = (typeof snapshotReasons)[number];

export const snapshotSummary = z.object({
  id: z.string(),
  createdAt: z.int(),
  expiresAt: z.int(),
  reason: z.string(),
  fromUserId: z.string(),
  entries: z.int(),
  bytes: z.int(),
});

/**
 * A snapshot: entries that lost to others, and that the player can restore.
 *
 * @see docs/interface.md#states-and-transitions
 */
export interface SnapshotSummary {
  /** The snapshot's id, to restore it with. */
  id: string;
  /** When the snapshot was made, by the service's clock in ms since 1970. */
  createdAt: number;
  /** Until when the snapshot is kept, by the service's clock in ms since 1970; 30 days after it was made. */
  expiresAt: number;
  /**
   * Why the entries lost: `local`, `cloud` or `merge` for a choice in a conflict, `overwrite` for a forced write,
   * `mismatch` for a write that came second, `restore` for a restored snapshot. A newer service may have more.
   */
  reason: string;
  /** The user id of the account that the entries belonged to. */
  fromUserId: string;
  /** How many entries the snapshot holds. */
  entries: number;
  /** The size of the entries together, in bytes of JSON in UTF-8. */
  bytes: number;
}

export const snapshotsAnswer = z.object({ snapshots: z.array(snapshotSummary) });

export const snapshotAddedAnswer = z.object({ id: z.string() });

export const snapshotAnswer = z.extend(snapshotSummary, { content: z.array(placedEntry) });

export const restoreAnswer = z.object({ entries: z.array(z.object({ ...at, version: z.int() })) });

/** The claims of an access token (a JWT signed with ES256). Times are in seconds since 1970, as in every JWT. */
export const accessClaims = z.object({
  iss: z.string(),
  /** The game's id. */
  aud: z.string(),
  env: environment,
  /** The user's id. */
  sub: z.string(),
  /** The session's id. */
  sid: z.string(),
  jti: z.string(),
  iat: z.int(),
  exp: z.int(),
  /** When the player last showed a login method. Earlier services say nothing. */
  auth_time: z.optional(z.int()),
  /** The kind of that login method, alone in its list. */
  amr: z.optional(z.array(z.string())),
  /** What the service understands on the player's wire (`accessTokens.wire`). Earlier services say nothing. */
  wire: z.optional(z.int()),
});

export type AccessClaims = z.infer<typeof accessClaims>;
