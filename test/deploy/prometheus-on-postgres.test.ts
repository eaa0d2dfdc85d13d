import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort, type OwnPostgres } from '../../scripts/postgres.mjs';
import { findPrometheus } from '../../scripts/prometheus.mjs';
import { runCommand } from '../cli/in-process.js';
import { bundleProgram, type Program, start, untilSaid } from '../cli/program.js';
import { describeOnOwnPostgres } from '../support/on-postgres.js';

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const programs = findPrometheus() ?? { prometheus: '', promtool: '' };
const monitoring = file('deploy/monitoring');

describeOnOwnPostgres('the alerts, on a real Prometheus', (make) => {
  let folder: string;
  let postgres: OwnPostgres;
  let program: Program;
  let prometheus: ChildProcess;
  let url: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'savepoint-prometheus-'));
    const [built, signingKey] = await Promise.all([bundleProgram(), runCommand(['new-key', 'signing'])]);
    postgres = await make();
    program = start(built, ['serve', '--port', '0', '--metrics-port', '0'], {
      env: {
        SAVEPOINT_GAME_ID: '3fa85f64-5717-4562-b3fc-2c963f66afa6',
        SAVEPOINT_PRIVATE_KEY: 'a-private-key',
        SAVEPOINT_SIGNING_KEY: signingKey.out,
        SAVEPOINT_STORE: postgres.url,
      },
    });
    await untilSaid(program, '"listening"');
    const { host } = new URL(JSON.parse(program.stdout()).metrics);
    // The files as they are, but with seconds in the place of minutes.
    const config = readFileSync(join(monitoring, 'prometheus.yml'), 'utf8');
    writeFileSync(join(folder, 'prometheus.yml'), config.replaceAll('15s', '1s').replace('127.0.0.1:9464', host));
    const rules = readFileSync(join(monitoring, 'alerts.yml'), 'utf8');
    writeFileSync(join(folder, 'alerts.yml'), rules.replaceAll(/for: \d+m/g, 'for: 2s'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    prometheus = spawn(
      programs.prometheus,
      ['--config.file=prometheus.yml', '--storage.tsdb.path=data', `--web.listen-address=127.0.0.1:${port}`],
      { cwd: folder, stdio: 'ignore' },
    );
  });
  afterAll(async () => {
    prometheus.kill('SIGKILL');
    if (prometheus.exitCode === null && prometheus.signalCode === null) await once(prometheus, 'exit');
    program.child.kill('SIGKILL');
    await program.ended;
    postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The alerts that fire; null where Prometheus does not answer yet. */
  const firing = async (): Promise<string[] | null> => {
    const response = await fetch(`${url}/api/v1/alerts`).catch(() => null);
    if (response === null || !response.ok) return null;
    const { alerts } = (await response.json()).data;
    const found = alerts.filter(({ state }: { state: string }) => state === 'firing');
    return found.map(({ labels }: { labels: { alertname: string } }) => labels.alertname);
  };
  const answerTo = async (query: string): Promise<string | undefined> => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`).catch(() => null);
    return response === null ? undefined : (await response.json()).data?.result?.[0]?.value[1];
  };
  const soon = { timeout: 60_000, interval: 250 };

  it('are written as Prometheus wants them, and fire as their tests say', () => {
    const tool = (...args: string[]) => execFileSync(programs.promtool, args, { cwd: monitoring, encoding: 'utf8' });
    const rules = readFileSync(join(monitoring, 'alerts.yml'), 'utf8').match(/- alert: /g) ?? [];
    expect(tool('check', 'config', 'prometheus.yml')).toContain(`${rules.length} rules found`);
    const tests = mkdtempSync(join(folder, 'tests-'));
    copyFileSync(join(monitoring, 'alerts.yml'), join(tests, 'alerts.yml'));
    copyFileSync(file('test/deploy/alerts.promtool.yml'), join(tests, 'tests.yml'));
    expect(tool('test', 'rules', join(tests, 'tests.yml'))).toContain('SUCCESS');
  });

  it('say that the database is gone, and stop once it is back', async () => {
    await expect.poll(() => answerTo('savepoint_store_up{access="writes"}'), soon).toBe('1');
    expect(await firing()).toEqual([]);
    postgres.stop();
    await expect.poll(firing, soon).toContain('SavepointStoreDown');
    expect(await answerTo('savepoint_store_up{access="reads"}')).toBe('0');
    postgres.start();
    await expect.poll(firing, soon).toEqual([]);
  });

  it('have beside them a dashboard that asks what Prometheus understands', async () => {
    const { panels } = JSON.parse(readFileSync(join(monitoring, 'grafana.json'), 'utf8'));
    const asked = panels
      .flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets)
      .map(({ expr }: { expr: string }) => expr.replaceAll('$job', 'savepoint').replaceAll('$__rate_interval', '1m'));
    expect(asked.length).toBeGreaterThan(20);
    for (const query of asked) {
      const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(query)}`);
      expect(await response.json(), query).toMatchObject({ status: 'success' });
    }
  });

  it('say that the process is gone', async () => {
    program.child.kill('SIGKILL');
    await expect.poll(firing, soon).toContain('SavepointDown');
  });
});
