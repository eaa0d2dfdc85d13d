import { fileURLToPath } from 'node:url';
import { type BuildOptions, build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What a page loads of the client. */
export async function clientBundle(options: BuildOptions): Promise<{ code: string; warnings: unknown[] }> {
  const { outputFiles, warnings } = await build({
    absWorkingDir: root,
    entryPoints: ['src/index.ts'],
    bundle: true,
    format: 'esm',
    platform: 'browser',
    legalComments: 'none',
    logLevel: 'silent',
    write: false,
    ...options,
  });
  return { code: outputFiles?.[0]?.text ?? '', warnings };
}
