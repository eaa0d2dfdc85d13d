import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createBoundedOutput } from '../../src/cli/bounded-output.js';
import { logBytes } from '../../src/protocol/gaps/port-timeouts.js';

/** A stream that keeps what is written until somebody reads it. */
class Unread extends EventEmitter {
  waiting: string[] = [];
  get writableLength(): number {
    return this.waiting.reduce((sum, text) => sum + text.length, 0);
  }
  write(text: string): boolean {
    this.waiting.push(text);
    return false;
  }
  read(): string[] {
    const read = this.waiting.splice(0);
    this.emit('drain');
    return read;
  }
}

describe('an output that nobody reads', () => {
  it('keeps a limited amount, and tells how much was dropped when somebody reads again', () => {
    const stream = new Unread();
    const out = createBoundedOutput(stream as never, (texts) => `${texts} dropped`);
    const line = 'x'.repeat(64 * 1024);
    for (let written = 0; written < 1_000; written += 1) out(line);
    expect(stream.writableLength).toBe(logBytes);
    const kept = logBytes / line.length;
    expect(stream.read()).toHaveLength(kept);
    expect(stream.waiting).toEqual([`${1_000 - kept} dropped`]);
    out('next');
    expect(stream.read()).toEqual([`${1_000 - kept} dropped`, 'next']);
    expect(stream.waiting).toEqual([]);
    expect(stream.listenerCount('drain')).toBe(0);
  });

  it('drops nothing of what is read', () => {
    const stream = new Unread();
    const out = createBoundedOutput(stream as never, () => 'dropped');
    for (let written = 0; written < 1_000; written += 1) {
      out('x'.repeat(64 * 1024));
      expect(stream.read()).toHaveLength(1);
    }
    expect(stream.waiting).toEqual([]);
  });
});
