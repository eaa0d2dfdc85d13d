import { describe, expect, it } from 'vitest';
import { isUuid, newUuid } from '../../src/protocol/ids.js';

describe('newUuid', () => {
  // The example of RFC 9562, A.3: its six fixed bits are set, whatever the bytes have there.
  it.each([
    ['as they are', [0x43, 0x9b]],
    ['all zero', [0x03, 0x1b]],
    ['all one', [0xf3, 0xdb]],
  ] as const)('writes 16 bytes as version 4, the fixed bits %s', (_, [version, variant]) => {
    const bytes = [
      0x91,
      0x91,
      0x08,
      0xf7,
      0x52,
      0xd1,
      version,
      0x20,
      variant,
      0xac,
      0xf8,
      0x47,
      0xdb,
      0x41,
      0x48,
      0xa8,
    ];
    const given = Uint8Array.from(bytes);
    expect(newUuid(given)).toBe('919108f7-52d1-4320-9bac-f847db4148a8');
    expect([...given]).toEqual(bytes);
  });

  it('keeps leading zeros', () => {
    expect(newUuid(new Uint8Array(16))).toBe('00000000-0000-4000-8000-000000000000');
  });

  it('is another one each time', () => {
    const made = Array.from({ length: 100 }, () => newUuid());
    expect(new Set(made).size).toBe(100);
    expect(made.every(isUuid)).toBe(true);
  });
});
