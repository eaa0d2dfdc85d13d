import { createCipheriv, createDecipheriv, createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** What a cookie of the console holds, for nobody but the service to read. */
export interface SealedSession {
  /** The operator's key that was shown at the sign-in. */
  key: string;
  /** When it counts no longer, in ms since 1970. */
  expiresAt: number;
}

/** A session whose seal is whole, and what belongs to it. */
export interface OpenedSession extends SealedSession {
  /** What tells it from every other one, and lets nobody in: the SHA-256 of what the cookie holds. */
  id: string;
  /** What the page shows with every change, to prove that it is the page that asks. */
  csrf: string;
}

/** Seals sessions so that no process has to remember them. */
export interface SealedSessions {
  /** Seals a session for a cookie of this name, with the first secret. */
  seal(session: SealedSession, cookieName: string): string;
  /**
   * Opens what a cookie of this name holds; null where no secret of the service has sealed it for that
   * name, or it has expired.
   */
  open(sealed: string, cookieName: string): OpenedSession | null;
}

export interface SealedSessionsOptions {
  /** What the keys are derived from: that of the service first, then its former ones. At least one. */
  secrets(): readonly string[];
  random(size: number): Uint8Array;
  now(): number;
}

const [ivBytes, tagBytes] = [12, 16];

/**
 * Each secret gives two keys of 256 bits by HKDF-SHA-256 (RFC 5869), each under a label of its own, so that neither
 * says anything of the other or of what else is signed by the secret. Sessions are sealed with AES-256-GCM; the name of
 * the cookie is sealed with it, so that a value counts under no other name.
 */
export function createSealedSessions({ secrets, random, now }: SealedSessionsOptions): SealedSessions {
  return {
    seal(session, cookieName) {
      const [secret = ''] = secrets();
      const iv = random(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', derived(secret, 'session'), iv).setAAD(Buffer.from(cookieName));
      const text = Buffer.concat([cipher.update(JSON.stringify(session), 'utf8'), cipher.final()]);
      return Buffer.concat([iv, text, cipher.getAuthTag()]).toString('base64url');
    },

    open(sealed, cookieName) {
      for (const secret of secrets()) {
        const text = unsealed(sealed, cookieName, secret);
        if (text === null) continue;
        const { key, expiresAt } = JSON.parse(text) as SealedSession;
        if (expiresAt <= now()) return null;
        const csrf = createHmac('sha256', derived(secret, 'csrf')).update(sealed).digest('base64url');
        return { id: createHash('sha256').update(sealed).digest('base64url'), key, expiresAt, csrf };
      }
      return null;
    },
  };
}

/** Whether two tokens are the same, in a time that does not tell how much of them is. */
export function isSameToken(given: string | null, expected: string): boolean {
  const [left, right] = [Buffer.from(given ?? ''), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

function derived(secret: string, use: 'session' | 'csrf'): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `savepoint console ${use} 1`, 32));
}

function unsealed(sealed: string, cookieName: string, secret: string): string | null {
  const bytes = Buffer.from(sealed, 'base64url');
  // Another spelling of the same bytes is not what was set.
  if (bytes.length <= ivBytes + tagBytes || bytes.toString('base64url') !== sealed) return null;
  const decipher = createDecipheriv('aes-256-gcm', derived(secret, 'session'), bytes.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  });
  decipher.setAAD(Buffer.from(cookieName)).setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = decipher.update(bytes.subarray(ivBytes, -tagBytes));
    return Buffer.concat([text, decipher.final()]).toString('utf8');
  } catch {
    return null;
  }
}
