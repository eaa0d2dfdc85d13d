import * as names from '../protocol/headers.js';

/** What requests carry. */
export const jsonType = [names.contentType, 'application/json'] as const;

export function bearer(token: string): readonly [string, string] {
  return [names.authorization, `Bearer ${token}`];
}
