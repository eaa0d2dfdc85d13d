import * as names from '../protocol/headers.js';
import { Refusal } from './domain/refusal.js';

/** A body as it came, and what it says. */
export interface Body {
  bytes: Uint8Array;
  text: string;
  json: unknown;
}

/** A body whose bytes are there, but which nobody has looked into. */
export interface RawBody {
  bytes: Uint8Array;
  /** Refuses with `invalid_json`. */
  parse(): Body;
}

const contentType = /^application\/json\s*(;\s*charset\s*=\s*("utf-8"|utf-8)\s*)?$/i;

/** Reads a body up to a size, whatever Content-Length says: size first (413), then the content type (415). */
export async function readBody(request: Request, maxBytes: number): Promise<RawBody> {
  const bytes = await readBytes(request, maxBytes);
  // A header that is there twice arrives as one with a comma, which is no content type.
  if (!contentType.test(request.headers.get(names.contentType) ?? '')) throw new Refusal('unsupported_media_type');
  return { bytes, parse: () => parse(bytes) };
}

async function readBytes(request: Request, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.length;
    if (size > maxBytes) throw new Refusal('too_large', { detail: `A request may have at most ${maxBytes} bytes.` });
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(size);
  let position = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, position);
    position += chunk.length;
  }
  return bytes;
}

/** The body piece by piece; whoever stops early lets go of the rest. */
async function* chunksOf(request: Request): AsyncGenerator<Uint8Array> {
  // A page's request has no stream in Firefox; what it carries is in memory anyway.
  const stream = request.body as ReadableStream<Uint8Array> | null | undefined;
  if (stream === undefined) {
    yield new Uint8Array(await request.arrayBuffer());
    return;
  }
  const reader = stream?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw new Refusal('invalid_request', { detail: 'The body ended before its end.' });
      });
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function parse(bytes: Uint8Array): Body {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { bytes, text, json: JSON.parse(text) };
  } catch {
    throw new Refusal('invalid_json');
  }
}
