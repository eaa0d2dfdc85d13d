import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const readFromRoot = (path: string): string | null =>
  existsSync(new URL(path, root)) ? readFileSync(new URL(path, root), 'utf8') : null;

interface Promised {
  /** How it begins, in bold. */
  name: string;
  /** The tests that show it: a file, and sentences of it. */
  shown: { file: string; sentences: string[] }[];
}

/** The promises of the page, each with the list that follows it. */
function promisesOf(page: string): Promised[] {
  const [, promised = ''] = page.split('\n## What is promised\n');
  const [text = ''] = promised.split('\n## ');
  return text
    .trim()
    .split(/\n\n(?=\*\*)/)
    .filter((promise) => promise.startsWith('**'))
    .map((promise) => ({
      name: /^\*\*([^*]+)\*\*/.exec(promise)?.[1]?.replace(/\s+/g, ' ') ?? '',
      shown: [...promise.matchAll(/^- \[[^\]]+\]\(([^)]+)\):([\s\S]*?)(?=^- |$(?![\s\S]))/gm)].map(
        ([, file = '', sentences = '']) => ({
          file,
          sentences: [...sentences.matchAll(/"([^"]+)"/g)].map(([, sentence = '']) => sentence.replace(/\s+/g, ' ')),
        }),
      ),
    }));
}

/** The sentences of a file of tests. What a table or a number fills in is `…`, as in the page. */
function sentencesOf(source: string): { groups: Set<string>; tests: Set<string> } {
  const found = { groups: new Set<string>(), tests: new Set<string>() };
  const first =
    /(\w+)?(?:\.each\((?:[^()]|\([^()]*\))*\))?\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;
  for (const [, called, literal = ''] of source.matchAll(first)) {
    const sentence = literal.slice(1, -1).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}|%[sdifjo]/g, '…');
    (called === 'describe' ? found.groups : found.tests).add(sentence);
  }
  return found;
}

function problemsOf(page: string, read: (path: string) => string | null): string[] {
  return promisesOf(page).flatMap(({ name, shown }) => {
    if (shown.length === 0) return [`${name}: names no test`];
    return shown.flatMap(({ file, sentences }) => {
      const source = file.startsWith('test/') ? read(file) : null;
      if (source === null) return [`${name}: ${file} is no file of tests`];
      if (sentences.length === 0) return [`${name}: ${file} without a sentence`];
      const { groups, tests } = sentencesOf(source);
      const isThere = (sentence: string) =>
        tests.has(sentence) ||
        [...groups].some((group) => sentence.startsWith(`${group} `) && tests.has(sentence.slice(group.length + 1)));
      return sentences.filter((one) => !isThere(one)).map((one) => `${name}: ${file} has no test "${one}"`);
    });
  });
}

it('each promise of SECURITY.md names the tests that show it, and each of them is there', () => {
  const page = readFromRoot('SECURITY.md') ?? '';
  expect(promisesOf(page).length).toBeGreaterThan(20);
  expect(problemsOf(page, readFromRoot)).toEqual([]);
});

it('a promise without a test, and a test that is not there, are found', () => {
  const page = [
    '## What is promised',
    '**Nothing is lost.** Never.',
    '**All is\nwell** by day.',
    '- [a.test.ts](test/a.test.ts): "is well"; "a day is\n  … long"\n- [b.test.ts](test/b.test.ts): "is well"',
    '**Gone.** Away.',
    '- [a.test.ts](test/a.test.ts): "is ill"; "is said by nobody"; "a day"\n- [c.md](docs/c.md): "is well"',
    '**Empty.** So.',
    '- [a.test.ts](test/a.test.ts): it is well',
    '## What is not promised',
    '**Anything.**',
  ].join('\n\n');
  const source = [
    "describe('a day', () => {",
    "  it('is well', () => {});",
    '  it.each([[1, f(2)]])(\n    `is %i long`, () => {});',
    "  // 'is said by nobody'",
    '});',
  ].join('\n');
  const read = (path: string) => (path === 'test/a.test.ts' ? source : null);
  expect(problemsOf(`\n${page}`, read)).toEqual([
    'Nothing is lost.: names no test',
    'All is well: test/b.test.ts is no file of tests',
    'Gone.: test/a.test.ts has no test "is ill"',
    'Gone.: test/a.test.ts has no test "is said by nobody"',
    'Gone.: test/a.test.ts has no test "a day"',
    'Gone.: docs/c.md is no file of tests',
    'Empty.: test/a.test.ts without a sentence',
  ]);
});
