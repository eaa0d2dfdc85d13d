import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { elsewhere, noLimits } from '../../scripts/limits-elsewhere.mjs';
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

/** The files of the service and its commands; what `savepoint check` asks and `savepoint init` copies bounds nothing. */
function sources(): string[] {
  return ['backend', 'cli'].flatMap((room) => {
    const names = readdirSync(new URL(`../../src/${room}`, import.meta.url), { recursive: true, encoding: 'utf8' });
    return names
      .map((name) => `src/${room}/${name.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.ts') && !path.startsWith('src/cli/check/'));
  });
}

it('docs/limits.md has each number of the service and its commands, or a list says why not', () => {
  const listed = elsewhere.flatMap(({ file, ...limits }) => Object.keys(limits).map((name) => `${file} ${name}`));
  const left = Object.values(noLimits).flat();
  const found = sources().flatMap((file) => numbersOf(file).map(({ name }) => `${file} ${name}`));
  expect([...listed, ...left].sort()).toEqual(found.sort());
});
