import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { brokenPlaces } from '../../scripts/site-links.mjs';
import { placeOf } from '../../site/.vitepress/links.js';
import { addressOf, pagesWithoutPlace, sidebar } from '../../site/.vitepress/pages.js';

describe('the check of places in the built site', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'savepoint-site-'));
    page(
      'index.html',
      '<h1 id="home">x</h1><a href="/guide/one.html#a_b">1</a><a href="./guide/one">2</a><a href="#home">3</a>',
    );
    page(
      'guide/one.html',
      '<h2 id="a_b">x</h2><a class="c" href="../index.html#home">1</a><a href="https://x.example/#y">2</a>',
    );
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function page(path: string, html: string): void {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), html);
  }

  it('finds nothing where every link leads somewhere', () => {
    expect(brokenPlaces(folder)).toEqual([]);
  });

  it.each(['#gone', '/guide/one.html#a-b', '/guide/two.html', 'two#a_b', '/#one'])(
    'finds the broken link %s',
    (link) => {
      page('guide/three.html', `<a href="${link}">x</a>`);
      expect(brokenPlaces(folder)).toEqual([`/guide/three.html: ${link}`]);
    },
  );

  it('leaves files that are no pages alone', () => {
    page('guide/three.html', '<a href="/picture.png">x</a>');
    expect(brokenPlaces(folder)).toEqual([]);
  });
});

it('every page of docs/ has its place in the sidebar', () => {
  expect(pagesWithoutPlace()).toEqual([]);
});

it('the sidebar shows the pages that there are, and no other', () => {
  const links = sidebar().flatMap(({ items = [] }) => items.map(({ link }) => link));
  expect(links).toEqual(expect.arrayContaining(['/start', '/errors', '/guides/back-end', '/changelog']));
  expect(new Set(links).size).toBe(links.length);
  expect(addressOf('docs/no-such-page.md')).toBeNull();
});

it('places of headings are those of GitHub, to which the pages link in the repository', () => {
  expect(placeOf('`version_mismatch`')).toBe('version_mismatch');
  expect(placeOf("The page can't reach: `it`")).toBe('the-page-cant-reach-it');
});
