import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);

/** The text of a file by its path from the root; '' for a folder, null where there is neither. */
type Read = (path: string) => string | null;

/** Reads only what is spelled so: on some disks `docs/Scaling.md` opens as well, and on the web it does not. */
const readFromRoot: Read = (path) => {
  const parts = posix.normalize(path).replace(/\/$/, '').split('/');
  let at = root;
  for (const [index, part] of parts.entries()) {
    if (part === '.') continue;
    const found = readdirSync(at, { withFileTypes: true }).find(({ name }) => name === part);
    if (found === undefined) return null;
    if (!found.isDirectory()) return index === parts.length - 1 ? readFileSync(new URL(part, at), 'utf8') : null;
    at = new URL(`${encodeURIComponent(part)}/`, at);
  }
  return '';
};

/** Markdown without its examples, in which a link is none. */
function withoutCode(markdown: string): string {
  return markdown
    .replace(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2`*\s*$/gm, '')
    .replace(/(`+)[^`\n](?:.*?[^`])?\1/g, '');
}

/** Where a page's links and pictures lead, those of HTML and of definitions too; other sites are left out. */
function targetsOf(markdown: string): string[] {
  const forms = [/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g, /^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)/gm, /\b(?:href|src)="([^"]+)"/g];
  const text = withoutCode(markdown);
  const found = forms.flatMap((form) => [...text.matchAll(form)].map(([, target = '']) => target));
  return found.filter((target) => !/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target));
}

/** The names that a `#` can lead to: headings as GitHub writes them, a repeated one with a number, and explicit ids. */
function anchorsOf(markdown: string): Set<string> {
  const text = markdown.replace(/^( *)(`{3,}|~{3,})[^\n]*\n[\s\S]*?^\1\2`*\s*$/gm, '');
  const anchors = new Set([...text.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id = '']) => id));
  const seen = new Map<string, number>();
  for (const [, heading = ''] of text.matchAll(/^ {0,3}#{1,6}\s+(.*?)(?:\s+#+)?\s*$/gm)) {
    const slug = slugOf(heading);
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    anchors.add(times === 0 ? slug : `${slug}-${times}`);
  }
  return anchors;
}

/** GitHub's rule: the shown text in lower case, without punctuation, with a hyphen for each space. */
function slugOf(heading: string): string {
  const shown = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1');
  return shown
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-');
}

/** Why a target leads nowhere, or null. `from` is the page that it stands in. */
function problemOf(target: string, from: string, read: Read): string | null {
  const [path = '', anchor] = target.split('#');
  // A page of a package registry has no root of ours.
  if (path.startsWith('/')) return `${target}: it begins with a slash`;
  const file = path === '' ? from : posix.join(posix.dirname(from), decodeURIComponent(path));
  const text = file.startsWith('..') ? null : read(file);
  if (text === null) return `${target}: there is no such file`;
  if (anchor === undefined) return null;
  return file.endsWith('.md') && anchorsOf(text).has(anchor) ? null : `${target}: there is no such place in it`;
}

function brokenLinks(page: string, read: Read): string[] {
  const problems = targetsOf(read(page) ?? '').map((target) => problemOf(target, page, read));
  return problems.filter((problem) => problem !== null);
}

/** Pages of docs/ that a source file names, but for those of another site, such as `docs/interface.md#errors`, and that lead nowhere. */
function brokenCitations(source: string, read: Read): string[] {
  const cited = [...source.matchAll(/(?<!\w\/)\bdocs\/[\w/-]+\.\w+(?:#[\w-]+)?/g)].map(([target]) => target);
  return cited.map((target) => problemOf(target, 'README.md', read)).filter((problem) => problem !== null);
}

function filesBelow(folder: string, ending: string): string[] {
  const names = readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });
  return names
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => path.endsWith(ending) && !/\/(node_modules|dist)\//.test(path));
}

const pages = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'ARCHITECTURE.md', 'CHANGELOG.md'],
  ...['docs', '.github', 'examples'].flatMap((folder) => filesBelow(folder, '.md')),
].filter((path) => path !== 'ARCHITECTURE.md' || existsSync(new URL(path, root)));

describe('the check of links', () => {
  const files: { readonly [path: string]: string } = {
    'README.md': [
      '# A game',
      '[all](docs/guide.md) and [one](docs/guide.md#two-players), [here](#a-game), [there](https://game.example/x)',
      '[![a picture](docs/game.png)](docs/guide.md "with a title")',
      '`[in code](none.md)` and <img src="docs/game.png">',
      '```md',
      '[in a block](none.md)',
      '```',
      '[by a name][guide]',
      '',
      '[guide]: docs/guide.md#of-our-own',
    ].join('\n'),
    'docs/guide.md': '## Two players\n\n<a id="of-our-own"></a>\n### `Auth.SignOut`, twice!\n### Again\n### Again\n',
    'docs/game.png': '',
    docs: '',
  };
  const readMadeUp = (changed: { readonly [path: string]: string } = {}): Read => {
    return (path) => ({ ...files, ...changed })[path] ?? null;
  };

  it('finds nothing in a page whose links all lead somewhere', () => {
    expect(targetsOf(files['README.md'] ?? '')).toHaveLength(7);
    expect(brokenLinks('README.md', readMadeUp())).toEqual([]);
  });

  it.each([
    ['a page that is not there', '[a](docs/guides.md)', 'docs/guides.md: there is no such file'],
    ['a picture that is not there', '![a](game.png)', 'game.png: there is no such file'],
    ['a picture behind a link', '[![a](none.png)](docs)', 'none.png: there is no such file'],
    ['a picture in HTML', '<img alt="" src="none.png">', 'none.png: there is no such file'],
    ['a heading that is not there', '[a](docs/guide.md#three)', 'docs/guide.md#three: there is no such place in it'],
    ['a heading that is not on this page', '[a](#two-players)', '#two-players: there is no such place in it'],
    ['a place in a file without headings', '[a](docs/game.png#L3)', 'docs/game.png#L3: there is no such place in it'],
    ['a definition', '[a][b]\n\n[b]: docs/b.md', 'docs/b.md: there is no such file'],
    ['a way out of the repository', '[a](../other/README.md)', '../other/README.md: there is no such file'],
    ['a link from the root', '[a](/docs/guide.md)', '/docs/guide.md: it begins with a slash'],
  ])('finds %s', (_, line, problem) => {
    expect(brokenLinks('README.md', readMadeUp({ 'README.md': line }))).toEqual([problem]);
  });

  it('names headings as GitHub does, and knows explicit ids', () => {
    expect([...anchorsOf(files['docs/guide.md'] ?? '')]).toEqual([
      'of-our-own',
      'two-players',
      'authsignout-twice',
      'again',
      'again-1',
    ]);
  });

  it('finds a citation in a source file that leads nowhere', () => {
    const source =
      '/** See docs/guide.md#again. @see docs/guide.md#nowhere, docs/gone.md, https://x.example/docs/v1.2 */';
    expect(brokenCitations(source, readMadeUp())).toEqual([
      'docs/guide.md#nowhere: there is no such place in it',
      'docs/gone.md: there is no such file',
    ]);
  });

  it('takes the spelling of a name for what it is', () => {
    expect(readFromRoot('README.md')).not.toBeNull();
    expect(readFromRoot('Readme.md')).toBeNull();
  });
});

it.each(pages)('every link and picture of %s leads somewhere', (page) => {
  expect(readFromRoot(page)).not.toBeNull();
  expect(brokenLinks(page, readFromRoot)).toEqual([]);
});

it('every page of docs/ that the source cites is there, and so is the place in it', () => {
  const broken = filesBelow('src', '.ts').flatMap((path) => brokenCitations(readFromRoot(path) ?? '', readFromRoot));
  expect(broken).toEqual([]);
});
