import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { boundsIn, inlineBoundsOf } from '../../scripts/inline-bounds.mjs';
import { elsewhere, noBounds, noLimits } from '../../scripts/limits-elsewhere.mjs';
import { limitsPage } from '../../scripts/limits-page.mjs';
import { numbersOf } from '../../scripts/numbers-of.mjs';
import { refusingLimits } from '../../src/backend/limit-name.js';
import { limitOwners } from '../../src/cli/config/limits.js';
import { quotaDefaults } from '../../src/protocol/gaps/quotas.js';
import { rateDefaults } from '../../src/protocol/gaps/rates.js';

const page = readFileSync(new URL('../../docs/limits.md', import.meta.url), 'utf8');

it('docs/limits.md is what the code says: node scripts/limits-page.mjs --write', async () => {
  expect(page).toBe(await limitsPage());
});

it('docs/limits.md has every limit and every rate that an operator can give, and no other', () => {
  const given = (flag: string) =>
    [...page.matchAll(new RegExp(`\\| \`--${flag} (\\w+)\` \\|`, 'g'))].map(([, name]) => name);
  const { rates: _, quotas: ___, ...limits } = limitOwners;
  expect(given('limit').sort()).toEqual(Object.keys(limits).sort());
  const { newGuestsPerAddressPerHour: __, ...rates } = rateDefaults;
  for (const quota of Object.keys(quotaDefaults)) expect(page).toContain(`| \`${quota}\` | account |`);
  expect(given('rate').sort()).toEqual(Object.keys(rates).sort());
});

it('docs/limits.md says of each rate whether several processes count together', () => {
  const together = (name: string) =>
    new RegExp(`\\| \`${name}\` \\| rate \\|.* All processes count together\\. \\|`).test(page);
  const { lockMaxMs: _, ...rates } = rateDefaults;
  const shared = Object.keys(rates).filter(together);
  expect(shared).toEqual(
    Object.keys(rates).filter((name) => /^(wrongPasswords|resets|wrongReset|verif|newGuests)/.test(name)),
  );
  expect(page.match(/\| rate \|.* Each process counts by itself\. \|/g)).toHaveLength(
    Object.keys(rates).length - shared.length,
  );
});

it('docs/limits.md has each limit that a refusal names', () => {
  const { lockMaxMs: _, ...rates } = rateDefaults;
  const named = [...refusingLimits, ...Object.keys(rates)];
  expect(named.filter((name) => !page.includes(`\n| \`${name}\` |`))).toEqual([]);
});

/** Every file, but for what `savepoint check` asks, which bounds nothing, and the gaps, which the page reads by itself. */
function sources(): string[] {
  return readdirSync(new URL('../../src', import.meta.url), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path) && !/^src\/(cli\/check|protocol\/gaps)\//.test(path));
}

it('docs/limits.md has each number that has a name, or a list says why not', () => {
  const listed = elsewhere.flatMap(({ file, ...limits }) => Object.keys(limits).map((name) => `${file} ${name}`));
  const left = Object.values(noLimits).flat();
  const found = sources().flatMap((file) => numbersOf(file).map(({ name }) => `${file} ${name}`));
  expect([...listed, ...left].sort()).toEqual(found.sort());
});

it('no number bounds a time, a size or a count without a name, or a list says why', () => {
  const found = sources().flatMap((file) => inlineBoundsOf(file).map((bound) => `${file} ${bound}`));
  expect(found.sort()).toEqual(Object.values(noBounds).flat().sort());
});

it('a number that bounds something is found where it has no name', () => {
  const inline = [
    'z.string().check(z.maxLength(64))',
    'setTimeout(end, 2_000)',
    'AbortSignal.timeout(30_000)',
    "throw new Refusal('unavailable', { retryAfterMs: 1_000 })",
    'function again(tries = 5) {}',
    'for (let tries = 0; tries < 10; tries += 1) {}',
    'if (name.length > 256) throw error',
    'function f({ waitMs = 400 }) {}',
    'const find = () => rows("SELECT a FROM b LIMIT 100")',
    ['const set = [`PRAGMA journal_size_limit = $', '{64 * 1024}`]'].join(''),
    'const set = ["maintenance_work_mem = \'256MB\'"]',
    'if (/^[a-z]{1,64}$/.test(name)) found(name)',
    'function f() { const pauseMs = 250; }',
  ];
  expect(inline.filter((text) => boundsIn(text).length !== 1)).toEqual([]);
  const named = ['const waitMs = 10_000;', 'const form = /^[a-z]{1,64}$/;', 'const [first, longest] = [16, 5_000];'];
  const others = [
    'Array.from({ length: 16 })',
    'return { status: 503 }',
    'bytes.slice(0, 16)',
    'const year = at + 1_000',
  ];
  expect([...named, ...others].filter((text) => boundsIn(text).length > 0)).toEqual([]);
});
