import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const config = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  forbidden: IForbiddenRuleType[];
  options: ICruiseOptions;
};

/** One forbidden import each: the rule that has to catch it, the file it is planted in, and what is imported there. */
const plants = [
  ['elements-imports-down', 'src/elements/plant-backend.ts', '../backend/plant-end.js'],
  ['elements-imports-down', 'src/elements/plant-http.ts', '../http/sender.js'],
  ['client-imports-down', 'src/client/plant-backend.ts', '../backend/plant-end.js'],
  ['client-imports-down', 'src/client/plant-server.ts', '../server/plant-end.js'],
  ['client-imports-down', 'src/client/plant-cli.ts', '../cli/plant-end.js'],
  ['client-imports-down', 'src/client/plant-index.ts', '../index.js'],
  ['server-imports-down', 'src/server/plant-client.ts', '../client/plant-end.js'],
  ['server-imports-down', 'src/server/plant-backend.ts', '../backend/plant-end.js'],
  ['backend-imports-down', 'src/backend/plant-client.ts', '../client/plant-end.js'],
  ['backend-imports-down', 'src/backend/plant-server.ts', '../server/plant-end.js'],
  ['backend-imports-down', 'src/backend/plant-merge.ts', '../merge/plant-end.js'],
  ['cli-imports-down', 'src/cli/plant-client.ts', '../client/plant-end.js'],
  ['cli-imports-down', 'src/cli/plant-http.ts', '../http/sender.js'],
  ['react-imports-down', 'src/react/plant-client.ts', '../client/plant-end.js'],
  ['react-imports-down', 'src/react/plant-vue.ts', '../vue/index.js'],
  ['svelte-imports-down', 'src/svelte/plant-client.ts', '../client/plant-end.js'],
  ['vue-imports-down', 'src/vue/plant-client.ts', '../client/plant-end.js'],
  ['bindings-imports-down', 'src/bindings/plant-client.ts', '../client/plant-end.js'],
  ['http-imports-down', 'src/http/plant-client.ts', '../client/plant-end.js'],
  ['http-imports-down', 'src/http/plant-merge.ts', '../merge/plant-end.js'],
  ['merge-imports-down', 'src/merge/plant-http.ts', '../http/sender.js'],
  ['errors-imports-down', 'src/errors.ts', './http/sender.js'],
  ['protocol-imports-down', 'src/protocol/plant-errors.ts', '../errors.js'],
  ['protocol-imports-down', 'src/protocol/plant-http.ts', '../http/sender.js'],
  ['index-imports-down', 'src/index.ts', './server/plant-end.js'],
  ['index-imports-down', 'src/index.ts', './backend/plant-end.js'],
  ['every-file-is-in-a-room', 'src/client/plant-room.ts', '../parlour/plant-end.js'],
  ['src-stands-alone', 'src/client/plant-test.ts', '../../test/plant-end.js'],
  ['msw-has-one-keeper', 'src/backend/plant-msw.ts', 'msw'],
  ['msw-has-one-keeper', 'src/client/plant-msw.ts', 'msw/browser'],
  ['hono-has-one-keeper', 'src/client/plant-hono.ts', 'hono'],
  ['hono-has-one-keeper', 'src/protocol/plant-hono.ts', 'hono/utils/jwt'],
  ['hono-node-server-has-one-keeper', 'src/backend/plant-port.ts', '@hono/node-server'],
  ['jose-has-one-keeper', 'src/client/plant-jose.ts', 'jose'],
  ['jose-has-one-keeper', 'src/http/plant-jose.ts', 'jose'],
  ['pg-has-one-keeper', 'src/backend/postgres.ts', 'pg'],
  ['better-sqlite3-has-one-keeper', 'src/backend/stores/plant-sqlite.ts', 'better-sqlite3'],
  ['ky-has-one-keeper', 'src/client/plant-ky.ts', 'ky'],
  ['ky-has-one-keeper', 'src/backend/plant-ky.ts', 'ky'],
  ['eventemitter3-has-one-keeper', 'src/client/session/plant-emitter.ts', 'eventemitter3'],
  ['eventemitter3-has-one-keeper', 'src/backend/plant-emitter.ts', 'eventemitter3'],
  ['uuid-has-one-keeper', 'src/client/plant-uuid.ts', 'uuid'],
  ['uuid-has-one-keeper', 'src/backend/plant-uuid.ts', 'uuid'],
  ['zod-has-one-keeper', 'src/client/plant-mini.ts', 'zod/mini'],
  ['zod-has-one-keeper', 'src/server/plant-mini.ts', 'zod/mini'],
  ['opentelemetry-api-has-one-keeper', 'src/backend/plant-traces.ts', '@opentelemetry/api'],
  ['prom-client-has-one-keeper', 'src/cli/serve/plant-metrics.ts', 'prom-client'],
  ['react-has-one-keeper', 'src/bindings/plant-react.ts', 'react'],
  ['svelte-has-one-keeper', 'src/bindings/plant-svelte.ts', 'svelte'],
  ['vue-has-one-keeper', 'src/bindings/plant-vue.ts', 'vue'],
  ['node-has-few-keepers', 'src/client/plant-node.ts', 'node:fs'],
  ['node-has-few-keepers', 'src/protocol/plant-node.ts', 'node:crypto'],
  ['node-has-few-keepers', 'src/http/plant-node.ts', 'fs'],
  ['node-has-few-keepers', 'src/backend/plant-node.ts', 'node:crypto'],
  ['node-has-few-keepers', 'src/backend/msw-plant.ts', 'node:http'],
  ['node-has-few-keepers', 'src/server/plant-node.ts', 'node:crypto'],
  ['node-has-few-keepers', 'src/client/node-plant.ts', 'node:fs'],
  ['error-guide-imports-down', 'src/error-guide.ts', './client/plant-end.js'],
  ['zod-is-mini', 'src/client/plant-zod.ts', 'zod'],
  ['zod-is-mini', 'src/protocol/plant-zod.ts', 'zod'],
  ['zod-is-mini', 'src/backend/plant-zod.ts', 'zod/v3'],
  ['zod-is-mini', 'src/protocol/plant-locales.ts', 'zod/locales'],
  ['only-declared-dependencies', 'src/backend/plant-dev.ts', 'fast-check'],
  ['resolves', 'src/client/plant-missing.ts', './no-such-file.js'],
  ['no-cycles', 'src/client/plant-cycle-back.ts', './plant-cycle.js'],
  ['no-drawer-for-odds-and-ends', 'src/client/plant-drawer.ts', './utils/plant-end.js'],
  ['no-drawer-for-odds-and-ends', 'src/http/plant-drawer.ts', './helpers.js'],
] as const;

/** What the planted imports lead to. */
const ends = [
  'src/client/plant-end.ts',
  'src/server/plant-end.ts',
  'src/backend/plant-end.ts',
  'src/cli/plant-end.ts',
  'src/merge/plant-end.ts',
  'src/parlour/plant-end.ts',
  'src/client/utils/plant-end.ts',
  'src/http/helpers.ts',
  'test/plant-end.ts',
];

async function violations(baseDir: string): Promise<string[]> {
  const { output } = await cruise(['src'], {
    ...config.options,
    ruleSet: { forbidden: config.forbidden },
    validate: true,
    baseDir,
  });
  return (output as ICruiseResult).summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
}

it('src imports downwards only', { timeout: 60_000 }, async () => {
  expect(await violations(root)).toEqual([]);
});

describe('a forbidden import is caught', () => {
  let copy: string;
  let found: string[];

  beforeAll(async () => {
    copy = mkdtempSync(join(tmpdir(), 'savepoint-imports-'));
    for (const part of ['src', 'package.json', 'tsconfig.json']) {
      cpSync(join(root, part), join(copy, part), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
    for (const end of ends) plant(end, 'export const end = 1;\n');
    plant('src/client/plant-cycle.ts', "import './plant-cycle-back.js';\n");
    for (const [, file, target] of plants) plant(file, `import '${target}';\n`);
    found = await violations(copy);
  }, 120_000);

  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  function plant(file: string, line: string): void {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    writeFileSync(join(copy, file), line, { flag: 'a' });
  }

  it.each(plants)('%s: %s may not import %s', (rule, file) => {
    const caught = found.filter((violation) => violation.startsWith(`${rule}: ${file} -> `));
    expect(caught).not.toEqual([]);
  });

  it('every rule has a plant', () => {
    const planted = new Set<string>(plants.map(([rule]) => rule));
    expect(config.forbidden.map(({ name }) => name).filter((name) => !planted.has(name ?? ''))).toEqual([]);
  });
});
