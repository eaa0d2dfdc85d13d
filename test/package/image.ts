import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { all, commandOf, environmentOf, readDockerfile, type Stage } from '../deploy/dockerfile.js';
import { run } from './run.js';

type Environment = { [name: string]: string };

/** What `docker build` makes, in folders in the place of images. */
export interface Image {
  /** Where its programs run. */
  app: string;
  /** The variables that it sets. */
  environment: Environment;
  /** What it runs: a program, and what that is given. */
  command: [program: string, ...args: string[]];
  /** The exit code of its health check. */
  checkHealth(env: Environment): Promise<number>;
}

/**
 * Does what `docker build` would with a Dockerfile in a folder: what a step needs and nobody copied is not there. A stage's
 * root is `stage-<n>` below `base`.
 */
export async function buildImage(base: string, context: string, dockerfile: string): Promise<Image> {
  const stages = readDockerfile(dockerfile);
  const rootOf = (index: number): string => join(base, `stage-${index}`);

  function copy(rest: string, folder: string): void {
    const parts = rest.split(' ');
    const [, from] = /^--from=(.+)$/.exec(parts[0] ?? '') ?? [];
    const sources = parts.slice(from === undefined ? 0 : 1, -1);
    const to = join(folder, parts.at(-1) ?? '');
    for (const source of sources) {
      if (from !== undefined)
        cpSync(join(rootOf(stages.findIndex(({ alias }) => alias === from)), source), to, { recursive: true });
      else copyFileSync(join(context, source), join(to, basename(source)));
    }
  }

  for (const [index, stage] of stages.entries()) {
    let folder = rootOf(index);
    for (const { name, rest } of stage.steps) {
      if (name === 'WORKDIR') folder = join(rootOf(index), rest);
      mkdirSync(folder, { recursive: true });
      if (name === 'COPY') copy(rest, folder);
      if (name === 'RUN') await run('sh', ['-c', `${rest} --prefer-offline`], folder);
    }
  }
  const image = stages.at(-1) as Stage;
  const app = join(rootOf(stages.length - 1), 'app');
  const [program = '', ...args] = commandOf(all(image, 'CMD')[0] ?? '');
  return {
    app,
    environment: environmentOf(image),
    command: [program, ...args],
    async checkHealth(env) {
      const [check = '', ...given] = commandOf(all(image, 'HEALTHCHECK')[0] ?? '');
      return promisify(execFile)(check, given, { cwd: app, env }).then(
        () => 0,
        ({ code }: { code: number }) => code,
      );
    },
  };
}
