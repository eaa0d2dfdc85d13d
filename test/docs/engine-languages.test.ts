import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isOnThisMachine, languages } from '../../scripts/languages.mjs';
import { codeBlocks } from '../support/markdown.js';

// A page for an engine that is not on the machine is compiled against what it uses of the engine.

const pathOf = (file: string): string => new URL(`../../${file}`, import.meta.url).pathname;
const csharp = languages.find(({ fence }) => fence === 'csharp');
const canCompile = csharp !== undefined && isOnThisMachine(csharp);
const [component = '', ...more] = codeBlocks(
  readFileSync(pathOf('examples/recipes/unity/README.md'), 'utf8'),
  'csharp',
);
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-unity-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What the compiler finds wrong. */
function problemsOf(code: string): string {
  const file = join(folder, 'Saves.cs');
  writeFileSync(file, code);
  const sources = [pathOf('test/docs/UnityEngine.cs'), file];
  const options = ['-target:library', '-langversion:latest', '-nowarn:649', `-out:${join(folder, 'Saves.dll')}`];
  const { status, stdout, stderr } = spawnSync('mcs', [...options, ...sources], { encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

it("the page about Unity has one component, and a machine of CI has C#'s compiler", () => {
  expect(more).toEqual([]);
  expect(component).toContain('MonoBehaviour');
  if (process.env['CI'] !== undefined) expect(canCompile).toBe(true);
});

if (canCompile) {
  it('the component of the page about Unity compiles', { timeout: 60_000 }, () => {
    expect(problemsOf(component)).toBe('');
  });

  it('a mistake in it would be found', { timeout: 60_000 }, () => {
    expect(problemsOf(component.replace('SavesChoose(choice);', 'SavesChose(choice);'))).toContain('SavesChose');
  });
}

it('it calls nothing of the page that Saves.jslib has not', () => {
  const library = readFileSync(pathOf('examples/recipes/unity/Saves.jslib'), 'utf8');
  const called = [...component.matchAll(/static extern \w+ (\w+)\(/g)].map(([, name]) => name ?? '');
  expect(called.length).toBeGreaterThan(3);
  for (const name of called) expect(library).toMatch(new RegExp(`\\b${name}\\b *[:(]`));
});
