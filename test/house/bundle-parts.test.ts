import { expect, it } from 'vitest';
import { bundleParts, missingPackages } from '../../scripts/bundle-parts.mjs';
import { problemsOf } from '../../scripts/size.mjs';

const modules = {
  '/game/node_modules/savepoint/dist/index.js': { renderedLength: 0 },
  '/savepoint/dist/client/events.js': { renderedLength: 100 },
  '/savepoint/dist/errors.js': { renderedLength: 20 },
  '/savepoint/node_modules/ky/distribution/index.js': { renderedLength: 30 },
  '/savepoint/node_modules/ky/distribution/core/Ky.js': { renderedLength: 10 },
  'C:\\savepoint\\node_modules\\uuid\\dist\\v4.js': { renderedLength: 4 },
  '/savepoint/node_modules/one/node_modules/@scope/two/index.js': { renderedLength: 3 },
  '/savepoint/node_modules/eventemitter3/index.mjs': { renderedLength: 0 },
  '\0rolldown/runtime.js': { renderedLength: 2 },
};

it('A bundle is told apart by package, the largest first', () => {
  expect(bundleParts(modules)).toEqual([
    { name: 'savepoint', bytes: 120 },
    { name: 'ky', bytes: 40 },
    { name: 'uuid', bytes: 4 },
    { name: '@scope/two', bytes: 3 },
    { name: 'the bundler', bytes: 2 },
  ]);
});

it('A package of which nothing is in the bundle is missing', () => {
  expect(missingPackages(bundleParts(modules))).toEqual(['eventemitter3']);
  const whole = { ...modules, '/savepoint/node_modules/eventemitter3/index.js': { renderedLength: 1 } };
  expect(missingPackages(bundleParts(whole))).toEqual([]);
});

it('The report names what is over its limit, and what is missing in the client', () => {
  const parts = [{ name: 'savepoint', bytes: 1 }];
  const client = { title: 'the client', bytes: 10, limit: 10, parts };
  expect(
    problemsOf([client, { title: 'the file', bytes: 12, limit: 10 }, { title: 'free', bytes: 99, parts }]),
  ).toEqual([
    'the file is 2 bytes over its limit.',
    'ky is not in the client.',
    'eventemitter3 is not in the client.',
    'uuid is not in the client.',
  ]);
});
