import { existsSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';
import { addressOf, root } from './pages.js';

/** Where files of the package that are no pages can be read: as the help of an error, at a package CDN. */
const files = 'https://unpkg.com/savepoint/';

/** GitHub's rule for the place of a heading, by which docs/ and the tests of the repository link to it. */
export function placeOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Makes of the links between files, which work in the repository and in the package, links between pages of the site. */
export function linksOfSite(md: MarkdownRenderer): void {
  md.core.ruler.push('links-of-site', ({ tokens, env }) => {
    const page = posix.relative(root, String((env as { realPath?: string; path: string }).realPath ?? env.path));
    for (const link of tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')) {
      const href = link.attrGet('href') ?? '';
      if (!/^([a-z][a-z\d+.-]*:|\/|#)/i.test(href)) link.attrSet('href', addressFrom(page, href));
    }
  });
}

function addressFrom(page: string, href: string): string {
  const [path = '', place] = href.split('#');
  const found = posix.join(posix.dirname(page), decodeURIComponent(path)).replace(/\/$/, '');
  const file = isFolder(found) && existsSync(`${root}${found}/README.md`) ? `${found}/README.md` : found;
  const address = addressOf(file) ?? (isFolder(file) ? `${files}${file}/` : `${files}${file}`);
  return place === undefined ? address : `${address}#${place}`;
}

function isFolder(file: string): boolean {
  return existsSync(root + file) && statSync(root + file).isDirectory();
}
