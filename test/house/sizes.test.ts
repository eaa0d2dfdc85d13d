import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { writtenFiles } from '../support/written-files.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const paths = writtenFiles().map((path) => path.replaceAll('\\', '/'));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const mostTestLines = 500;
const mostFunctionLines = 100;

function lineCount(text: string): number {
  return text.replace(/\n$/, '').split('\n').length;
}

/** The functions of a text that have more lines than they may: `src/a.ts:12 create: 143 lines`. */
function longFunctions(name: string, text: string): string[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const found: string[] = [];
  function visit(node: ts.Node): void {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const first = lineOf(node.getStart(file));
      const lines = lineOf(node.end) - first + 1;
      if (lines > mostFunctionLines) found.push(`${name}:${first + 1} ${nameOf(node)}: ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  }
  visit(file);
  return found;
}

function nameOf(node: ts.SignatureDeclaration): string {
  if (node.name !== undefined) return node.name.getText();
  const { parent } = node;
  return (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) && parent.name
    ? parent.name.getText()
    : 'a function without a name';
}

it('no test file has more than 500 lines', () => {
  const tests = paths.filter((path) => /^test\/.*\.[mc]?[jt]s$|^examples\/.*\.test\.ts$/.test(path));
  const long = tests
    .filter((path) => path !== 'test/public/mockServiceWorker.js')
    .map((path) => ({ path, lines: lineCount(read(path)) }))
    .filter(({ lines }) => lines > mostTestLines);
  expect(tests).toContain('examples/msw-tests/game.test.ts');
  expect(long).toEqual([]);
});

it('no function of src has more than 100 lines', () => {
  const sources = paths.filter((path) => /^src\/.*\.ts$/.test(path));
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.flatMap((path) => longFunctions(path, read(path)))).toEqual([]);
});

describe('a function that is too long is found', () => {
  const body = (lines: number) => '  call();\n'.repeat(lines);

  it.each([
    ['export function create() {\nBODY}\n', 'create'],
    ['const create = async () => {\nBODY};\n', 'create'],
    ['class Store {\n  create() {\nBODY}\n}\n', 'create'],
    ['const all = { create: function () {\nBODY} };\n', 'create'],
    ['run(() => {\nBODY});\n', 'a function without a name'],
  ])('%j', (text, name) => {
    expect(longFunctions('a.ts', text.replace('BODY', body(98)))).toEqual([]);
    expect(longFunctions('a.ts', text.replace('BODY', body(99)))).toEqual([
      expect.stringMatching(new RegExp(`^a\\.ts:\\d ${name}: 101 lines$`)),
    ]);
  });
});
