import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { beforeAll, expect, it } from 'vitest';
import { leastGlobals } from '../../runtimes/matrix.mjs';
import { clientBundle } from '../../support/client-bundle.js';

// The client in a runtime that has the language and, of the platform, only what it is given.

const randomValues = 'crypto.getRandomValues';
let script: vm.Script;

beforeAll(async () => {
  const { code } = await clientBundle({ format: 'iife', globalName: 'savepoint', target: 'es2022' });
  script = new vm.Script(`${code}\nglobalThis.savepoint = savepoint;`);
});

/** Loads the client where these names are all that there is, and gives what is global afterwards. */
function load(names: readonly string[]): Record<string, never> {
  const { crypto } = globalThis;
  const globals = Object.fromEntries(
    names.map((name) =>
      name === randomValues
        ? ['crypto', { getRandomValues: (bytes: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(bytes) }]
        : [name, globalThis[name as never]],
    ),
  );
  const context = vm.createContext(globals);
  script.runInContext(context);
  return context as Record<string, never>;
}

const without = (...missing: string[]): string[] =>
  [...leastGlobals, randomValues].filter((name) => !missing.includes(name));

const options = `{ gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', environment: 0, baseUrl: 'https://saves.test' }`;

/** What `createClient` throws there, and what `Main.Init` tells, each as its code and its words. */
async function refusalsOf(names: readonly string[], more = ''): Promise<string[]> {
  const context = load(names);
  const wrong = vm.runInContext(
    `(() => { try { savepoint.createClient({ ...${options}, ${more} }); } catch (error) { return error; } })()`,
    context,
  );
  const { Error: told } = await vm.runInContext(
    `savepoint.Main.Init({ GameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', Environment: 0, BaseUrl: 'https://saves.test' })`,
    context,
  );
  return [wrong, told].map((error) => `${error?.code}: ${error?.message}`);
}

it.each(without())('a runtime without %s is told so at the start, by name', async (name) => {
  const refusal = `unsupported_platform: This runtime lacks ${name}.`;
  expect(await refusalsOf(without(name))).toEqual([refusal, refusal]);
});

it('a runtime that lacks everything is told all of it at once', async () => {
  const [refusal = '', told] = await refusalsOf([]);
  const names = refusal.replace('unsupported_platform: This runtime lacks ', '').replace(/\.$/, '').split(', ');
  expect(names.toSorted()).toEqual(without().toSorted());
  expect(told).toBe(refusal);
});

it('a game that brings its own fetch needs none of the runtime', async () => {
  const [refusal] = await refusalsOf(without('fetch'), 'fetch: () => {}');
  expect(refusal).toBe('undefined: undefined');
});

it('the client leaves nothing behind in a runtime that lacks something', () => {
  const names = without('TextEncoder');
  const added = Object.keys(load(names)).filter((name) => !names.includes(name));
  expect(added).toEqual(['crypto', 'savepoint']);
});

it('the page about runtimes names what is needed, and nothing else', () => {
  const page = readFileSync(new URL('../../../docs/runtimes.md', import.meta.url), 'utf8');
  const [, needed = ''] = /Besides the language the client needs (.+?) It does without /s.exec(page) ?? [];
  const named = [...needed.matchAll(/`([\w.]+)`/g)].map(([, name]) => name ?? '');
  expect(named.toSorted()).toEqual(without().toSorted());
});
