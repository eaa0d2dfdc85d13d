import type { ConflictSides } from '../protocol/conflict.js';
import { type FailureCode, failures } from '../protocol/failures.js';

/** What a refusal says beyond its code. Nothing of what the request carried. */
export interface RefusalDetails {
  detail?: string;
  currentVersion?: number;
  /** JSON text, put into the answer as it is. */
  currentValueText?: string;
  serverTime?: number;
  /** When a deleted account goes for good. */
  removedAt?: number;
  retryAfterMs?: number;
  platforms?: readonly string[];
  conflict?: ConflictSides;
  /** The methods that the address takes. */
  allow?: string;
}

/** The service says no. Thrown anywhere in the domain, and made an answer in one place. */
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
