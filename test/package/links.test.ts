import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, inject, it } from 'vitest';
import { repository } from './run.js';

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

/** What README.md has on the page of a registry, which has no files beside it: the addresses at a package CDN. */
function filesAtCdn(markdown: string, version: string): string[] {
  const address = `https://unpkg.com/savepoint@${version}/`;
  return [...markdown.matchAll(/\]\(([^)\s]+)/g)]
    .map(([, target = '']) => target)
    .filter((target) => target.startsWith(address))
    .map((target) => target.slice(address.length).split('#')[0] ?? '');
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
  expect(links).toContainEqual({ page: 'docs/guides/offline.md', file: '../offline.png' });
  expect(links.filter(({ page, file }) => !isPacked(page, file))).toEqual([]);
});

it('README.md works on the page of a registry: every link and picture is an address, of a file that is packed', () => {
  const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as { version: string };
  const readme = readFileSync(join(installed, 'README.md'), 'utf8');
  expect(linkedFiles(readme)).toEqual([]);
  const files = filesAtCdn(readme, version);
  expect(files).toEqual(expect.arrayContaining(['docs/game.png', 'docs/start.md', 'CHANGELOG.md']));
  expect(files.filter((file) => !isPacked('README.md', file))).toEqual([]);
  // The CDN knows a folder by the end of its address alone.
  const folders = files.filter((file) => statSync(join(installed, file)).isDirectory());
  expect(folders).toContain('examples/game-server/');
  expect(folders.filter((file) => !file.endsWith('/'))).toEqual([]);
});

it('packing leaves README.md of the repository as it was', () => {
  const after = readFileSync(join(inject('clone'), 'README.md'), 'utf8');
  expect(after).toBe(readFileSync(join(repository, 'README.md'), 'utf8'));
  expect(linkedFiles(after)).toContain('docs/game.png');
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
