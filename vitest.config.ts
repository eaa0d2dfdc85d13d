import { availableParallelism } from 'node:os';
import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import type { BrowserProviderOption } from 'vitest/node';
import { browserArgs, findBrowser } from './scripts/browser.mjs';
import { findBun, howToInstallBun } from './scripts/bun.mjs';
import { findCaddy, howToInstallCaddy } from './scripts/caddy.mjs';
import { findClientGenerators, howToInstallClientGenerators } from './scripts/client-generators.mjs';
import { findCompilers, howToInstallCompilers } from './scripts/compilers.mjs';
import { findNginx, howToInstallNginx } from './scripts/nginx.mjs';
import { howToInstall, otherBrowsers } from './scripts/other-browsers.mjs';
import { findPostgres } from './scripts/postgres.mjs';
import { findPrometheus, howToInstallPrometheus } from './scripts/prometheus.mjs';
import { findRecipeEngines, howToInstallRecipeEngines } from './scripts/recipe-engines.mjs';
import { findRuntimes, howToInstallRuntimes } from './scripts/runtimes.mjs';
import { findTemplatePackages, howToInstallTemplatePackages } from './scripts/template-packages.mjs';
import type { WorldSearch } from './test/client/profile/world/search.js';
import type { BrowserName } from './test/support/browsers/driven-browser.js';
import { drivenBrowsers } from './test/support/browsers/vitest-provider.js';
import { svelteComponents } from './test/support/svelte-components.js';

const executablePath = findBrowser();
const launchOptions = { ...(executablePath === null ? {} : { executablePath }), args: browserArgs };
const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

/** Examples and tests import the package by its name; here that means its source. */
const alias = [
  { find: /^savepoint$/, replacement: source('index.ts') },
  { find: /^savepoint\/(server|backend|react|svelte|vue)$/, replacement: source('$1/index.ts') },
  { find: /^savepoint\/backend\/(msw|node|sqlite|postgres)$/, replacement: source('backend/$1.ts') },
  { find: /^savepoint\/elements(\/texts)?$/, replacement: source('elements$1/index.ts') },
  { find: /^savepoint\/backend\/platforms$/, replacement: source('backend/platforms/index.ts') },
];

/** What a bundler decides for Vue, which says so where it did not. */
const vueFlags = ['__VUE_OPTIONS_API__', '__VUE_PROD_DEVTOOLS__', '__VUE_PROD_HYDRATION_MISMATCH_DETAILS__'];

/**
 * Tests with a process of their own, on Node alone: what takes the place of a module, of the page's client or of the network
 * would still be there for the next one. All others share theirs, and load the service once instead of two hundred times.
 */
const apart = [
  'test/{bindings,docs,house}/**/*.test.ts',
  'test/cli/{first-steps,help,serve-metrics}.test.ts',
  'test/{examples,readme}.test.ts',
  'examples/msw-tests/**/*.test.ts',
  'test/backend/{doors,doors-fuzz,doors-msw,signing-keys}.test.ts',
  'test/backend/accounts/{foreign-hashes,passwords}.test.ts',
  'test/client/platform/{locks,storages,tabs}.test.ts',
  'test/client/profile/unsent.test.ts',
  'test/client/spec/spec.test.ts',
  'test/http/real-server.test.ts',
  'test/server/create-server-client.test.ts',
];

/** Tests that need a PostgreSQL, which is started for them alone. */
const onPostgres = 'test/**/*postgres*.test.ts';

/**
 * What no version of Node changes, and takes long: checks of the sources, compilers, searches with fixed seeds, the profile,
 * which asks nothing of Node, and what is asked of the service and its stores elsewhere as well.
 */
const sameOnEveryNode = [
  'test/house/**',
  'test/docs/**',
  'test/package/types.test.ts',
  'test/client/{auth,profile,session,spec,storage}/**',
  'test/backend/{admin,conflicts}/**',
  'test/client/sdk-against-document.test.ts',
  'test/cli/{backup,bun,check,converters,counts,export,import,keys,metrics,move,operators,players,serve-limits,serve-rates,serve-webhooks,stores,support-case,webhooks}.test.ts',
  'test/cli/console/**',
  'test/backend/stores/memory.test.ts',
  'test/backend/hostile/**',
  'test/backend/crowd/**',
  'test/backend/accounts/in-flight.test.ts',
  'test/backend/openapi.test.ts',
  'test/backend/generated-clients.test.ts',
  'test/backend/doors-fuzz.test.ts',
  'test/backend/isolation.test.ts',
  'test/backend/stores/{kill,postgres,service}.test.ts',
  'test/backend/stores/sql/**',
  'test/**/*-on-postgres.test.ts',
  'test/backend/stores/{failover,pgbouncer,players,point-in-time}-postgres.test.ts',
  'test/backend/stores/postgres-schema.test.ts',
  'test/cli/*-postgres.test.ts',
  // The service's and the clients' own rules, which ask nothing of Node but what the doors, stores and SDKs are tried with.
  'test/backend/{account-care,accounts,concurrency-limit,conflicts,control,create-backend,deletion,door-rates,entries}.test.ts',
  'test/backend/{export,idempotency,identity,log,login-quotas,mail-address,merge,password-reset,password-tries,peek}.test.ts',
  'test/backend/{rate-table,rates,recent-authentication,recovery,refused-credentials,requests,restored-backup}.test.ts',
  'test/backend/{retention,sessions,sign-out-others,slices,snapshots,social,store-unavailable,write-access}.test.ts',
  'test/backend/webhooks/**',
  'test/client/*.test.ts',
  'test/{bindings,deploy,merge,types}/**',
  'test/{examples,readme}.test.ts',
  'test/protocol/{answer-checks,entry-name,failures,ids,messages,routes}.test.ts',
  'test/cli/{bounded-output,dev,front,run,serve-metrics,sign,spec-client,traces}.test.ts',
  // The program itself is tried there by `savepoint.test.ts`, by how it is interrupted and by what the package starts.
  'test/cli/{catch-up,companion,first-steps,init,move-while-served,sealed-platforms,serve,serve-reload,unusable-places}.test.ts',
  'test/backend/stores/{large-snapshot,raw-tables-postgres}.test.ts',
  'test/package/{config,init,links,oldest-peers,runtimes,templates}.test.ts',
];

/**
 * What is in `deploy` on the programs that it is for, and the compiler over all engines, take their time: `npm run prove` has
 * it, where they are.
 */
const onPrograms = [
  {
    tests: 'test/**/prometheus-*.test.ts',
    title: 'Prometheus',
    find: () => findPrometheus() !== null,
    howToInstall: howToInstallPrometheus,
  },
  { tests: 'test/**/caddy.test.ts', title: 'Caddy', find: () => findCaddy() !== null, howToInstall: howToInstallCaddy },
  { tests: 'test/**/nginx.test.ts', title: 'nginx', find: () => findNginx() !== null, howToInstall: howToInstallNginx },
  {
    tests: 'test/bindings/recipe-types.test.ts',
    title: 'the types of the recipes',
    find: () => findRecipeEngines() !== null,
    howToInstall: howToInstallRecipeEngines,
  },
  // What takes too long on a busy machine proves nothing of the page: no other run has it.
  { tests: 'test/console/smooth.test.ts', title: 'the speed of the console', find: () => true, howToInstall: '' },
  { tests: 'test/package/dockerfile.test.ts', title: "the Dockerfile's steps", find: () => true, howToInstall: '' },
  // Each waits until it has drained.
  { tests: 'test/deploy/manifests-on-postgres.test.ts', title: 'the manifests', find: () => true, howToInstall: '' },
  {
    tests: 'test/package/quickstart.test.ts',
    title: 'the quick start',
    find: () => findPostgres() !== null && findCaddy() !== null && findNginx() !== null,
    howToInstall: `It takes PostgreSQL, Caddy and nginx. ${howToInstallCaddy} ${howToInstallNginx}`,
  },
];

/** The browsers beside Chromium that are on this machine. `ensure-browser.mjs` has tried to install the others. */
const others = otherBrowsers.flatMap((browser): BrowserName[] => {
  if (browser.find() !== null) return [browser.name as BrowserName];
  const message = `The tests in ${browser.title} are left out. ${howToInstall(browser)}`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  console.warn(message);
  return [];
});

/** A test that needs what is not on this machine. In CI it has to be there. */
function needing(found: string | null, what: string, howToInstall: string, test: string): string[] {
  if (found !== null) return [];
  const message = `The test ${what} is left out. ${howToInstall}`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  console.warn(message);
  return [test];
}

if (findCompilers() === null) needing(null, 'on other versions of TypeScript', howToInstallCompilers, '');

const withoutRuntimes = needing(
  findBun() === null ? null : findRuntimes(),
  'of the runtimes',
  `${howToInstallRuntimes} ${howToInstallBun}`,
  'test/package/runtimes.test.ts',
);

const withoutTemplates = needing(
  findTemplatePackages(),
  'of the templates but vanilla',
  howToInstallTemplatePackages,
  'test/package/templates.test.ts',
);

const withoutPrograms = [
  ...needing(findBun(), 'on Bun', howToInstallBun, 'test/cli/bun.test.ts'),
  ...needing(
    findClientGenerators(),
    'of generated clients',
    howToInstallClientGenerators,
    'test/backend/generated-clients.test.ts',
  ),
];

const withoutEngines = needing(
  findRecipeEngines(),
  "of the engines' recipes",
  howToInstallRecipeEngines,
  'test/e2e/recipes.test.ts',
);

/** Not even in CI does a test fail because one of these is missing. */
function withoutOperations(areWanted: boolean): string[] {
  return onPrograms.flatMap(({ tests, title, find, howToInstall }) => {
    if (areWanted && find()) return [];
    if (areWanted) console.warn(`The test on ${title} is left out. ${howToInstall}`);
    return [tests];
  });
}

/** What is asked of the model of the world, on whichever engine it runs. */
function worldSearch(isProof: boolean): WorldSearch {
  const { WORLD_RUNS: runs, WORLD_NAMES: names, WORLD_ONLY: only, WORLD_SEEK: seek, MODEL: again } = process.env;
  return {
    isProof,
    ...(runs === undefined ? {} : { runs: Number(runs) }),
    ...(names === undefined ? {} : { names: names.split(',') }),
    ...(only === undefined ? {} : { only: only.split(',') }),
    ...(seek === undefined ? {} : { seek }),
    ...(again ? { again } : {}),
  };
}

export default defineConfig(({ mode }) => {
  /** `npm run prove`: the same tests with many more runs each; they read PROVE. */
  const prove = mode === 'prove';
  /** `npm run test:node`: what another Node may change. */
  const leftOut = [...(mode === 'another-node' ? sameOnEveryNode : []), ...withoutOperations(prove)];
  const everywhere = {
    env: { PROVE: prove ? '1' : '' },
    provide: { world: worldSearch(prove) },
    testTimeout: prove ? 900_000 : 20_000,
    hookTimeout: prove ? 300_000 : 60_000,
    // What comes soon comes later on a busy machine.
    expect: { poll: { timeout: 10_000 } },
  };

  /** All of the service's tests once more, with what they make on another store. */
  const onStore = (store: string) => ({
    resolve: { alias },
    test: {
      ...everywhere,
      env: { ...everywhere.env, TEST_STORE: store },
      name: `on-${store}`,
      environment: 'node' as const,
      include: ['test/backend/{,admin/}*.test.ts'],
      exclude: ['test/backend/generated-clients.test.ts'],
      setupFiles: 'test/support/store-of-run.ts',
      ...(store === 'postgres' ? { globalSetup: 'test/support/postgres.ts' } : {}),
    },
  });

  /** The tests that steer a game's pages from Node, in one browser. */
  const ofPages = (browser: BrowserName) => ({
    resolve: { alias },
    test: {
      ...everywhere,
      name: `pages (${browser})`,
      environment: 'node' as const,
      include: ['test/pages/**/*.test.ts'],
      provide: { ...everywhere.provide, browser },
      // One of them is of the operators' console.
      globalSetup: 'test/console/build-console.ts',
    },
  });

  /** The tests that run in a page, in browsers that one provider steers. */
  const inBrowsers = (name: string, provider: BrowserProviderOption, browsers: readonly BrowserName[]) => ({
    resolve: { alias },
    publicDir: 'test/public',
    plugins: [svelteComponents()],
    define: Object.fromEntries(vueFlags.map((flag) => [flag, 'true'])),
    // A sandboxed frame has an origin of its own, and fetches its modules from there.
    server: { cors: true },
    optimizeDeps: {
      include: [
        ...['msw', 'msw/browser', 'zod/mini', 'ky', 'eventemitter3', 'uuid', 'hono', 'jose'],
        ...['fast-check', 'fake-indexeddb', 'fake-indexeddb/auto'],
        ...[
          'react',
          'react/jsx-dev-runtime',
          'react-dom',
          'react-dom/client',
          'react-dom/server',
          'react-refresh/runtime',
          'vue',
          'vue/server-renderer',
        ],
        ...[
          'svelte',
          'svelte/store',
          'svelte/internal/client',
          'svelte/internal/disclose-version',
          'svelte/internal/flags/legacy',
        ],
      ],
    },
    test: {
      ...everywhere,
      name,
      include: ['test/browser/**/*.test.{ts,tsx}'],
      browser: {
        enabled: true,
        headless: true,
        screenshotFailures: false,
        provider,
        instances: browsers.map((browser) => ({ browser, name: `browser (${browser})` })),
      },
    },
  });

  // Vitest leaves one core free. Of two that is half, and many tests only wait for pages and processes. Where another
  // Node is tried, two of them run at once.
  const workers = mode === 'another-node' ? {} : { maxWorkers: Math.max(2, availableParallelism() - 1) };

  return {
    test: {
      ...workers,
      // A browser that does not start is started again.
      browser: { connectTimeout: 180_000 },
      projects: [
        ...(prove ? ['sqlite', 'postgres'].map(onStore) : []),
        {
          resolve: { alias },
          test: {
            ...everywhere,
            name: 'node',
            environment: 'node',
            isolate: false,
            setupFiles: 'test/support/shared-process.ts',
            include: ['test/**/*.test.ts'],
            exclude: [
              'test/browser/**',
              'test/console/**',
              'test/e2e/**',
              'test/pages/**',
              'test/package/**',
              ...apart,
              onPostgres,
              ...leftOut,
              ...withoutPrograms,
            ],
          },
        },
        {
          resolve: { alias },
          test: {
            ...everywhere,
            name: 'apart',
            environment: 'node',
            include: apart,
            exclude: [onPostgres, ...leftOut, ...withoutPrograms],
            // A test loads it again on a platform that lacks what it looks for when it is loaded.
            server: { deps: { inline: ['ky'] } },
          },
        },
        {
          resolve: { alias },
          test: {
            ...everywhere,
            name: 'postgres',
            environment: 'node',
            include: [onPostgres],
            exclude: leftOut,
            globalSetup: 'test/support/postgres.ts',
          },
        },
        {
          resolve: { alias },
          test: {
            ...everywhere,
            name: 'e2e',
            environment: 'node',
            include: ['test/e2e/**/*.test.ts'],
            exclude: withoutEngines,
          },
        },
        {
          resolve: { alias },
          test: {
            ...everywhere,
            name: 'console',
            environment: 'node',
            include: ['test/console/**/*.test.ts'],
            exclude: leftOut,
            globalSetup: 'test/console/build-console.ts',
          },
        },
        {
          test: {
            ...everywhere,
            name: 'package',
            environment: 'node',
            include: ['test/package/**/*.test.ts'],
            exclude: [...leftOut, ...withoutTemplates, ...withoutRuntimes],
            globalSetup: 'test/package/pack.ts',
            // Those that run at once each have a compiler.
            maxConcurrency: 2,
          },
        },
        ...(['chromium', ...others] as const).map(ofPages),
        inBrowsers('browser', playwright({ launchOptions }), ['chromium']),
        ...(others.length === 0 ? [] : [inBrowsers('other-browsers', drivenBrowsers(), others)]),
      ],
    },
  };
});
