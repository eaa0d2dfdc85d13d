import { readFileSync } from 'node:fs';
import { compile } from 'svelte/compiler';
import { expect, it } from 'vitest';
import { compilerProblems } from '../support/compiler-problems.js';
import { codeBlocks } from '../support/markdown.js';

const page = readFileSync(new URL('../../docs/frameworks.md', import.meta.url), 'utf8');

it('every block of docs/frameworks.md is of a language that is compiled here', () => {
  const languages = [...page.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);
  expect(languages).toEqual(['tsx', 'ts', 'svelte']);
});

it.each(['tsx', 'ts'] as const)('its %s compiles as it stands', { timeout: 120_000 }, (language) => {
  expect(compilerProblems(codeBlocks(page, language), language)).toEqual([]);
});

it('a component that gives a hook what it does not take would be found out', { timeout: 120_000 }, () => {
  const text = "import { useSave } from 'savepoint/react';\nexport const Game = () => <p>{useSave('progress')}</p>;\n";
  expect(compilerProblems([text], 'tsx').join()).toContain('Expected 2-3 arguments, but got 1.');
});

it.each(['client', 'server'] as const)('its Svelte compiles for a %s, without a warning', (generate) => {
  const { warnings } = compile(codeBlocks(page, 'svelte').join(''), { generate });
  expect(warnings).toEqual([]);
});
