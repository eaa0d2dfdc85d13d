import type { ConflictSides } from '../protocol/conflict.js';
import { type FailureCode, failures } from '../protocol/failures.js';
import type { QuotaName } from '../protocol/gaps/quotas.js';
import type { LimitName } from './limit-name.js';

/** What a refusal says besides its code. It holds nothing that the request carried. */
export interface RefusalDetails {
  detail?: string;
  currentVersion?: number;
  /** The stored value's JSON, which goes into the answer letter for letter. */
  currentValueText?: string;
  /** The JSON of what stands beside the stored value. */
  currentTimesText?: string;
  /** That the write of this request was never carried out. */
  carriedOut?: false;
  serverTime?: number;
  /** When a deleted account is removed for good. */
  removedAt?: number;
  retryAfterMs?: number;
  /** Which limit was reached. */
  limitName?: LimitName;
  platforms?: readonly string[];
  /** The kinds of the login methods that the player can show. */
  methods?: readonly string[];
  /** How many characters a password has at least. */
  minLength?: number;
  /** Why a name cannot be used: a `NameReason`. Why the player is banned, in the operator's words. */
  reason?: string;
  /** Until when the player is banned, as ISO 8601 has it; null for good. */
  until?: string | null;
  /** Which quota of the account would be exceeded. */
  quota?: QuotaName;
  /** How much of it an account may hold. */
  limit?: number;
  /** How much of it the account holds. */
  used?: number;
  conflict?: ConflictSides;
  /** The methods that the address takes, as the header Allow lists them. */
  allow?: string;
}

/** The service refuses a request. Any operation may throw it; `http/app.ts` makes the answer of it. */
export class Refusal extends Error {
  readonly code: FailureCode;
  readonly details: RefusalDetails;

  constructor(code: FailureCode, details: RefusalDetails = {}) {
    super(failures[code].title);
    this.name = 'Refusal';
    this.code = code;
    this.details = details;
  }
}

/** Refuses with `rate_limited` where a rate says that there is a time to wait, in ms. */
export function refuseWhile(retryAfterMs: number, limitName: LimitName): void {
  if (retryAfterMs > 0) throw new Refusal('rate_limited', { retryAfterMs, limitName });
}
