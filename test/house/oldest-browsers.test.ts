import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { languageLevel, oldestBrowsers } from '../../scripts/oldest-browsers.mjs';
import { clientBundle } from '../support/client-bundle.js';
import { youngerApis } from '../support/younger-apis.js';

// esbuild takes Unicode classes in patterns for missing in every browser, because their tables grow.
const supported = { 'regexp-unicode-property-escapes': true };

describe('the oldest browsers', () => {
  it('are those that the README names', () => {
    const [chrome, edge, firefox, safari, ios] = oldestBrowsers.map((name) => /\d+$/.exec(name)?.[0]);
    expect(edge).toBe(chrome);
    expect(ios).toBe(safari);
    expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(
      `Browsers: Chrome and Edge ${chrome}, Firefox ${firefox}, Safari and iOS ${safari}, and later ones.`,
    );
  });

  it('run the client as it is written: nothing has to be rewritten for them', async () => {
    const { code, warnings } = await clientBundle({ target: oldestBrowsers, supported });
    expect(warnings).toEqual([]);
    expect(code).toBe((await clientBundle({ target: languageLevel })).code);
  });

  it('would be found too old: for others the client is rewritten', async () => {
    const older = await clientBundle({ target: [...oldestBrowsers, 'chrome80'], supported });
    expect(older.code).not.toBe((await clientBundle({ target: languageLevel })).code);
  });
});

const inCode = youngerApis.flatMap(([name, pattern, use]) => (pattern === null ? [] : [{ name, pattern, use }]));

describe('what is younger than the oldest browsers', () => {
  it.each(inCode)('$name is recognised', ({ pattern, use }) => {
    expect(use).toMatch(pattern);
    expect('list.at(-1) / value; structuredClone(a), isWellFormed(b)').not.toMatch(pattern);
  });

  it('is nowhere in the code of the client', async () => {
    // A package may use such a thing where it is there; test/e2e/oldest-browsers.test.ts runs them without.
    const { code } = await clientBundle({ packages: 'external' });
    expect(inCode.filter(({ pattern }) => pattern.test(code)).map(({ name }) => name)).toEqual([]);
  });
});
