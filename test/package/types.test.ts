import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { findCompilers } from '../../scripts/compilers.mjs';
import { repository, runNode } from './run.js';

const consumer = inject('consumer');
const ownCompiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
const typeRoots = [join(repository, 'node_modules/@types')];

/** Compiles one file as a game would, against the packed declarations, which are checked as well. */
async function compile(name: string, text: string, options: object, compiler = ownCompiler): Promise<string> {
  const folder = join(consumer, `types-${name}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'game.ts'), text);
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
  };
  const compilerOptions = { ...strict, ...options };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['game.ts'] }));
  return runNode([compiler, '--project', folder], consumer);
}

const resolutions = [
  ['NodeNext', { module: 'nodenext', moduleResolution: 'nodenext' }],
  ['Bundler', { module: 'esnext', moduleResolution: 'bundler' }],
] as const;

const suite = `
  import { createBackend } from 'savepoint/backend';
  import { createHandlers } from 'savepoint/backend/msw';
  import { setupServer } from 'msw/node';

  const id = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
  const backend = createBackend({ games: [{ id, privateKeys: ['a private key for one game only'] }] });
  setupServer(...createHandlers(backend, { baseUrl: 'https://saves.test', authUrl: 'https://saves.test' })).listen();
`;

// Before the others, since it takes the longest.
it.concurrent("a game's test suite on MSW compiles", { timeout: 180_000 }, async () => {
  // MSW's own declarations want the DOM's.
  const options = { module: 'nodenext', lib: ['es2022', 'dom', 'dom.iterable'], types: ['node'], typeRoots };
  expect(await compile('suite', suite, options)).toBe('');
});

const page = `
  import { Auth, createClient, Events, isSdkError, Main, Profile } from 'savepoint';

  const client = createClient({ gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', environment: 0, baseUrl: 'https://saves.test' });
  const result = await client.auth.withName('ada', 'correct horse', { signal: new AbortController().signal });
  const who: string = result.success ? result.userId : result.error.code;
  client.events.on('conflict', (conflict) => void conflict.resolve('local'));
  await client.profile.collection('progress').set('main', { level: 1 });
  const version: number | undefined = client.profile.collection('progress').entries()[0]?.version;

  Events.on('OnSystemProfileConflictAppeared', (conflict) => void conflict.Resolve('Cloud'));
  const ready = await Main.Init({ GameId: who, Environment: 2, BaseUrl: 'https://saves.test' });
  const user: string | null = ready.Success ? ready.UserId : null;
  const linked = await Auth.WithName('ada', 'correct horse', (answer) => void answer.Success);
  if (!linked.Success && isSdkError(linked.Error)) Profile.Collection(linked.Error.code);

  // @ts-expect-error The environment has no default: nobody's live saves land in Development.
  createClient({ gameId: who, baseUrl: 'https://saves.test' });
  // @ts-expect-error There is no such choice.
  client.events.on('conflict', (conflict) => void conflict.resolve('both'));
  // @ts-expect-error A failed sign-in has no user.
  const nobody: string = linked.UserId;

  export { nobody, user, version };
`;

it.concurrent.each(resolutions)(
  'a page compiles with %s and without the types of Node',
  { timeout: 180_000 },
  async (name, options) => {
    const lib = ['es2022', 'dom'];
    expect(await compile(`page-${name}`, page, { ...options, lib, types: [] })).toBe('');
  },
);

const components = `
  import { createClient } from 'savepoint';
  import { SavepointProvider, useAccount, useConflict, useSave, useSyncStatus } from 'savepoint/react';
  import * as svelte from 'savepoint/svelte';
  import * as vue from 'savepoint/vue';

  interface Progress { coins: number }
  const client = createClient({ gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', environment: 0, baseUrl: 'https://saves.test' });
  const progress = client.profile.collection<Progress>('progress', { merge: { coins: 'sum' } });
  export function Game() {
    const { value, status, set, update } = useSave<Progress>('progress', 'main');
    const typed: number | undefined = useSave(progress, 'main').value?.coins;
    void set({ coins: 1 });
    void update((save) => ({ coins: (save?.coins ?? 0) + 1 }));
    // @ts-expect-error A save has what its type says.
    void set({ coin: 1 });
    // @ts-expect-error There may be none yet.
    value.coins;
    return SavepointProvider({ client, children: [typed, status === 'loading', useAccount().userId, useSyncStatus(), useConflict()?.kind] });
  }
  export const store: svelte.Save<Progress> = svelte.useSave<Progress>('progress', 'main');
  export const coins: number | undefined = vue.useSave(progress, () => 'main').value.value?.coins;
`;

it.concurrent('components of React, Svelte and Vue compile', { timeout: 180_000 }, async () => {
  const options = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
  expect(await compile('components', components, options)).toBe('');
});

const elements = `
  import { createClient } from 'savepoint';
  import { defineElements, english, type ConflictResolved, type Texts } from 'savepoint/elements';
  import { french, german, japanese, spanish } from 'savepoint/elements/texts';

  const client = createClient({ gameId: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d', environment: 0, baseUrl: 'https://saves.test' });
  const own: Texts = { ...english, guest: 'Adventurer' };
  for (const texts of [own, french, german, japanese, spanish]) defineElements({ client, texts });
  const conflict = document.createElement('savepoint-conflict');
  conflict.labels = { coins: 'Coins' };
  conflict.isEmpty = ({ entries }) => entries === 0;
  conflict.addEventListener('savepoint-resolved', (event) => {
    const { choice, wasAsked } = (event as CustomEvent<ConflictResolved>).detail;
    if (wasAsked && choice === 'local') void document.querySelector('savepoint-history')?.refresh();
  });
  document.createElement('savepoint-history').describe = (entries) => entries.map(({ value }) => String(value['coins'])).join();
  document.createElement('savepoint-sync').collections = ['progress'];
  // @ts-expect-error A language lacks no text.
  const lacking: Texts = { guest: 'Adventurer' };
  document.createElement('savepoint-sync').collections = 'progress other';
  // @ts-expect-error The names of collections are a list, or a text.
  document.createElement('savepoint-sync').collections = 1;

  export { lacking };
`;

it.concurrent('a page of elements compiles', { timeout: 180_000 }, async () => {
  const options = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'dom.iterable'], types: [] };
  expect(await compile('elements', elements, options)).toBe('');
});

const backend = `
  import { createServerClient } from 'savepoint/server';
  import { createBackend } from 'savepoint/backend';
  import { serve } from 'savepoint/backend/node';
  import { createPostgresStore, type PostgresPool } from 'savepoint/backend/postgres';
  import { createSqliteStore } from 'savepoint/backend/sqlite';
  import { google, platformPresets, steam, type PlatformCheck } from 'savepoint/backend/platforms';

  const id = '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d';
  const backend = createBackend({ games: [{ id, privateKeys: ['a private key for one game only'] }] });
  const platforms = { steam: steam({ key: 'a key', appId: 480 }) };
  const identityProviders = [google({ clientId: 'a client' })];
  createBackend({ games: [{ id, privateKeys: ['a private key'], socialPlatforms: platforms, identityProviders }] });
  const checks: PlatformCheck[] = platformPresets.map(({ create }) => create({ clientId: ['a client'] }, {}));
  const urls = { baseUrl: 'https://saves.test', authUrl: 'https://saves.test' };
  const door = await serve(backend, { port: 0, host: '127.0.0.1' });
  const port: number = door.port;

  const server = createServerClient({ gameId: id, environment: 0, privateKey: 'a private key for one game only', ...urls });
  const answer = await server.authenticate({ customUserId: 'ada', deviceId: 'a device', ip: '203.0.113.7' });
  const entries = await server.readCollection({ userId: answer.userId, collection: 'progress' });
  const version: number | undefined = entries[0]?.version;

  // @ts-expect-error Without its key a game's back end can do nothing.
  createServerClient({ gameId: id, environment: 0, ...urls });

  const store = await createSqliteStore({ file: 'saves.db' });
  createBackend({ games: [{ id, privateKeys: ['a private key for one game only'] }], store });
  await store.close();
  const shared = async (pool: PostgresPool) => [
    await createPostgresStore({ pool }),
    await createPostgresStore({ connectionString: 'postgres://database.test/saves', maxConnections: 20, schema: 'saves' }),
  ];
  // @ts-expect-error A store on SQLite is a file.
  await createSqliteStore({});

  export { port, shared, version };
`;

it.concurrent.each(resolutions)("a game's back end compiles with %s", { timeout: 180_000 }, async (name, options) => {
  expect(await compile(`backend-${name}`, backend, { ...options, lib: ['es2022'], types: ['node'], typeRoots })).toBe(
    '',
  );
});

/** The oldest that reads the declarations, the last 5.x, and the newest, which is another program. */
/** `npm test` asks the oldest and the newest, `npm run prove` also what lies between. */
const compilers = (findCompilers() ?? []).filter((_, at, { length }) => {
  return Boolean(process.env['PROVE']) || at === 0 || at === length - 1;
});

it.concurrent.each(
  compilers.flatMap(({ version, compiler }) =>
    resolutions.map(([name, options]) => [version, name, options, compiler] as const),
  ),
)(
  'TypeScript %s compiles a page, its elements and a back end with %s',
  { timeout: 180_000 },
  async (version, name, options, own) => {
    const folder = `${version.replaceAll('.', '-')}-${name}`;
    const lib = ['es2022', 'dom'];
    expect(await compile(`page-${folder}`, page, { ...options, lib, types: [] }, own)).toBe('');
    expect(
      await compile(`elements-${folder}`, elements, { ...options, lib: [...lib, 'dom.iterable'], types: [] }, own),
    ).toBe('');
    const node = { ...options, lib: ['es2022'], types: ['node'], typeRoots };
    expect(await compile(`backend-${folder}`, backend, node, own)).toBe('');
  },
);

/** Of these a compiler reads MSW's own declarations no more: ours are read all the same, and the suite is held against them. */
const tooOldForMsw = ['5.4.5'];

it.concurrent.each(compilers)(
  'TypeScript $version compiles components of React, Svelte and Vue, and a suite on MSW',
  { timeout: 180_000 },
  async ({ version, compiler }) => {
    const folder = version.replaceAll('.', '-');
    const lib = ['es2022', 'dom', 'dom.iterable'];
    const bundler = { module: 'esnext', moduleResolution: 'bundler', lib, types: [] };
    expect(await compile(`components-${folder}`, components, bundler, compiler)).toBe('');
    const skipLibCheck = tooOldForMsw.includes(version);
    const node = { module: 'nodenext', lib, types: ['node'], typeRoots, skipLibCheck };
    expect(await compile(`suite-${folder}`, suite, node, compiler)).toBe('');
  },
);
