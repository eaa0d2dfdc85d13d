import { existsSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceConfig } from '../../backend/index.js';
import { readBytes } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import { checkNames } from './known-names.js';

const usualNames = ['ts', 'mts', 'mjs', 'js', 'json'].map((ending) => `savepoint.config.${ending}`);

/**
 * The configuration of a file that was named. Its code is run: it is the operator's own. `reading` is 1 and up where
 * the file was read before, and is read as it is now; what it imports is as it was.
 */
export async function loadConfig(file: string, reading = 0): Promise<ServiceConfig> {
  const path = resolve(file);
  const config = extname(path) === '.json' ? await readJson(path) : await importDefault(path, reading);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(
      `${basename(path)} must export a configuration as its default: export default defineConfig({ … })`,
    );
  }
  checkNames(config, basename(path));
  return config;
}

/** The usual file of this folder; null where there is none. */
export function usualConfig(): string | null {
  const [found, another] = usualNames.filter((name) => existsSync(name));
  if (another !== undefined)
    throw new UsageError(`there is ${found} and ${another}: say with --config which one counts`);
  return found ?? null;
}

async function readJson(path: string): Promise<unknown> {
  const text = (await readBytes(path, basename(path))).toString('utf8');
  try {
    return JSON.parse(text);
  } catch {
    // Its message would show some of the file, which may hold keys.
    throw new UsageError(`${basename(path)} is no JSON`);
  }
}

async function importDefault(path: string, reading: number): Promise<unknown> {
  const name = basename(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw new UsageError(`${name}: there is no such file`);
  if (!found.isFile() || !/\.[mc]?[jt]s$/.test(path)) {
    throw new UsageError(`${name}: a configuration is a file whose name ends in .ts, .mts, .mjs, .js or .json`);
  }
  if (/ts$/.test(path) && !readsTypeScript()) {
    throw new UsageError(
      `Node ${process.versions.node} cannot read ${name}: make it savepoint.config.mjs (or .js, .json), or use Node 22.18 or later`,
    );
  }
  // Node keeps what it has loaded: a module of ES by its address, one of CommonJS by its file.
  const { href } = pathToFileURL(path);
  const address = reading === 0 ? href : `${href}?reading=${reading}`;
  delete createRequire(href).cache[realpathSync(path)];
  try {
    const module = (await import(/* @vite-ignore */ address)) as { default?: unknown };
    return await module.default;
  } catch (error) {
    throw new UsageError(`${name} cannot be loaded${whereAndWhy(error, address)}`);
  }
}

/** Such as ` (line 3): broken`. */
function whereAndWhy(error: unknown, href: string): string {
  if (!(error instanceof Error)) return ': it throws what is no Error';
  const { message, stack = '' } = error;
  const at = stack.indexOf(`${href}:`);
  const line = at < 0 ? undefined : /^\d+/.exec(stack.slice(at + href.length + 1))?.[0];
  const missing = /Cannot find package '([^']+)'/.exec(message)?.[1];
  const why = missing === undefined ? message : `it needs the package ${missing}: npm install ${missing}`;
  return `${line === undefined ? '' : ` (line ${line})`}: ${why}`;
}

/** Since 22.18 Node leaves the types out by itself. */
function readsTypeScript(): boolean {
  const { typescript } = process.features as { typescript?: string | false };
  return typeof typescript === 'string';
}
