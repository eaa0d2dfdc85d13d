import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSealer, isSealingKey, type SealingKeys } from '../../../src/backend/registry/sealing.js';
import { otherSealingKey, sealingKey } from '../../support/platforms.js';

const random = (size: number) => crypto.getRandomValues(new Uint8Array(size));
const sealerOf = (keys: SealingKeys) => createSealer(keys, random);
const secrets = { appSecret: 'of the wave', more: ['a', 'b'] };
const about = 'the wave of a game';

describe('a sealed secret', () => {
  it('is opened by the key that sealed it, and shows nothing before', async () => {
    const sealer = sealerOf({ sealingKey });
    const sealed = await sealer.seal(secrets, about);
    expect(Buffer.from(sealed.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('wave');
    expect(await sealer.open(sealed, about)).toEqual({ outcome: 'opened', secrets });
    expect(await sealer.seal(secrets, about)).not.toBe(sealed);
  });

  it('is unreadable beside anything else, and where a character of it was changed', async () => {
    const sealer = sealerOf({ sealingKey });
    const sealed = await sealer.seal(secrets, about);
    expect(await sealer.open(sealed, 'the wave of another game')).toEqual({ outcome: 'unreadable' });
    const [form, name, iv = '', text = ''] = sealed.split('.');
    for (const changed of [
      [form, name, iv, text.slice(0, -4)],
      [form, name, iv.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')), text],
      [form, name, iv, text.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'))],
      [form, name, iv],
      [form, name, '', ''],
      ['v2', name, iv, text],
      [''],
    ]) {
      expect(await sealer.open(changed.join('.'), about), changed.join('.')).toEqual({ outcome: 'unreadable' });
    }
  });

  it('needs its key: another one does not open it, and a former one does', async () => {
    const sealed = await sealerOf({ sealingKey }).seal(secrets, about);
    for (const keys of [{}, { sealingKey: otherSealingKey }]) {
      expect(await sealerOf(keys).open(sealed, about)).toEqual({ outcome: 'key_missing' });
    }
    const rotated = sealerOf({ sealingKey: otherSealingKey, formerSealingKeys: [sealingKey] });
    expect(await rotated.open(sealed, about)).toEqual({ outcome: 'opened', secrets });
    const again = await rotated.seal(secrets, about);
    expect(await sealerOf({ sealingKey: otherSealingKey }).open(again, about)).toMatchObject({ outcome: 'opened' });
  });

  it('that somebody has made up never throws, and never opens', async () => {
    const sealer = sealerOf({ sealingKey });
    const [, name = ''] = (await sealer.seal(secrets, about)).split('.');
    const part = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom(name, 'v1', ''));
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        expect((await sealer.open(['v1', ...parts].join('.'), about)).outcome).not.toBe('opened');
      }),
    );
  });

  it('cannot be made without a key', async () => {
    expect(sealerOf({}).canSeal).toBe(false);
    await expect(sealerOf({}).seal(secrets, about)).rejects.toThrow('no key');
  });
});

it('a key that seals is 32 bytes in base64url, and nothing else', () => {
  for (const key of [sealingKey, otherSealingKey]) expect(isSealingKey(key)).toBe(true);
  const wrong = [
    undefined,
    '',
    'A'.repeat(42),
    'A'.repeat(44),
    `${'A'.repeat(42)}B`,
    `${'A'.repeat(42)}+`,
    'a'.repeat(64),
  ];
  for (const key of wrong) expect(isSealingKey(key)).toBe(false);
});
