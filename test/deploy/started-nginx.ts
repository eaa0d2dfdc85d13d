import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { findNginx } from '../../scripts/nginx.mjs';
import { freePort } from '../../scripts/postgres.mjs';

export interface StartedNginx {
  plainPort: number;
  tlsPort: number;
  /** The file of its certificate, which is of saves.example.com and of this machine's address. */
  certificate: string;
  stop(): Promise<void>;
}

/**
 * Starts nginx on the example before a service, such as `127.0.0.1:4873`. The example is as it is, but for its ports, its
 * certificate and where the service is; what it needs to run is in the folder.
 */
export async function startNginx(folder: string, example: string, upstream: string): Promise<StartedNginx> {
  const [plainPort, tlsPort] = await Promise.all([freePort(), freePort()]);
  const subject = ['-subj', '/CN=saves.example.com', '-addext', 'subjectAltName=DNS:saves.example.com,IP:127.0.0.1'];
  const files = ['-days', '2', '-keyout', 'key.pem', '-out', 'cert.pem'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files], {
    cwd: folder,
    stdio: 'ignore',
  });
  const site = readFileSync(example, 'utf8')
    .replaceAll(/listen (\[::\]:)?(80|443)( ssl http2)?;/g, (_, six, port, tls = '') =>
      six ? '' : `listen 127.0.0.1:${port === '80' ? plainPort : tlsPort}${tls};`,
    )
    .replaceAll(/\/etc\/letsencrypt\/live\/saves\.example\.com\/(\w+)\.pem/g, (_, pem) =>
      join(folder, pem === 'privkey' ? 'key.pem' : 'cert.pem'),
    )
    .replace('127.0.0.1:4873', upstream);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (one) => `${one}_temp_path ${folder}/${one};`,
  );
  // Its workers keep large bodies in that folder, which is this user's alone.
  const user = process.getuid?.() === 0 ? 'user root; ' : '';
  const main = `${user}daemon off; pid ${folder}/nginx.pid; error_log ${folder}/error.log; events {}
    http { access_log off; ${temporary.join(' ')}\n${site}\n}`;
  writeFileSync(join(folder, 'nginx.conf'), main);
  const program = findNginx() ?? '';
  const args = ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')];
  execFileSync(program, ['-t', ...args], { stdio: 'pipe' });
  const nginx: ChildProcess = spawn(program, args, { stdio: 'ignore' });
  const isOpen = () => fetch(`http://127.0.0.1:${plainPort}`, { redirect: 'manual' }).then(Boolean, () => false);
  await vi.waitUntil(isOpen, { timeout: 20_000 });
  return {
    plainPort,
    tlsPort,
    certificate: join(folder, 'cert.pem'),
    async stop() {
      nginx.kill('SIGTERM');
      if (nginx.exitCode === null && nginx.signalCode === null) await once(nginx, 'exit');
    },
  };
}
