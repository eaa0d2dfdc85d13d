import { existsSync } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ServiceConfig } from '../../backend/index.js';
import { readBytes } from '../secrets.js';
import { UsageError } from '../usage-error.js';
import { checkNames } from './known-names.js';

const usualNames = ['ts', 'mts', 'mjs', 'js', 'json'].map((ending) => `savepoint.config.${ending}`);

/** The configuration of a file that was named. Its code is run: it is the operator's own. */
export async function loadConfig(file: string): Promise<ServiceConfig> {
  const path = resolve(file);
  const config = extname(path) === '.json' ? await readJson(path) : await importDefault(path);
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

async function importDefault(path: string): Promise<unknown> {
  const name = basename(path);
  if (!existsSync(path)) throw new UsageError(`${name}: there is no such file`);
  if (/\.[mc]?ts$/.test(path) && !readsTypeScript()) {
    throw new UsageError(
      `Node ${process.versions.node} cannot read ${name}: make it savepoint.config.mjs (or .js, .json), or use Node 22.18 or later`,
    );
  }
  try {
    const module = (await import(/* @vite-ignore */ pathToFileURL(path).href)) as { default?: unknown };
    return module.default;
  } catch (error) {
    throw new UsageError(`${name} cannot be loaded: ${error instanceof Error ? error.message : 'it failed'}`);
  }
}

/** Since 22.18 Node leaves the types out by itself. */
function readsTypeScript(): boolean {
  const { typescript } = process.features as { typescript?: string | false };
  return typeof typescript === 'string';
}
