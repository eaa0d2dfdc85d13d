import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, inject, it } from 'vitest';

const installed = join(inject('consumer'), 'node_modules/savepoint');
const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md') && !path.startsWith('node_modules/'));

/** The files that a page links to or shows, without those of other sites and what is only an example. */
function linkedFiles(markdown: string): string[] {
  const prose = markdown.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '');
  const forms = [/\]\(\s*<?([^)\s>]+)/g, /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm, /\b(?:href|src)="([^"]+)"/g];
  return forms
    .flatMap((form) => [...prose.matchAll(form)].map(([, target = '']) => target))
    .filter((target) => !/^([a-z][a-z\d+.-]*:|\/\/|#)/i.test(target))
    .map((target) => decodeURIComponent(target.split('#')[0] ?? ''));
}

function isPacked(page: string, file: string): boolean {
  const target = join(installed, dirname(page), file);
  return !relative(installed, target).startsWith('..') && existsSync(target);
}

it('every link and picture of the packed pages leads to a file of the package', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/scaling.md']));
  const links = pages.flatMap((page) => {
    const files = linkedFiles(readFileSync(join(installed, page), 'utf8'));
    return files.map((file) => ({ page, file }));
  });
  expect(links).toContainEqual({ page: 'README.md', file: 'docs/game.png' });
  expect(links.filter(({ page, file }) => !isPacked(page, file))).toEqual([]);
});

it.each([
  ['[a](src/index.ts)', ['src/index.ts']],
  ['![a](docs/none.png "title") <img src="none.svg">', ['docs/none.png', 'none.svg']],
  ['[a][b]\n\n[b]: ../outside.md#part', ['../outside.md']],
  ['`[a](b.md)` [c](#d) [e](https://f.example)', []],
])('a link to what is not packed would be found in %j', (markdown, files) => {
  expect(linkedFiles(markdown)).toEqual(files);
  expect(files.filter((file) => isPacked('README.md', file))).toEqual([]);
});
