import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { brokenLinks } from '../support/markdown.js';

const installed = join(inject('consumer'), 'node_modules/savepoint');
const pages = readdirSync(installed, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.md') && !path.startsWith('node_modules/'));

it('every link and picture of the packed pages leads to a file of the package', () => {
  expect(pages).toEqual(expect.arrayContaining(['README.md', 'CHANGELOG.md', 'docs/scaling.md']));
  expect(brokenLinks(installed, pages)).toEqual([]);
});
