import { playwright } from '@vitest/browser-playwright';
import { defineConfig } from 'vitest/config';
import { browserArgs, findBrowser } from './scripts/browser.mjs';

const executablePath = findBrowser();
const source = (path: string): string => new URL(`./src/${path}`, import.meta.url).pathname;

/** Examples and tests import the package by its name; here that means its source. */
const alias = [
  { find: /^savepoint$/, replacement: source('index.ts') },
  { find: /^savepoint\/(server|backend)$/, replacement: source('$1/index.ts') },
  { find: /^savepoint\/backend\/(msw|node|sqlite|postgres)$/, replacement: source('backend/$1.ts') },
];

/** Tests that need a PostgreSQL, which is started for them alone. */
const onPostgres = 'test/**/*postgres*.test.ts';

export default defineConfig(({ mode }) => {
  /** `npm run prove`: the same tests with many more runs each; they read PROVE. */
  const prove = mode === 'prove';
  const everywhere = {
    env: { PROVE: prove ? '1' : '' },
    testTimeout: prove ? 900_000 : 20_000,
    hookTimeout: prove ? 300_000 : 60_000,
  };

  /** All of the service's tests once more, with what they make on another store. */
  const onStore = (store: string) => ({
    resolve: { alias },
    test: {
      ...everywhere,
      env: { ...everywhere.env, TEST_STORE: store },
      name: `on-${store}`,
      environment: 'node' as const,
      include: ['test/backend/*.test.ts'],
      setupFiles: 'test/support/store-of-run.ts',
      ...(store === 'postgres' ? { globalSetup: 'test/support/postgres.ts' } : {}),
    },
  });

  return {
    test: {
      projects: [
        ...(prove ? ['sqlite', 'postgres'].map(onStore) : []),
        {
          resolve: { alias },
          test: {
            ...everywhere,
            name: 'node',
            environment: 'node',
            include: ['test/**/*.test.ts', 'examples/msw-tests/**/*.test.ts'],
            exclude: ['test/browser/**', 'test/e2e/**', 'test/package/**', onPostgres],
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
            globalSetup: 'test/support/postgres.ts',
          },
        },
        {
          resolve: { alias },
          test: { ...everywhere, name: 'e2e', environment: 'node', include: ['test/e2e/**/*.test.ts'] },
        },
        {
          test: {
            ...everywhere,
            name: 'package',
            environment: 'node',
            include: ['test/package/**/*.test.ts'],
            globalSetup: 'test/package/pack.ts',
          },
        },
        {
          resolve: { alias },
          publicDir: 'test/public',
          // A sandboxed frame has an origin of its own, and fetches its modules from there.
          server: { cors: true },
          optimizeDeps: {
            include: ['msw', 'msw/browser', 'zod/mini', 'ky', 'eventemitter3', 'uuid', 'hono', 'jose'],
          },
          test: {
            ...everywhere,
            name: 'browser',
            include: ['test/browser/**/*.test.ts'],
            browser: {
              enabled: true,
              headless: true,
              screenshotFailures: false,
              provider: playwright({
                launchOptions: { ...(executablePath === null ? {} : { executablePath }), args: browserArgs },
              }),
              instances: [{ browser: 'chromium' }],
            },
          },
        },
      ],
    },
  };
});
