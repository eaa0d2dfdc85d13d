// The rooms of src and the one direction in which they may import: down. Run by test/house/imports.test.ts.

/** What each room may import from this package. */
const rooms = {
  'index.ts': ['client', 'merge', 'http', 'errors.ts', 'protocol'],
  elements: ['elements', 'client', 'errors.ts', 'protocol'],
  client: ['client', 'merge', 'http', 'errors.ts', 'protocol'],
  server: ['server', 'merge', 'http', 'errors.ts', 'protocol'],
  backend: ['backend', 'http', 'errors.ts', 'protocol'],
  cli: ['cli', 'backend', 'server', 'errors.ts', 'protocol'],
  // It has the types of the elements for JSX.
  react: ['react', 'bindings', 'index.ts', 'elements/index.ts'],
  svelte: ['svelte', 'bindings', 'index.ts'],
  vue: ['vue', 'bindings', 'index.ts'],
  bindings: ['bindings', 'index.ts'],
  http: ['http', 'errors.ts', 'protocol'],
  merge: ['merge', 'protocol'],
  'errors.ts': ['protocol'],
  // Scripts make a page of it; no room may import it, so that no page loads it.
  'error-guide.ts': ['errors.ts'],
  protocol: ['protocol'],
};

/** Who may import which package or part of the platform; everything else may not. */
const keepers = {
  msw: '^src/backend/msw\\.ts$',
  hono: '^src/backend/',
  '@hono/node-server': '^src/backend/node\\.ts$',
  jose: '^src/(backend|server)/',
  pg: '^src/backend/stores/postgres/pool\\.ts$',
  'better-sqlite3': '^src/backend/stores/sqlite/connection\\.ts$',
  'prom-client': '^src/cli/serve/metrics\\.ts$',
  '@opentelemetry/api': '^src/cli/serve/traces\\.ts$',
  ky: '^src/http/',
  eventemitter3: '^src/client/events\\.ts$',
  uuid: '^src/protocol/ids\\.ts$',
  zod: '^src/(protocol|backend)/',
  react: '^src/react/',
  svelte: '^src/svelte/',
  vue: '^src/vue/',
};

const path = (room) => (room.endsWith('.ts') ? `^src/${room.replace('.', '\\.')}$` : `^src/${room}/`);

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    ...Object.entries(rooms).map(([room, allowed]) => ({
      name: `${room.replace('.ts', '')}-imports-down`,
      severity: 'error',
      from: { path: path(room) },
      to: { path: '^src/', pathNot: allowed.map(path) },
    })),
    {
      name: 'every-file-is-in-a-room',
      comment: 'A new room needs its line in the table above.',
      severity: 'error',
      from: {},
      to: { path: '^src/', pathNot: Object.keys(rooms).map(path) },
    },
    {
      name: 'src-stands-alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|examples|bench|scripts|console)/' },
    },
    ...Object.entries(keepers).map(([name, keeper]) => ({
      name: `${name.replace('@', '').replace('/', '-')}-has-one-keeper`,
      severity: 'error',
      from: { path: '^src/', pathNot: keeper },
      to: { path: `node_modules/${name}/` },
    })),
    {
      name: 'node-has-few-keepers',
      comment: 'Everything else also runs in browsers and workers.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [
          '^src/cli/',
          '^src/(backend|server)/(.*/|)node[-.]',
          '^src/backend/stores/(postgres|sqlite)/',
          '^src/backend/stores/sql/link-hash\\.ts$',
        ],
      },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'zod-is-mini',
      comment: 'One import of the classic zod costs every player 22 kB.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/zod/', pathNot: 'node_modules/zod/(v4/)?(mini|core)/' },
    },
    {
      name: 'only-declared-dependencies',
      comment: 'tsup bundles what is not a dependency or a peer, without a word.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown', 'unknown'],
        dependencyTypesNot: ['npm-peer', 'npm'],
      },
    },
    { name: 'resolves', severity: 'error', from: { path: '^src/' }, to: { couldNotResolve: true } },
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-drawer-for-odds-and-ends',
      comment:
        'A helper lives beside its one user; needed by two rooms, it moves down under a name that says what it does.',
      severity: 'error',
      from: {},
      to: { path: '^src/(.*/|)(utils?|lib|helpers?|common|shared|types)(/|\\.ts$)' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
};
