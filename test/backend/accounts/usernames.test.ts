import { assert, property, string } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { usernameSubject } from '../../../src/backend/accounts/usernames.js';
import { Refusal } from '../../../src/backend/refusal.js';

describe('a username', () => {
  it.each([
    ['Ada', 'ADA'],
    ['straße', 'STRASSE'],
    ['STRAẞE', 'strasse'],
    ['ＡＤＡ', 'ada'],
    ['ﬁnn', 'FINN'],
    ['ΟΔΟΣ', 'οδοσ'],
    ['é', 'e\u0301'],
  ])('%s is the same as %s', (left, right) => {
    expect(usernameSubject(left)).toBe(usernameSubject(right));
  });

  it.each([
    ['ada', 'ada1'],
    ['ada', 'аda'],
    ['ada', ' ada'],
  ])('%s is another one than %s', (left, right) => {
    expect(usernameSubject(left)).not.toBe(usernameSubject(right));
  });

  it('is known again in upper case, in lower case and as it was folded, whatever its letters', () => {
    const letters = Array.from({ length: 0x20000 }, (_, code) => code).filter((code) => code < 0xd800 || code > 0xdfff);
    const unstable = letters
      .map((code) => String.fromCodePoint(code))
      .filter((letter) => /\p{L}/u.test(letter))
      .filter((letter) => {
        const folded = usernameSubject(letter);
        return [folded, letter.toUpperCase(), letter.toLowerCase()].some((other) => usernameSubject(other) !== folded);
      });
    expect(unstable).toEqual([]);
  });

  it('of any characters folds to what folds to itself', () => {
    assert(
      property(string({ unit: 'binary', minLength: 1, maxLength: 20 }), (name) => {
        let folded: string;
        try {
          folded = usernameSubject(name);
        } catch (error) {
          expect(error).toBeInstanceOf(Refusal);
          return;
        }
        expect(usernameSubject(folded)).toBe(folded);
      }),
      { numRuns: 2_000 },
    );
  });
});
