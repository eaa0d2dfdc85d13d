import type { Writable } from 'node:stream';
import { logBytes } from '../protocol/gaps/port-timeouts.js';

/**
 * Writes text as long as somebody reads it. Where nobody does, the service must neither wait nor fill its memory: what
 * comes once 4 MiB wait is dropped, and when the rest has been read a line says how much that was.
 */
export function createBoundedOutput(
  stream: Pick<Writable, 'write' | 'once' | 'writableLength'>,
  sayDropped: (texts: number) => string,
): (text: string) => void {
  let dropped = 0;
  const tell = (): void => {
    const texts = dropped;
    dropped = 0;
    stream.write(sayDropped(texts));
  };
  return (text) => {
    if (dropped === 0 && stream.writableLength < logBytes) {
      stream.write(text);
      return;
    }
    if (dropped === 0) stream.once('drain', tell);
    dropped += 1;
  };
}
