/**
 * Header names (Spec 5.1), and two of our own: the request's id, and what a retry waits for. A bundle takes the ones it
 * uses.
 */

export const authorization = 'Authorization';
export const contentType = 'Content-Type';
/** The sender's clock. */
export const date = 'Date';
/** `*` on an update with version -1: create the entry, or answer `version_mismatch`. Ours. */
export const ifNoneMatch = 'If-None-Match';
export const requestId = 'X-Request-Id';
export const retryAfter = 'Retry-After';

/** What the signed request adds (Spec 5.2); apart, so that no page carries it. */
export const signedHeaders = {
  forwardedFor: 'X-Forwarded-For',
  signature: 'Service-Signature',
  timestamp: 'Service-Timestamp',
  nonce: 'Service-Nonce',
} as const;

export const mediaTypes = {
  json: 'application/json',
  problem: 'application/problem+json',
} as const;
