import { decodeJwt } from 'jose';
import { isUuid } from '../../protocol/ids.js';

/**
 * Whose request this says it is: the account of its access token, or that of an address of the private API or of the
 * operators. Nobody has checked it. It is for planned faults and for what a developer is shown, and allows nothing.
 */
export function claimedPlayerOf(request: Request, path: string): string | null {
  const named = /^\/v2\/(?:pr\/games\/[^/]+\/saves|admin\/games\/[^/]+\/players)\/([^/]+)/.exec(path)?.[1];
  if (isUuid(named)) return named.toLowerCase();
  const token = /^Bearer (.+)$/i.exec(request.headers.get('Authorization') ?? '')?.[1] ?? '';
  try {
    const { sub } = decodeJwt(token);
    return isUuid(sub) ? sub.toLowerCase() : null;
  } catch {
    return null;
  }
}
