/** The names of headers. They are single constants, so that a bundle holds only those that it uses. */

export const authorization = 'Authorization';
export const contentType = 'Content-Type';
export const contentEncoding = 'Content-Encoding';
/** The sender's clock. */
export const date = 'Date';
/** Ours: `*` on an update with version -1 asks to create the entry, or to answer `version_mismatch`. */
export const ifNoneMatch = 'If-None-Match';
/** Ours: the name of a write, `<device>:<write>`, by which the service knows a repeat of it (`idempotency-key.ts`). */
export const idempotencyKey = 'Idempotency-Key';
export const requestId = 'X-Request-Id';
export const retryAfter = 'Retry-After';

/**
 * The headers of a signed request (docs/interface.md#signed-requests). They are an object of their own, so that no
 * page's bundle holds them.
 */
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
