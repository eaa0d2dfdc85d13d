import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** What an outer npm says about its own run would make an inner one work on the wrong package. */
const inherited = /^npm_(config_(package|call|workspaces?|local_prefix|include_workspace_root)|package_|lifecycle_)/i;

/** Runs a program to its end and gives back what it printed; a failure carries all of its output. */
export function run(
  command: string,
  args: string[],
  cwd: string,
  more: { [name: string]: string } = {},
): Promise<string> {
  const own = Object.entries(process.env).filter(([name]) => !inherited.test(name) && name !== 'NODE_ENV');
  const env = { ...Object.fromEntries(own), ...more };
  // npm is a script on Windows, which only a shell can start.
  const child = spawn(command, args, {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const output: string[] = [];
  const errors: string[] = [];
  child.stdout.on('data', (chunk) => output.push(String(chunk)));
  child.stderr.on('data', (chunk) => errors.push(String(chunk)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output.join(''));
      else reject(new Error(`${command} ${args.join(' ')} ended with ${code}:\n${output.join('')}${errors.join('')}`));
    });
  });
}

/** Runs a program with this Node. */
export function runNode(args: string[], cwd: string): Promise<string> {
  return run(process.execPath, args, cwd);
}
