import { createHash } from 'node:crypto';
import type { LinkKey } from '../records.js';

/** What a link is spread by: of one length, and the same on every engine. */
export function linkHash({ gameId, environment, method, subject }: LinkKey): string {
  return createHash('sha256')
    .update(JSON.stringify([gameId, environment, method, subject]))
    .digest('base64url');
}
