import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { brokenLinks } from '../support/markdown.js';
import { writtenFiles } from '../support/written-files.js';

it('every link and picture of the Markdown here leads to a file, and to a heading that is there', () => {
  const pages = writtenFiles().filter((path) => path.endsWith('.md'));
  expect(pages).toContain('README.md');
  expect(brokenLinks(fileURLToPath(new URL('../..', import.meta.url)), pages)).toEqual([]);
});

it('a link that leads nowhere is found, in each of its forms', () => {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-links-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const good = '# A *good* `page`, twice\n\n[up](#a-good-page-twice) [there](page.md) [far](https://a.example/none)\n';
  const bad = [
    '[gone](none.md)',
    '![gone](none.png "a title")',
    '[no heading](page.md#no-such-heading)',
    '[outside](../outside.md)',
    '<a id="here"></a><img src="no.svg"> [here](#here)',
    '[name]: no-reference.md',
    '`[code](code.md)`',
    '```md\n[block](block.md)\n```',
  ];
  writeFileSync(join(folder, 'page.md'), good);
  writeFileSync(join(folder, 'bad.md'), bad.join('\n\n'));
  expect(brokenLinks(folder, ['page.md', 'bad.md']).sort()).toEqual(
    ['../outside.md', 'no-reference.md', 'no.svg', 'none.md', 'none.png', 'page.md#no-such-heading'].map(
      (link) => `bad.md -> ${link}`,
    ),
  );
});
