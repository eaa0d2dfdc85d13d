import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signingDefaults } from '../../src/protocol/gaps/signing.js';
import {
  decodeSignature,
  encodeSignature,
  equalBytes,
  isNonce,
  nonceFrom,
  signedBytes,
  signedText,
  timestampProblem,
} from '../../src/protocol/signing.js';

const hash = () => fc.uint8Array({ minLength: 32, maxLength: 32 });

describe('encodeSignature and decodeSignature', () => {
  it('write lower-case hex by default', () => {
    expect(encodeSignature(new Uint8Array(32).fill(0xab))).toBe('ab'.repeat(32));
  });

  it('bring back every signature in hex, upper-case hex and base64', () => {
    fc.assert(
      fc.property(hash(), (bytes) => {
        const written = [
          encodeSignature(bytes),
          encodeSignature(bytes).toUpperCase(),
          encodeSignature(bytes, 'base64'),
        ];
        for (const text of written) expect(decodeSignature(text)).toEqual(bytes);
      }),
    );
  });

  it('read hex first where both could be meant: no text of 64 characters is base64 of 32 bytes', () => {
    expect(decodeSignature('a'.repeat(64))).toEqual(new Uint8Array(32).fill(0xaa));
  });

  it.each([
    ['nothing', ''],
    ['63 digits', 'a'.repeat(63)],
    ['65 digits', 'a'.repeat(65)],
    ['a letter that is no digit', `${'a'.repeat(63)}g`],
    ['a newline at the end of hex', `${'a'.repeat(64)}\n`],
    ['a newline at the end of base64', `${'A'.repeat(43)}=\n`],
    ['44 characters without padding', 'A'.repeat(44)],
    ['two paddings', `${'A'.repeat(42)}==`],
    ['two values joined', `${'a'.repeat(64)}, ${'a'.repeat(64)}`],
    ['full-width digits', '１'.repeat(64)],
  ])('refuse %s', (_, text) => {
    expect(decodeSignature(text)).toBeNull();
  });
});

describe('equalBytes', () => {
  it('finds every single difference', () => {
    fc.assert(
      fc.property(hash(), fc.nat(31), fc.integer({ min: 1, max: 255 }), (bytes, index, change) => {
        const other = Uint8Array.from(bytes);
        other[index] = (other[index] as number) ^ change;
        expect(equalBytes(bytes, Uint8Array.from(bytes))).toBe(true);
        expect(equalBytes(bytes, other)).toBe(false);
      }),
    );
  });

  it('reads every byte, wherever the first difference is', () => {
    const bytes = new Uint8Array(32);
    for (const index of [0, 15, 31]) {
      const other = Uint8Array.from(bytes);
      other[index] = 1;
      const read: number[] = [];
      const watched = new Proxy(other, {
        get(target, name) {
          if (/^\d+$/.test(String(name))) read.push(Number(name));
          return Reflect.get(target, name, target);
        },
      });
      expect(equalBytes(bytes, watched)).toBe(false);
      expect(read).toEqual(Array.from(bytes.keys()));
    }
  });

  it('is false for another length', () => {
    expect(equalBytes(new Uint8Array(32), new Uint8Array(31))).toBe(false);
    expect(equalBytes(new Uint8Array(0), new Uint8Array(0))).toBe(true);
  });
});

describe('signedBytes', () => {
  it('are the bytes of the signed text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (body) => {
        const encoder = new TextEncoder();
        const text = encoder.encode(signedText('1760000000000', 'n'.repeat(32), body));
        expect(signedBytes('1760000000000', 'n'.repeat(32), encoder.encode(body))).toEqual(text);
      }),
    );
  });
});

describe('nonceFrom', () => {
  it('gives 32 characters that isNonce takes', () => {
    const nonce = nonceFrom(crypto.getRandomValues(new Uint8Array(signingDefaults.nonceLength)));
    expect(nonce).toHaveLength(32);
    expect(isNonce(nonce)).toBe(true);
  });

  it('chooses each of the 64 characters by as many bytes as any other: four', () => {
    const counts = new Map<string, number>();
    for (let start = 0; start < 256; start += 32) {
      const bytes = Uint8Array.from({ length: 32 }, (_, index) => start + index);
      for (const character of nonceFrom(bytes)) counts.set(character, (counts.get(character) ?? 0) + 1);
    }
    expect(counts.size).toBe(64);
    expect(new Set(counts.values())).toEqual(new Set([4]));
  });

  it('uses every byte it is given', () => {
    const zeros = nonceFrom(new Uint8Array(32));
    for (let index = 0; index < 32; index += 1) {
      const bytes = new Uint8Array(32);
      bytes[index] = 1;
      expect(nonceFrom(bytes)).not.toBe(zeros);
    }
  });
});

describe('isNonce', () => {
  it.each([
    '',
    'a'.repeat(31),
    'a'.repeat(33),
    `${'a'.repeat(31)} `,
    `${'a'.repeat(31)}\n`,
    `${'a'.repeat(31)}é`,
    `${'a'.repeat(31)}+`,
  ])('refuses %j', (text) => {
    expect(isNonce(text)).toBe(false);
  });
});

describe('timestampProblem', () => {
  it.each(['0000000000000', '1760000000000', '9999999999999'])('takes %s', (text) => {
    expect(timestampProblem(text)).toBeNull();
  });

  it('says of ten digits that they look like seconds', () => {
    expect(timestampProblem('1760000000')).toMatch(/looks like seconds/);
  });

  it.each([
    '',
    '176000000000',
    '17600000000000',
    '-760000000000',
    '1760000000.00',
    '1.76e12',
    ' 1760000000000',
    '1760000000000\n',
    '１７６００００００００００',
    '0x19981b3c00000',
  ])('refuses %j without taking it for seconds', (text) => {
    expect(timestampProblem(text)).toMatch(/milliseconds/);
    expect(timestampProblem(text)).not.toMatch(/seconds;/);
  });
});
