import type { Service } from '../service.js';
import type { CodeKind } from '../stores/code-requests.js';
import type { LinkKey } from '../stores/records.js';

/** Six digits can be tried out: only with the service's key can their hash. */
export function codeHash({ tokens }: Service, link: LinkKey, kind: CodeKind, code: string): Promise<string> {
  return tokens.codeHash(boundTo(link, kind, code));
}

/** What the hash of a code that is shown may be: it may have been made under a former key of the service. */
export function codeHashes(
  { tokens }: Service,
  link: LinkKey,
  kind: CodeKind,
  code: string,
): Promise<readonly string[]> {
  return tokens.codeHashes(boundTo(link, kind, code));
}

/** A code counts for its link and its purpose alone. */
function boundTo({ gameId, environment, method, subject }: LinkKey, kind: CodeKind, code: string): string {
  return JSON.stringify([gameId, environment, method, subject, kind, code]);
}

/** Of 64 random bits, so that no code is likelier than another. */
export function newDigits(random: Service['random']): string {
  const number = random(8).reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  return String(number % 1_000_000n).padStart(6, '0');
}
