import { redacted } from '../../backend/redacted.js';
import { mediaTypes } from '../../protocol/headers.js';

/** A body of more characters is cut. */
const shownLength = 16 * 1024;
/** One of more is not looked at: nobody may keep the program busy with what it only shows. */
const readLength = 256 * 1024;
const mask = '[redacted]';

/** A JWT, or an operator's key, wherever it stands. */
const secretForms = [/(?<![\w-])eyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, /\bop_[0-9a-f]{8}-[0-9a-f-]{27}_[\w-]{43}/g];
const secretHeaders = /^(authorization|proxy-authorization|cookie|set-cookie)$|token|secret|password|api-?key/i;
const secretParameters = /token|secret|password|code|key|ticket|device|signature/i;

/** Shows requests without what is secret in them. */
export interface Masked {
  headers(headers: Iterable<readonly [string, string]>): { [name: string]: string };
  /** The JSON of a body; of any other body, that it is none. */
  body(text: string | null, mediaType: string | null): string | null;
  path(url: URL): string;
}

/** What is shorter stands in other words by chance. */
const shortestSecret = 8;

/** `known` are secrets that are masked wherever they stand, such as the games' private keys. */
export function createMasked(known: readonly string[]): Masked {
  const written = [...new Set(known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))].filter(
    (secret) => secret.length >= shortestSecret,
  );

  function text(given: string): string {
    const withoutKnown = written.reduce((left, secret) => left.replaceAll(secret, mask), given);
    return secretForms.reduce((left, form) => left.replaceAll(form, mask), withoutKnown);
  }

  return {
    headers: (headers) =>
      Object.fromEntries([...headers].map(([name, value]) => [name.toLowerCase(), header(name.toLowerCase(), value)])),

    body(given, mediaType) {
      if (given === null || given === '') return null;
      if (given.length > readLength) return `[${given.length} characters, too many to be shown]`;
      let value: unknown;
      try {
        value = JSON.parse(given);
      } catch {
        // Nobody knows where in it a secret stands.
        return `[${given.length} characters that are not JSON]`;
      }
      const shown = text(JSON.stringify(withCode(redacted(value), value, mediaType)));
      return shown.length <= shownLength ? shown : `${shown.slice(0, shownLength)} [cut: ${shown.length} characters]`;
    },

    path(url) {
      const shown = new URL(url);
      for (const name of [...shown.searchParams.keys()]) {
        if (secretParameters.test(name)) shown.searchParams.set(name, 'redacted');
      }
      return text(shown.pathname + shown.search);
    },
  };

  function header(name: string, value: string): string {
    // Enough to tell two of them apart.
    if (name === 'service-signature') return `${value.slice(0, 8)}…`;
    if (name === 'authorization') return `${/^bearer /i.test(value) ? 'Bearer ' : ''}${mask}`;
    return secretHeaders.test(name) ? mask : text(value);
  }
}

/** In a problem document the code is the failure's, and no secret. */
function withCode(masked: unknown, value: unknown, mediaType: string | null): unknown {
  if (mediaType !== mediaTypes.problem || typeof value !== 'object' || value === null) return masked;
  return { ...(masked as object), code: (value as { code?: unknown }).code };
}
