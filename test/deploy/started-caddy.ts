import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findCaddy } from '../../scripts/caddy.mjs';
import { freePort } from '../../scripts/postgres.mjs';

export interface StartedCaddy {
  url: string;
  stop(): Promise<void>;
}

/**
 * Starts Caddy on the example before a service, such as `127.0.0.1:4873`. The example is as it is, but for its name, which
 * would ask for a certificate, and where the service is; what it needs to run is in the folder.
 */
export async function startCaddy(folder: string, example: string, upstream: string): Promise<StartedCaddy> {
  const url = `http://127.0.0.1:${await freePort()}`;
  writeFileSync(join(folder, 'started.Caddyfile'), `{\n\tadmin off\n}\n${readFileSync(example, 'utf8')}`);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    SAVEPOINT_SITE: url,
    SAVEPOINT_UPSTREAM: upstream,
  };
  const args = ['run', '--config', join(folder, 'started.Caddyfile'), '--adapter', 'caddyfile'];
  const caddy: ChildProcess = spawn(findCaddy() ?? '', args, { env, stdio: 'ignore' });
  const isOpen = () => fetch(url).then(Boolean, () => false);
  await vi.waitUntil(isOpen, { timeout: 20_000 });
  return {
    url,
    async stop() {
      caddy.kill('SIGKILL');
      if (caddy.exitCode === null && caddy.signalCode === null) await once(caddy, 'exit');
    },
  };
}
