import { busyRetryMs } from '../../protocol/gaps/retry-hints.js';
import { serviceSizes } from '../../protocol/gaps/service-sizes.js';
import * as names from '../../protocol/headers.js';
import { Refusal } from '../refusal.js';

/** A body as it came, and parsed. */
export interface Body {
  bytes: Uint8Array;
  text: string;
  json: unknown;
}

/** A body that is not parsed yet. */
export interface RawBody {
  bytes: Uint8Array;
  /** Refuses with `invalid_json`, and with `too_large` where there are too many objects and lists. */
  parse(): Body;
}

const contentType = /^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?$/i;

/**
 * Reads a body's bytes; null where there are more than `maxBytes`, `cut` where the connection ended before the body
 * did, `crowded` where more arrives of all than may be held. `address` is the player's.
 */
export type ReadBytes = (maxBytes: number, address?: string) => Promise<Uint8Array | null | 'cut' | 'crowded'>;

/**
 * Reads a body up to a size, whatever Content-Length says. It refuses one that is too large (413) before one of
 * another content type (415). A port that has the bytes at hand gives `read`, which is cheaper than the request's
 * stream.
 */
export async function readBody(
  request: Request,
  maxBytes: number,
  read: ReadBytes = (max) => readStream(request, max),
): Promise<RawBody> {
  const bytes = await read(maxBytes);
  if (bytes === null) throw new Refusal('too_large', { detail: `A request may have at most ${maxBytes} bytes.` });
  if (bytes === 'crowded') {
    throw new Refusal('unavailable', { retryAfterMs: busyRetryMs, limitName: 'arrivingBytes' });
  }
  if (bytes === 'cut') throw new Refusal('invalid_request', { detail: 'The body ended before its end.' });
  // A header that is sent twice arrives as one value with a comma, which is no content type.
  if (!contentType.test(request.headers.get(names.contentType) ?? '')) throw new Refusal('unsupported_media_type');
  if (!/^(identity)?$/i.test(request.headers.get(names.contentEncoding) ?? '')) {
    throw new Refusal('unsupported_media_type', { detail: 'A body must not be compressed.' });
  }
  return { bytes, parse: () => parse(bytes) };
}

async function readStream(request: Request, maxBytes: number): Promise<Uint8Array | null | 'cut'> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of chunksOf(request)) {
      size += chunk.length;
      if (size > maxBytes) return null;
      chunks.push(chunk);
    }
  } catch {
    return 'cut';
  }
  return concat(chunks, size);
}

export function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  if (chunks.length === 1) return chunks[0] as Uint8Array;
  const bytes = new Uint8Array(size);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

/** The body piece by piece; where the reader stops early, the rest is cancelled. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  // A page's request has no stream in Firefox; its body is in memory anyway.
  const stream = request.body as ReadableStream<Uint8Array> | null | undefined;
  if (stream === undefined) {
    yield new Uint8Array(await request.arrayBuffer());
    return;
  }
  const reader = stream?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function parse(bytes: Uint8Array): Body {
  const max = serviceSizes.objectsPerRequest;
  if (exceedsObjects(bytes, max)) {
    throw new Refusal('too_large', { detail: `A request may have at most ${max} objects and lists.` });
  }
  try {
    const text = decoder.decode(bytes);
    return { bytes, text, json: JSON.parse(text) };
  } catch {
    throw new Refusal('invalid_json');
  }
}

const [quote, backslash, list, object] = [0x22, 0x5c, 0x5b, 0x7b];

/**
 * Whether a body would have more objects and lists than `max`. Megabytes of `[` keep `JSON.parse` busy for a second,
 * and nobody else is served in that time.
 */
function exceedsObjects(bytes: Uint8Array, max: number): boolean {
  // Most bodies have fewer bytes than that.
  if (bytes.length <= max) return false;
  let found = 0;
  let isText = false;
  for (let at = 0; at < bytes.length && found <= max; at += 1) {
    const byte = bytes[at];
    if (byte === quote) isText = !isText;
    else if (isText && byte === backslash) at += 1;
    else if (!isText && (byte === list || byte === object)) found += 1;
  }
  return found > max;
}
