import { readFileSync } from 'node:fs';
import { compile } from 'svelte/compiler';
import { expect, it } from 'vitest';
import { compilerProblems } from '../support/compiler-problems.js';
import { codeBlocks } from '../support/markdown.js';

const read = (page: string): string => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');
const [frameworks, engines] = [read('frameworks.md'), read('engines.md')];
const languagesOf = (page: string) => [...page.matchAll(/^```(\w+)$/gm)].map(([, language]) => language);

it('every block of both pages is of a language that is compiled here', () => {
  expect(languagesOf(frameworks)).toEqual(['tsx', 'ts', 'svelte']);
  expect(languagesOf(engines)).toEqual(['ts']);
});

it('their TypeScript compiles, each block as it stands, and a wrong one would be found out', {
  timeout: 120_000,
}, () => {
  const blocks = [...codeBlocks(frameworks, 'tsx'), ...[frameworks, engines].flatMap((page) => codeBlocks(page, 'ts'))];
  const wrong =
    "import { useSave } from 'savepoint/react';\nexport const Game = () => <p>{useSave('progress').status}</p>;\n";
  expect(blocks).toHaveLength(3);
  expect(compilerProblems([...blocks, wrong], 'tsx')).toEqual([
    expect.stringMatching(/^block-4\.tsx, line 2: Expected 2-3 arguments, but got 1\./),
  ]);
});

it.each(['client', 'server'] as const)('the Svelte compiles for a %s, without a warning', (generate) => {
  const { warnings } = compile(codeBlocks(frameworks, 'svelte').join(''), { generate });
  expect(warnings).toEqual([]);
});
