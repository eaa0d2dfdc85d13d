// The languages of docs/guides/back-end.md: which programs run them, and what Debian calls these.
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const gson = '/usr/share/java/gson.jar';
const jsonNet = '/usr/lib/cli/Newtonsoft.Json-5.0/Newtonsoft.Json.dll';

/**
 * `fence` is the language of the page's block, `file` what it is written to, and `commands` run it in that folder, one after the
 * other. `files` are libraries that have to be there besides, and `programs` other programs.
 *
 * @typedef {{ title: string, fence: string, file: string, commands: string[][], packages: string[], files?: string[], programs?: string[] }} Language
 * @type {readonly Language[]}
 */
export const languages = [
  {
    title: 'Python',
    fence: 'python',
    file: 'back_end.py',
    commands: [['python3', 'back_end.py']],
    packages: ['python3'],
  },
  { title: 'PHP', fence: 'php', file: 'back-end.php', commands: [['php', 'back-end.php']], packages: ['php-cli'] },
  { title: 'Go', fence: 'go', file: 'main.go', commands: [['go', 'run', 'main.go']], packages: ['golang-go'] },
  {
    title: 'Java',
    fence: 'java',
    file: 'BackEnd.java',
    commands: [['java', '-cp', gson, 'BackEnd.java']],
    files: [gson],
    // The compiler, without which `java` does not start a source file.
    programs: ['javac'],
    packages: ['default-jdk-headless', 'libgoogle-gson-java'],
  },
  {
    title: 'C#',
    fence: 'csharp',
    file: 'BackEnd.cs',
    commands: [
      ['mcs', '-langversion:latest', '-r:System.Net.Http.dll', `-r:${jsonNet}`, 'BackEnd.cs'],
      ['mono', 'BackEnd.exe'],
    ],
    files: [jsonNet],
    packages: ['mono-mcs', 'mono-runtime', 'libnewtonsoft-json5.0-cil', 'libmono-system-net-http4.0-cil'],
  },
  { title: 'Ruby', fence: 'ruby', file: 'back_end.rb', commands: [['ruby', 'back_end.rb']], packages: ['ruby'] },
];

/**
 * Whether this machine has all that a language's program needs.
 *
 * @param {Language} language
 */
export function isOnThisMachine({ commands, files = [], programs = [] }) {
  const needed = [...commands.map(([program]) => program), ...programs];
  return needed.every(isInPath) && files.every((file) => existsSync(file));
}

function isInPath(program) {
  return (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, program)));
}
