import { createHash } from 'node:crypto';
import type { LinkKey } from '../records.js';

/** The key of a link's row: of one length however long the subject is, and the same on every engine. */
export function linkHash({ gameId, environment, method, subject }: LinkKey): string {
  return createHash('sha256')
    .update(JSON.stringify([gameId, environment, method, subject]))
    .digest('base64url');
}
