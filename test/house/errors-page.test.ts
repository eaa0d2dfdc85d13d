import { readFileSync } from 'node:fs';
import { SdkError } from 'savepoint';
import { expect, it } from 'vitest';
import { errorsPage } from '../../scripts/errors-page.mjs';
import { errorGuide } from '../../src/error-guide.js';
import { ServiceError } from '../../src/errors.js';
import { failures } from '../../src/protocol/failures.js';

const page = readFileSync(new URL('../../docs/errors.md', import.meta.url), 'utf8');
const codes = Object.keys(errorGuide) as (keyof typeof errorGuide)[];

it('docs/errors.md is what the code says: node scripts/errors-page.mjs --write', async () => {
  expect(page).toBe(await errorsPage());
});

it('docs/errors.md has every code of the service with its status', () => {
  for (const [code, { status }] of Object.entries(failures)) {
    expect(page).toContain(`\n## \`${code}\`\n\nStatus ${status}. `);
  }
});

it('the cause and the way out of a code are whole sentences of their own', () => {
  const texts = Object.values(errorGuide).flatMap(({ cause, wayOut }) => [cause, wayOut]);
  expect(texts.filter((text) => !/^\S.*[^\s.]\.$/s.test(text))).toEqual([]);
  expect(new Set(texts).size).toBe(texts.length);
});

it.each(codes)('the help of %s is the place of the page that explains it', (code) => {
  const [address, anchor] = new SdkError(code as 'sdk_failed', 'It is only a test.').help.split('#');
  expect(address).toMatch(/^https:\/\/.*\/docs\/errors\.md$/);
  expect(page).toContain(`\n## \`${anchor}\`\n`);
});

it('the code of a newer service cannot make another address of the help', () => {
  const error = new ServiceError({ status: 400, code: '../x?y#z "' as never, title: 'New.', requestId: 'r' });
  expect(error.help).toBe('https://unpkg.com/savepoint/docs/errors.md#..%2Fx%3Fy%23z%20%22');
});

it('the help is in no log and no JSON of an error', () => {
  const error = new SdkError('sdk_failed', 'It is only a test.');
  expect(Object.keys(error)).not.toContain('help');
  expect(JSON.stringify(error)).not.toContain('unpkg');
});
