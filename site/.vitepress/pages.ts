import { existsSync, readdirSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DefaultTheme } from 'vitepress';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replaceAll('\\', '/');

/** The addresses of what is a page, by its file: docs/ is the site's root, and some files beside it are pages too. */
export const rewrites: Record<string, string> = {
  'docs/:page(.*)': ':page',
  'site/reference/:page(.*)': 'reference/:page',
  'examples/:example/README.md': 'examples/:example.md',
  'CHANGELOG.md': 'changelog.md',
};

const sections: readonly {
  readonly text: string;
  readonly pages: readonly (readonly [file: string, title: string])[];
}[] = [
  {
    text: 'Begin',
    pages: [
      ['docs/start.md', 'Start in five minutes'],
      ['docs/init.md', 'A new game: savepoint init'],
      ['docs/elements.md', 'Ready-made elements'],
      ['docs/frameworks.md', 'React, Svelte, Vue'],
      ['docs/engines.md', 'Phaser, Godot, Unity and others'],
      ['docs/runtimes.md', 'Browsers and runtimes'],
      ['docs/comparison.md', 'How it compares'],
    ],
  },
  {
    text: 'Guides',
    pages: [
      ['docs/guides/offline.md', 'Saves offline'],
      ['docs/saves.md', 'What is promised'],
      ['docs/guides/conflicts.md', 'Conflicts and merging'],
      ['docs/guides/accounts.md', 'Accounts and recovery'],
      ['docs/accounts.md', 'Codes and mails'],
      ['docs/guides/portals.md', 'Portals'],
      ['docs/platforms.md', 'Platforms and providers'],
      ['docs/guides/testing.md', 'Testing'],
      ['docs/guides/back-end.md', 'Your back end'],
    ],
  },
  {
    text: 'Come from elsewhere',
    pages: [
      ['docs/migrate/localstorage.md', 'From localStorage'],
      ['docs/migrate/playfab.md', 'From PlayFab'],
      ['docs/migrate/firebase.md', 'From Firebase'],
    ],
  },
  {
    text: 'When something is wrong',
    pages: [
      ['docs/troubleshooting.md', 'Troubleshooting by symptom'],
      ['docs/errors.md', 'Error codes'],
    ],
  },
  {
    text: 'Reference',
    pages: [
      ['docs/interface.md', 'The interface'],
      ['docs/command-line.md', 'The command line'],
      ['docs/limits.md', 'Limits'],
      ['site/reference/index.md', 'Every public name'],
      ['CHANGELOG.md', 'Changelog'],
    ],
  },
  {
    text: 'Deploy and operate',
    pages: [
      ['docs/operate/quickstart.md', 'From zero to public'],
      ['docs/operate/sizing.md', 'How large'],
      ['docs/scaling.md', 'Stores and scaling'],
      ['docs/operate/proxy.md', 'Behind a proxy'],
      ['docs/operate/keys.md', 'Keys'],
      ['docs/operate/platforms.md', 'Registering platforms'],
      ['docs/operate/webhooks.md', 'Webhooks'],
      ['docs/operate/monitoring.md', 'Monitoring'],
      ['docs/operate/alerts.md', 'Alerts'],
      ['docs/operate/runbook.md', 'Runbook'],
      ['docs/operate/console.md', 'Console'],
      ['docs/console.md', 'The console in pictures'],
      ['docs/operate/support.md', 'Helping players'],
      ['docs/backup.md', 'Backups'],
      ['docs/operate/restore.md', 'Restoring'],
      ['docs/operate/upgrade.md', 'Upgrading'],
      ['docs/operate/move.md', 'Moving to another store'],
      ['docs/operate/import.md', 'Taking players over'],
      ['docs/operate/export.md', 'Writing players out'],
    ],
  },
];

/** Pages that are reached by links alone. */
const unlisted = /^docs\/(index|decisions\/.*)\.md$|^examples\//;

/** The address of a file that is a page, such as `/guides/offline.md`; null for every other file. */
export function addressOf(file: string): string | null {
  const example = /^examples\/([\w-]+)\/README\.md$/.exec(file)?.[1];
  if (example !== undefined) return existsSync(root + file) && isPacked(file) ? `/examples/${example}.md` : null;
  if (file === 'CHANGELOG.md') return '/changelog.md';
  const page = /^(?:docs|site)\/(.*\.md)$/.exec(file)?.[1];
  return page === undefined || !existsSync(root + file) ? null : `/${page}`;
}

/** The example game is built in the repository alone; the others are in the package. */
function isPacked(file: string): boolean {
  return !file.startsWith('examples/web-game/');
}

/** The sections of the sidebar, with the pages that there are. */
export function sidebar(): DefaultTheme.SidebarItem[] {
  return sections.map(({ text, pages }) => ({
    text,
    collapsed: text === 'Deploy and operate',
    items: pages.flatMap(([file, title]) => {
      const address = addressOf(file);
      return address === null ? [] : [{ text: title, link: address.replace(/(index)?\.md$/, '') }];
    }),
  }));
}

/** Pages of docs/ that neither the sidebar nor a page of its own kind leads to: a new page must say where it belongs. */
export function pagesWithoutPlace(): string[] {
  const listed = new Set(sections.flatMap(({ pages }) => pages.map(([file]) => file)));
  return filesBelow('docs').filter((file) => file.endsWith('.md') && !listed.has(file) && !unlisted.test(file));
}

function filesBelow(folder: string): string[] {
  return readdirSync(root + folder).flatMap((name) => {
    const file = posix.join(folder, name);
    return statSync(root + file).isDirectory() ? filesBelow(file) : [file];
  });
}
