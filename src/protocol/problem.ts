import * as z from 'zod/mini';
import { type ConflictSides, conflictSides } from './conflict.js';
import type { EntryTimes } from './entry-times.js';
import { type JsonObject, jsonObject } from './messages.js';
import { entryTimes } from './player-messages.js';

/** The body of every refusal. Nothing that the request carried is ever echoed in it. */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.optional(z.string()),
  requestId: z.optional(z.string()),
  currentVersion: z.optional(z.int()),
  currentValue: z.optional(jsonObject),
  currentTimes: z.optional(entryTimes),
  carriedOut: z.optional(z.literal(false)),
  serverTime: z.optional(z.int()),
  removedAt: z.optional(z.int()),
  retryAfterMs: z.optional(z.number()),
  limitName: z.optional(z.string()),
  platforms: z.optional(z.array(z.string())),
  methods: z.optional(z.array(z.string())),
  minLength: z.optional(z.int()),
  reason: z.optional(z.string()),
  until: z.optional(z.nullable(z.string())),
  quota: z.optional(z.string()),
  limit: z.optional(z.int()),
  used: z.optional(z.int()),
  conflict: z.optional(conflictSides),
});

/** The body of every refusal: a problem document (RFC 9457), with members of its own for some codes. */
export interface Problem {
  /** The problem's type: `about:blank`, or an address of a service of another make. */
  type: string;
  /** What the code means, in one sentence. */
  title: string;
  /** The HTTP status of the answer. */
  status: number;
  /** One of the codes in `failures`, or a newer service's. */
  code: string;
  /** What is wrong with this request, without anything that it carried. */
  detail?: string | undefined;
  /** The service's name for the request, as in its logs. */
  requestId?: string | undefined;
  /** For `version_mismatch`: the version that is stored, -1 where there is no entry. */
  currentVersion?: number | undefined;
  /** For `version_mismatch`: the value that is stored. */
  currentValue?: JsonObject | undefined;
  /** For `version_mismatch` on the player's wire: what stands beside that value; absent where there is nothing. */
  currentTimes?: EntryTimes | undefined;
  /** For `version_mismatch` of a write with an Idempotency-Key: the service knows that it was never carried out. */
  carriedOut?: false | undefined;
  /** For `timestamp_out_of_window`: the service's clock, in ms since 1970. */
  serverTime?: number | undefined;
  /** For `account_deleted`: until when the account can be restored, in ms since 1970. */
  removedAt?: number | undefined;
  /** For `rate_limited`, `unavailable` and `nonce_store_full`: how long to wait before the next try, in ms. */
  retryAfterMs?: number | undefined;
  /** For the same: which limit was reached, as docs/limits.md names it; absent where it was none. */
  limitName?: string | undefined;
  /** For `platform_not_registered`: the names of the platforms that are registered. */
  platforms?: string[] | undefined;
  /** For `reauthentication_required`: the kinds of the login methods that can be shown. */
  methods?: string[] | undefined;
  /** For `password_too_short`: how many characters a password has at least. */
  minLength?: number | undefined;
  /**
   * For `name_not_allowed`: why, a `NameReason` or a newer service's. For `account_banned`:
   * why, for the player to read.
   */
  reason?: string | undefined;
  /** For `account_banned`: until when, such as `2026-12-01T00:00:00.000Z`; null for good. */
  until?: string | null | undefined;
  /** For `quota_exceeded`: which quota of the account, a `QuotaName` or a newer service's. */
  quota?: string | undefined;
  /** For `quota_exceeded`: how much an account may hold, in bytes for `values`, else in number. */
  limit?: number | undefined;
  /** For `quota_exceeded`: how much the account holds. */
  used?: number | undefined;
  /** For `profile_conflict`: both sides, and the ticket. */
  conflict?: ConflictSides | undefined;
}
