import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { writtenFiles } from '../support/written-files.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const files = writtenFiles().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

/** What no file may hold, and a line that would. The lines are put together here, so that this file holds none. */
const forbidden = [
  [
    'the host of a package registry',
    /\bregistry\.[a-z-]+\.(org|com|io|net)\b/,
    ['https://registry', 'npmjs.org/uuid'].join('.'),
  ],
  ['a path of one machine', /(^|[\s"'`(=:])\/(home|root|Users|work|tmp)\/\w/, ['"', 'home', 'ada', 'game'].join('/')],
  [
    'a test that is left out, or leaves out others',
    /\b(it|test|describe|suite|bench)(\.\w+)*\.(skip|skipIf|runIf|only|todo|fails)\b/,
    ['describe', 'only'].join('.'),
  ],
  ['a note about work to do', /\b(TO[D]O|FIX[M]E|XX[X])\b/, ['// TO', 'DO: later'].join('')],
  ['a token of a package registry', /_authTo[k]en/, ['_auth', 'Token=abc'].join('')],
] as const;

/** The one place where tests may be left out, with a reason that a run tells, and never in CI. */
const leavesOut = join('test', 'support', 'on-postgres.ts');

describe.each(forbidden)('%s', (what, pattern, line) => {
  it('is recognised', () => {
    expect(line).toMatch(pattern);
  });

  it('is in no file', () => {
    const found = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
    expect(found).toEqual(what === 'a test that is left out, or leaves out others' ? [leavesOut] : []);
  });
});

it('the files that are looked at are those of this repository', () => {
  const paths = files.map(({ path }) => path.replaceAll('\\', '/'));
  for (const path of ['package.json', 'README.md', '.ci/run']) expect(paths).toContain(path);
});
