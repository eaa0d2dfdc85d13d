import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeBlocks } from '../support/markdown.js';
import { repository, run } from './run.js';

/** The blocks for a shell in a part of the quick start, by its heading. */
export function blocksOf(heading: string): string[] {
  const page = readFileSync(join(repository, 'docs/operate/quickstart.md'), 'utf8');
  const part = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return codeBlocks(part, 'sh');
}

/** A block in two: what comes before the line that begins so, and what comes behind it. */
export function splitAt(block: string, line: string): [before: string, behind: string] {
  const lines = block.split('\n');
  const at = lines.findIndex((one) => one.startsWith(line));
  if (at < 0) throw new Error(`There is no line "${line}" in the block.`);
  return [lines.slice(0, at).join('\n'), lines.slice(at + 1).join('\n')];
}

/**
 * What stands in the place of programs that change the machine, or ask a registry for savepoint. `npm install savepoint`
 * takes the packed one, in the versions that are here already; everything belongs to whoever runs the test.
 */
const stands = (tarball: string, versions: { [name: string]: string }): { [program: string]: string } => ({
  sudo: 'exec "$@"',
  chown: 'exit 0',
  useradd: 'exit 0',
  install: `args=()
    while [ $# -gt 0 ]; do case $1 in -o | -g) shift 2 ;; *) args+=("$1"); shift ;; esac; done
    exec /usr/bin/install "\${args[@]}"`,
  npm: `args=()
    for one in "$@"; do
      case $one in
        savepoint) args+=("${tarball}") ;;
        ${Object.entries(versions)
          .map(([name, version]) => `${name}) args+=("${name}@${version}") ;;`)
          .join('\n        ')}
        *) args+=("$one") ;;
      esac
    done
    PATH=\${PATH#*:}
    exec npm "\${args[@]}" $([ "$1" = install ] && echo --prefer-offline --no-audit --no-fund --ignore-scripts)`,
  journalctl: 'tail -n 5 "$JOURNAL"',
});

/** A shell that carries out the commands of the guide, with stands in the place of what would change the machine. */
export function createShell(base: string, packed: string) {
  const tarball = join(base, 'savepoint.tgz');
  copyFileSync(packed, tarball);
  const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
  const versions = Object.fromEntries(['pg', 'prom-client'].map((name) => [name, devDependencies[name]]));
  const bin = join(base, 'bin');
  mkdirSync(bin);
  for (const [program, does] of Object.entries(stands(tarball, versions))) {
    writeFileSync(join(bin, program), `#!/usr/bin/env bash\n${does}\n`);
    chmodSync(join(bin, program), 0o755);
  }
  const PATH = `${bin}:${process.env['PATH'] ?? ''}`;
  return (commands: string, cwd: string, env: { [name: string]: string } = {}): Promise<string> =>
    run('bash', ['-euo', 'pipefail', '-c', commands], cwd, { PATH, ...env });
}
