/** Header names (Spec 5.1, 5.2), and two of our own: the request's id, and what a retry waits for. */
export const headers = {
  authorization: 'Authorization',
  contentType: 'Content-Type',
  forwardedFor: 'X-Forwarded-For',
  signature: 'Service-Signature',
  timestamp: 'Service-Timestamp',
  nonce: 'Service-Nonce',
  requestId: 'X-Request-Id',
  retryAfter: 'Retry-After',
} as const;

export const mediaTypes = {
  json: 'application/json',
  problem: 'application/problem+json',
} as const;
