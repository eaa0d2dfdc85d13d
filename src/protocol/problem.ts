import * as z from 'zod/mini';
import { conflictSides } from './conflict.js';
import { jsonObject } from './messages.js';

/**
 * The body of every failure (RFC 9457), with what some codes add: `currentVersion` (-1 where the entry is
 * absent) and `currentValue` to `version_mismatch`, `serverTime` to `timestamp_out_of_window`, `retryAfterMs` to
 * `rate_limited` and the 503s, `removedAt` to `account_deleted`, `platforms` to `platform_not_registered`, `conflict` to `profile_conflict`.
 * What a request carried is never echoed.
 */
export const problem = z.object({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.optional(z.string()),
  requestId: z.optional(z.string()),
  currentVersion: z.optional(z.int()),
  currentValue: z.optional(jsonObject),
  serverTime: z.optional(z.int()),
  removedAt: z.optional(z.int()),
  retryAfterMs: z.optional(z.number()),
  platforms: z.optional(z.array(z.string())),
  conflict: z.optional(conflictSides),
});

export type Problem = z.infer<typeof problem>;
