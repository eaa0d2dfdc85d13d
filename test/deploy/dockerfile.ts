import { readFileSync } from 'node:fs';

/** One step of a Dockerfile, such as `COPY` and what stands behind it. */
export interface Step {
  name: string;
  rest: string;
}

/** One `FROM` with its steps. */
export interface Stage {
  image: string;
  alias: string | null;
  steps: Step[];
}

/** Reads a Dockerfile that has no continued lines, no heredoc and no flags of the parser: ours. */
export function readDockerfile(path: string | URL): Stage[] {
  const stages: Stage[] = [];
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.trim() === '' || line.startsWith('#')) continue;
    const [, name, rest] = /^([A-Z]+) (.+[^\\])$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) throw new Error(`This line cannot be read: ${line}`);
    if (name !== 'FROM') stages.at(-1)?.steps.push({ name, rest });
    else {
      const [image = '', , alias = null] = rest.split(' ');
      stages.push({ image, alias, steps: [] });
    }
  }
  return stages;
}

/** What stands behind each step of a name, in the order of the file. */
export function all({ steps }: Stage, name: string): string[] {
  return steps.filter((step) => step.name === name).map(({ rest }) => rest);
}

/** The variables that a stage sets. */
export function environmentOf(stage: Stage): { [name: string]: string } {
  return Object.fromEntries(
    all(stage, 'ENV').flatMap((rest) => rest.split(' ').map((pair) => pair.split('=', 2) as [string, string])),
  );
}

/** The command of `CMD [...]`, also where other things stand before it. */
export function commandOf(rest: string): string[] {
  return JSON.parse(rest.slice(rest.indexOf('CMD [') < 0 ? 0 : rest.indexOf('CMD [') + 4)) as string[];
}
