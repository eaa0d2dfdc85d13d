import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Answer } from './answers.js';
import { concat, type ReadBytes } from './body.js';

/** Reads a body as it arrives. Where it is too large, the rest stays unread: Node drops it after the answer. */
export function bodyReader(incoming: IncomingMessage): ReadBytes {
  return (maxBytes) =>
    new Promise((resolve) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      const finish = (result: Uint8Array | null | 'cut'): void => {
        incoming.off('data', take).off('end', end).off('close', cut).off('error', cut);
        resolve(result);
      };
      const take = (chunk: Uint8Array): void => {
        size += chunk.length;
        chunks.push(chunk);
        if (size <= maxBytes) return;
        incoming.pause();
        finish(null);
      };
      const end = (): void => finish(concat(chunks, size));
      const cut = (): void => finish('cut');
      if (incoming.readableEnded) end();
      else if (incoming.destroyed) cut();
      else incoming.on('data', take).once('end', end).once('close', cut).once('error', cut);
    });
}

export function writeAnswer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  const written: { [name: string]: string | number } = Object.fromEntries(headers);
  if (body !== null) written['Content-Length'] = Buffer.byteLength(body);
  outgoing.writeHead(status, written);
  if (body === null) outgoing.end();
  else outgoing.end(body);
}
