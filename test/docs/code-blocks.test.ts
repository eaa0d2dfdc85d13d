import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { transformSync } from 'esbuild';
import { loadModule, parseSync } from 'libpg-query';
import { compile } from 'svelte/compiler';
import { beforeAll, expect, it } from 'vitest';
import { languages } from '../../scripts/languages.mjs';
import { commands } from '../../src/cli/commands.js';
import { problemsOf } from '../support/compile.js';
import { type Fence, fences } from '../support/markdown.js';
import { docstringNames, examplesOf } from './docstrings.js';
import { readersNames } from './reader.js';

interface Block extends Fence {
  /** The page and the line, for a problem. */
  readonly at: string;
}

const root = new URL('../../', import.meta.url);
const pages = [
  ...['README.md', 'CONTRIBUTING.md'],
  ...['docs', 'examples', 'templates'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
      .filter((path) => path.endsWith('.md') && !/\/(node_modules|reference|\.vitepress)\//.test(path)),
  ),
];
const blocks = pages.flatMap((page) =>
  fences(readFileSync(new URL(page, root), 'utf8')).map((block): Block => ({ ...block, at: `${page}:${block.line}` })),
);
const examples = readdirSync(new URL('src', root), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path))
  .flatMap((path) => examplesOf(path, readFileSync(new URL(path, root), 'utf8')));
const checked = blocks.filter(({ excuse }) => excuse === null);

function inLanguage(...languages: string[]): Block[] {
  return checked.filter(({ language }) => languages.includes(language));
}

/** What each language is checked by; a block in another one says why nobody checks it. */
const checks: { readonly [language: string]: (block: Block) => string[] } = {
  ts: () => [], // all together, below
  tsx: () => [], // with them
  svelte: svelteProblems,
  css: scriptProblems,
  js: scriptProblems,
  jsx: scriptProblems,
  html: pageProblems,
  json: jsonProblems,
  sh: shellProblems,
  sql: sqlProblems,
  ...Object.fromEntries(languages.map(({ fence }) => [fence, runElsewhere])),
};
beforeAll(loadModule);

function scriptProblems({ code, language, at }: Block): string[] {
  try {
    const loader = language as 'js' | 'jsx' | 'css';
    const { warnings } = transformSync(code, { loader, format: 'esm', logLevel: 'silent' });
    return warnings.map(({ text }) => `${at}: ${text}`);
  } catch (error) {
    return [`${at}: ${(error as Error).message.split('\n')[1] ?? ''}`];
  }
}

/** For a page and for a server, where a warning is a problem as well. */
function svelteProblems({ code, at }: Block): string[] {
  try {
    const compiled = (['client', 'server'] as const).map((generate) => compile(code, { generate }));
    return compiled.flatMap(({ warnings }) => warnings.map(({ message }) => `${at}: ${message}`));
  } catch (error) {
    return [`${at}: ${(error as Error).message}`];
  }
}

/** The scripts of a page. */
function pageProblems(block: Block): string[] {
  const scripts = [...block.code.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(([, script = '']) => script);
  return scripts.flatMap((code) => scriptProblems({ ...block, language: 'js', code }));
}

/** One value, or one in each line. */
function jsonProblems({ code, at }: Block): string[] {
  const isOne = parses(code);
  const lines = code.trim().split('\n');
  return isOne || lines.every(parses) ? [] : [`${at}: it is no JSON`];
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** By PostgreSQL's own parser. */
function sqlProblems({ code, at }: Block): string[] {
  try {
    parseSync(code);
    return [];
  } catch (error) {
    return [`${at}: ${(error as Error).message}`];
  }
}

/** Only of this page back-end-languages.test.ts runs the programs. */
function runElsewhere({ at, language }: Block): string[] {
  return at.startsWith('docs/guides/back-end.md:') ? [] : [`${at}: nobody compiles this ${language}`];
}

/** Every `savepoint …` in a block is a command that there is, with options and words that its help has. */
function shellProblems({ code, at }: Block): string[] {
  const { status, stderr } = spawnSync('bash', ['-n'], { input: code, encoding: 'utf8' });
  if (status !== 0) return [`${at}: ${stderr.trim()}`];
  const text = code.replaceAll(/\\\n\s*/g, ' ');
  const calls = text.matchAll(/(?:^|[|;&(]|\bsudo|\bnpx|\bexec|\$\()[ \t]*(?:npx )?savepoint (?!=)([^\n|;&)#>]*)/gm);
  return [...calls].flatMap(([, rest = '']) =>
    callProblems(rest.trim().split(/\s+/)).map((problem) => `${at}: ${problem}`),
  );
}

function callProblems([command = '', ...words]: string[]): string[] {
  if (/^(--?(help|version)|-[hv]|help)$/.test(command)) return [];
  if (!Object.hasOwn(commands, command)) return [`there is no savepoint ${command}`];
  const { help } = commands[command as keyof typeof commands];
  const options = words.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0] ?? '');
  return options
    .filter((option) => option !== '--help' && !new RegExp(`${option}(?![\\w-])`).test(help))
    .map((option) => `savepoint ${command} has no ${option}`);
}

it('the blocks of all pages are found', () => {
  expect(pages.length).toBeGreaterThan(30);
  expect(checked.length).toBeGreaterThan(60);
});

it('every block has a language that is checked, or says why it is not', () => {
  expect(
    checked.filter(({ language }) => !Object.hasOwn(checks, language)).map(({ at, language }) => `${at} ${language}`),
  ).toEqual([]);
});

it('every TypeScript of docs/ compiles against the types of this package', { timeout: 120_000 }, () => {
  const texts = inLanguage('ts', 'tsx').map(({ at, code, language }) => ({
    name: at,
    text: code,
    extension: language as 'ts' | 'tsx',
  }));
  expect(texts.length).toBeGreaterThan(30);
  const options = { noPropertyAccessFromIndexSignature: false };
  expect(problemsOf(texts, { globals: readersNames, options })).toEqual([]);
});

it.each(Object.keys(checks).filter((language) => language !== 'ts' && language !== 'tsx'))(
  'every %s block holds',
  (language) => {
    expect(inLanguage(language).flatMap((block) => checks[language]?.(block) ?? [])).toEqual([]);
  },
);

it.each([
  ['npx savepoint serv --config x', 'there is no savepoint serv'],
  ['a && npx savepoint dev --stroe x', 'savepoint dev has no --stroe'],
  ['npx savepoint serve \\\n  --nonsense', 'savepoint serve has no --nonsense'],
  ['sudo npx savepoint check https://x.example --game-id y --quik', 'savepoint check has no --quik'],
])('a mistake in %j would be found', (code, problem) => {
  expect(shellProblems({ code, language: 'sh', line: 1, excuse: null, at: 'here' })).toEqual([`here: ${problem}`]);
});

it.each([
  ['js', 'const = 1;'],
  ['json', '{ "a": }'],
  ['html', '<script>const = 1;</script>'],
  ['sql', 'GRANT SELECT ON;'],
  ['svelte', '{#if $save}'],
  ['css', 'savepoint-sync { colour'],
  ['sh', 'for name in a b; npx savepoint dev'],
  ['csharp', 'public class Saves { }'],
])('a mistake in %s would be found', (language, code) => {
  expect(checks[language]?.({ code, language, line: 1, excuse: null, at: 'here' })).toHaveLength(1);
});

it('every example in a docstring of src/ compiles, with the names that its reader has', { timeout: 120_000 }, () => {
  expect(examples.length).toBeGreaterThan(30);
  // A name of a type that there is not would count as anything.
  const options = { noPropertyAccessFromIndexSignature: false, noImplicitReturns: false, skipLibCheck: false };
  expect(problemsOf(examples, { globals: readersNames + docstringNames, options })).toEqual([]);
});

it("an example that has become wrong would be found, and the names that it does not import are the package's", {
  timeout: 120_000,
}, () => {
  const docstring =
    '/**\n * @example\n * ```ts\n * createClient({ gameId, environment: 0, baseUrl }).flsh();\n * ```\n */';
  const [example] = examplesOf('src/client/create-client.ts', docstring);
  expect(example?.text).toMatch(/^import \{ createClient \} from 'savepoint';/);
  expect(problemsOf(example === undefined ? [] : [example], { globals: readersNames + docstringNames })).toEqual([
    "src/client/create-client.ts:3, line 1 of the block: Property 'flsh' does not exist on type 'Client'.",
  ]);
});

it('a name that nobody declares would be found', { timeout: 120_000 }, () => {
  const text = 'await client.profile.flsh();';
  expect(problemsOf([{ name: 'here', text }], { globals: readersNames })).toEqual([
    "here, line 1 of the block: Property 'flsh' does not exist on type 'Profile'. Did you mean 'flush'?",
  ]);
});

it('a hook that is called wrongly would be found', { timeout: 120_000 }, () => {
  const text =
    "import { useSave } from 'savepoint/react';\nexport const Game = () => <p>{useSave('progress').status}</p>;";
  expect(problemsOf([{ name: 'here', text, extension: 'tsx' }])).toEqual([
    expect.stringMatching(/^here, line 2 of the block: Expected 2-3 arguments, but got 1\./),
  ]);
});
