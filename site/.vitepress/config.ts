import { defineConfig } from 'vitepress';
import { linksOfSite, placeOf } from './links.js';
import { rewrites, sidebar } from './pages.js';

export default defineConfig({
  title: 'savepoint',
  description: 'Player accounts and cloud saves for web games, in TypeScript.',
  lang: 'en',
  // The folder below a host that the site is put into, such as `/savepoint/`.
  base: process.env['DOCS_BASE'] ?? '/',
  // No file is asked for where there is no picture.
  head: [
    ['link', { rel: 'icon', href: 'data:,' }],
    ['style', {}, '@media (min-width: 1280px) { .VPDoc:not(.has-aside) .content { max-width: 66rem !important; } }'],
  ],
  srcDir: '..',
  // All else that is Markdown in the repository is no page.
  srcExclude: ['!(CHANGELOG).md', '!(docs|site|examples)/**/*', 'site/{dist,.vitepress}/**', 'examples/web-game/**'],
  outDir: './dist',
  cacheDir: '../.cache/vitepress',
  rewrites,
  cleanUrls: false,
  lastUpdated: false,
  // What has no headings, as the table of limits, has no outline beside it, and that room for its columns.
  transformPageData: ({ headers, frontmatter }) => {
    if (headers.length === 0) frontmatter['aside'] = false;
  },
  markdown: {
    anchor: { slugify: placeOf },
    headers: { slugify: placeOf },
    toc: { slugify: placeOf },
    config: linksOfSite,
  },
  vite: { build: { chunkSizeWarningLimit: 2_000 } },
  themeConfig: {
    nav: [
      { text: 'Start', link: '/start' },
      { text: 'Guides', link: '/guides/offline' },
      { text: 'Error codes', link: '/errors' },
      { text: 'Reference', link: '/reference/' },
      { text: 'Operate', link: '/operate/quickstart' },
    ],
    sidebar: sidebar(),
    outline: { level: [2, 3], label: 'On this page' },
    search: { provider: 'local' },
    docFooter: { prev: 'Before', next: 'Next' },
  },
});
