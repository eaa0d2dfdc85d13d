import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findClientGenerators } from '../../scripts/client-generators.mjs';
import { openApiText } from '../../src/backend/openapi/document.js';
import { cacheFolder } from '../support/cache-folder.js';
import { createTestService, type TestService } from '../support/service.js';

const programs = ['openapi-fetch', 'hey-api'];
const written = fileURLToPath(new URL('../generated-clients/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));
const generators = join(findClientGenerators() ?? '', 'node_modules');
/** Below them, so that what they make finds what it needs. */
const folder = cacheFolder('client-generators/run');

async function node(program: string, ...args: string[]): Promise<void> {
  const ended = promisify(execFile)(process.execPath, [program, ...args], { cwd: folder });
  await ended.catch(({ stdout, stderr }) => {
    throw new Error(`${stdout}${stderr}`);
  });
}

interface Played {
  userId: string;
  version: number;
  refusal: number;
  coins: number;
  methods: string[];
}

describe('a client that a public generator makes of the OpenAPI document', () => {
  let service: TestService;
  let port: ServedBackend;

  beforeAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(folder, 'generated'), { recursive: true });
    cpSync(written, folder, { recursive: true });
    writeFileSync(join(folder, 'openapi.json'), openApiText());
    service = createTestService();
    port = await serve(service.backend, { port: 0 });
    const typescript = join(generators, 'openapi-typescript', 'bin', 'cli.js');
    const heyApi = join(generators, '@hey-api', 'openapi-ts', 'bin', 'run.js');
    await Promise.all([
      node(typescript, 'openapi.json', '--output', 'generated/openapi-typescript.ts'),
      node(heyApi, '--input', 'openapi.json', '--output', 'generated/hey-api', '--no-log-file'),
    ]);
  });
  afterAll(async () => {
    await port.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is compiled with all that uses it, strictly', { timeout: 60_000 }, async () => {
    await node(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', 'tsconfig.json');
  });

  it.each(programs)('is used without a cast: %s', (name) => {
    const text = readFileSync(join(written, `${name}.ts`), 'utf8').replace(/\/\/.*|\/\*[\s\S]*?\*\//g, '');
    expect(text).not.toMatch(/\bas\b|\bany\b|<any>|!\.|!\[|!;|@ts-ignore/);
  });

  it.each(programs)('signs a guest in, writes and reads on a real port: %s', async (name) => {
    const bundle = join(folder, `${name}.mjs`);
    await build({
      entryPoints: [join(folder, `${name}.ts`)],
      outfile: bundle,
      bundle: true,
      format: 'esm',
      platform: 'node',
      logLevel: 'silent',
    });
    const { play }: { play(baseUrl: string, game: string): Promise<Played> } = await import(
      /* @vite-ignore */ pathToFileURL(bundle).href
    );
    const { userId, ...rest } = await play(port.url, service.gameId);
    expect(userId).toMatch(/^[\da-f-]{36}$/);
    expect(rest).toEqual({ version: 0, refusal: 0, coins: 7, methods: ['device'] });
  });
});
