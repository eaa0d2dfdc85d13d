import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { bugs, misplaced } from '../../scripts/planted-bugs.mjs';

it('every planted bug still has its one place in the source, and its tests', () => {
  expect(bugs.length).toBeGreaterThan(20);
  expect(misplaced(fileURLToPath(new URL('../..', import.meta.url)))).toEqual([]);
});

it('a bug that can no longer be planted is named, with the reason', () => {
  const root = mkdtempSync(join(tmpdir(), 'savepoint-planted-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const folder of ['src', 'test']) mkdirSync(join(root, folder));
  writeFileSync(join(root, 'src/a.ts'), 'one two two');
  writeFileSync(join(root, 'test/a.test.ts'), '');
  const bug = { name: 'a bug', file: 'src/a.ts', from: 'one', to: '', tests: ['a.test.ts'] };
  expect(misplaced(root, [bug])).toEqual([]);
  expect(
    misplaced(root, [
      { ...bug, from: 'two' },
      { ...bug, from: 'three' },
      { ...bug, file: 'src/b.ts' },
      { ...bug, tests: ['b.test.ts'] },
    ]),
  ).toEqual([
    'a bug: src/a.ts holds the text 2 times, and must hold it once: two',
    'a bug: src/a.ts holds the text 0 times, and must hold it once: three',
    'a bug: there is no src/b.ts',
    'a bug: there is no test/b.test.ts',
  ]);
});
