import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { tableOf, writtenTable } from '../../scripts/runtimes-page.mjs';
import { jestSetup, runtimes } from '../runtimes/matrix.mjs';
import { clientSteps } from '../runtimes/steps.mjs';

it('the table of docs/runtimes.md has each runtime that is tested, with every step done', () => {
  const played = { done: clientSteps, failed: null };
  const rows = runtimes.map(({ title, hasCore }) => ({ title, client: played, ...(hasCore ? { core: played } : {}) }));
  expect(writtenTable()).toBe(tableOf(rows, clientSteps));
});

it('a step that failed is named in the table', () => {
  const rows = [{ title: 'Nowhere', client: { done: ['import'], failed: { step: 'guest', problem: '' } } }];
  expect(tableOf(rows, clientSteps)).toContain('| Nowhere | not `guest` | – |');
});

it('the set-up that docs/runtimes.md gives Jest is the one that is tested', () => {
  expect(readFileSync('docs/runtimes.md', 'utf8')).toContain(`\`\`\`js\n${jestSetup}\`\`\`\n`);
});
