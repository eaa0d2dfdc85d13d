import { basename, relative, resolve, sep } from 'node:path';
import { readArguments } from '../arguments.js';
import type { ExitCode, Io } from '../io.js';
import { nearest } from '../nearest.js';
import { UsageError } from '../usage-error.js';
import { makeFolder } from './new-folder.js';
import { nearName, problemOfName } from './package-name.js';
import {
  filesOf,
  isTemplate,
  packagesOf,
  type TemplateName,
  templateNames,
  templates,
  usualTemplate,
} from './templates.js';

const usualFolder = 'my-game';

/**
 * `savepoint init`: a folder with a small game that has accounts, saves and the conflict, with a test
 * and one command to run it.
 */
export async function init(args: readonly string[], io: Io): Promise<ExitCode> {
  const { values, positional } = readArguments({ command: 'init', takes: 'a folder', isOptional: true }, args, {
    template: { type: 'string' },
  });
  // What is wrong is said before anything is asked.
  const given = values.template === undefined ? null : templateNamed(values.template);
  const folder = positional === '' ? await askFolder(io) : positional;
  const path = checkPlace(folder);
  const template = given ?? (await askTemplate(io));
  const { templatesFolder, version } = io;
  const name = checkName(basename(path), await packagesOf(template, templatesFolder));
  const files = await filesOf(template, { folder: templatesFolder, name, version });
  await makeFolder(path, files, { shown: JSON.stringify(folder), stop: io.stop });
  io.out(nextSteps(path, template, packageManager(io)));
  return 0;
}

async function askFolder({ ask }: Io): Promise<string> {
  if (ask === undefined) throw new UsageError('init needs a folder, such as: savepoint init my-game');
  return (await ask(`The new folder's name (${usualFolder}): `)).trim() || usualFolder;
}

async function askTemplate({ ask, out }: Io): Promise<TemplateName> {
  if (ask === undefined) return usualTemplate;
  const width = Math.max(...templateNames.map((name) => name.length));
  out(templateNames.map((name) => `  ${name.padEnd(width)}  ${templates[name]}\n`).join(''));
  for (;;) {
    const answer = (await ask(`What is it written with (${usualTemplate}): `)).trim().toLowerCase() || usualTemplate;
    if (isTemplate(answer)) return answer;
    out(`  One of these: ${templateNames.join(', ')}\n`);
  }
}

function templateNamed(name: string): TemplateName {
  if (isTemplate(name)) return name;
  const meant = nearest(name, templateNames);
  const problem = `--template must be ${templateNames.slice(0, -1).join(', ')} or ${templateNames.at(-1)}`;
  throw new UsageError(meant === null ? problem : `${problem}; did you mean ${meant}?`);
}

/** The path of the new folder. The folder that somebody is in cannot be a new one, nor can those that it is in. */
function checkPlace(folder: string): string {
  if (folder.includes('\0')) throw new UsageError('the name of the folder has a character that no name can have');
  const path = resolve(folder);
  if (!`${resolve('.')}${sep}`.startsWith(path.endsWith(sep) ? path : path + sep)) return path;
  throw new UsageError('init makes a new folder: give its name, such as: savepoint init my-game');
}

function checkName(name: string, needed: readonly string[]): string {
  const problem = problemOfName(name, needed);
  if (problem === null) return name;
  const near = nearName(name, needed);
  throw new UsageError(`${JSON.stringify(name)} ${problem}${near === null ? '' : `; such as: ${near}`}`);
}

/** The one that runs this, by what it says of itself. */
function packageManager({ env }: Io): string {
  const [, name = 'npm'] = /^(npm|pnpm|yarn|bun)\//.exec(env['npm_config_user_agent'] ?? '') ?? [];
  return name;
}

function nextSteps(path: string, template: TemplateName, manager: string): string {
  const way = relative('.', path);
  return `
  ${basename(path)} is ready: a small game with ${templates[template]}. Next:

    cd ${/^[\w./\\:-]+$/.test(way) ? way : JSON.stringify(way)}
    ${manager} install
    ${manager} run dev

`;
}
