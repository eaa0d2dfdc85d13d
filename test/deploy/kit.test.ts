import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { describe, expect, it } from 'vitest';
import { usualPort } from '../../src/cli/demo.js';
import { missing } from '../cli/program.js';
import { all, commandOf, environmentOf, readDockerfile } from './dockerfile.js';

const root = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(`deploy/${name}`, root), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: a test asserts what is in it.
const yaml = (text: string): any => parseYaml(text);
const health = new Set(['/health', '/health/live', '/health/ready']);
const stages = readDockerfile(new URL('deploy/Dockerfile', root));
const image = stages.at(-1) ?? { image: '', alias: null, steps: [] };
const compose = yaml(read('compose.yaml'));
const [deployment, service, budget] = read('kubernetes.yaml').split('\n---\n').map(yaml);
const pod = deployment.spec.template.spec;
const [container] = pod.containers;

/** Every variable that the command line reads, with those that name a file in the place of a secret. */
const known = new Set(
  readdirSync(new URL('src/cli', root), { recursive: true })
    .filter((name) => String(name).endsWith('.ts'))
    .flatMap((name) => readFileSync(new URL(`src/cli/${name}`, root), 'utf8').match(/SAVEPOINT_[A-Z_]+/g) ?? [])
    .flatMap((name) => [name, `${name}_FILE`]),
);

/** `10` of `--drain-notice 10`. */
const secondsOf = (args: readonly string[], option: string): number => Number(args[args.indexOf(option) + 1]);
const drainOf = (args: readonly string[]): number =>
  secondsOf(args, '--drain-notice') + secondsOf(args, '--drain-limit');

describe('the Dockerfile', () => {
  it('is made of an image that is pinned, of a Node that the package supports', () => {
    const { engines } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    for (const { image: tag } of stages) {
      const [, major] = /^node:(\d+)-[a-z]+-slim$/.exec(tag) ?? [];
      expect(engines.node).toMatch(new RegExp(`(\\^|>=)${major}\\.`));
    }
  });

  it('runs as a user without rights, says how it is, and holds no secret', () => {
    expect(all(image, 'USER')).toEqual(['node']);
    expect(image.steps.findIndex(({ name }) => name === 'USER')).toBeLessThan(
      image.steps.findIndex(({ name }) => name === 'CMD'),
    );
    expect(all(image, 'HEALTHCHECK').join()).toContain('/health/ready');
    expect(all(image, 'STOPSIGNAL')).toEqual(['SIGTERM']);
    for (const stage of stages) {
      expect([...all(stage, 'ADD'), ...all(stage, 'ARG')]).toEqual([]);
      expect(all(stage, 'ENV').join()).not.toMatch(/KEY|STORE|PASSWORD|SECRET|TOKEN/);
      for (const step of all(stage, 'RUN')) expect(step).not.toMatch(/curl|wget|sudo|apt-get|latest/);
    }
    // Only what the Dockerfile copies is given to the build.
    const ignored = read('.dockerignore')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));
    expect(ignored).toEqual(['*', '!package.json', '!package-lock.json']);
  });

  it('listens on every address, on the usual port, by the command that there is', () => {
    const { SAVEPOINT_HOST, SAVEPOINT_PORT } = environmentOf(image);
    expect([SAVEPOINT_HOST, SAVEPOINT_PORT, all(image, 'EXPOSE')]).toEqual([
      '0.0.0.0',
      String(usualPort),
      [String(usualPort)],
    ]);
    const { bin } = JSON.parse(readFileSync(new URL('package.json', root), 'utf8'));
    const command = commandOf(all(image, 'CMD')[0] ?? '');
    expect(command.slice(0, 3)).toEqual(['node', join('node_modules/savepoint', bin.savepoint), 'serve']);
    expect(drainOf(command)).toBeLessThan(Number.parseInt(compose.services.savepoint.stop_grace_period, 10));
  });
});

describe('the deploy kit', () => {
  it('sets no variable that the command line does not read', () => {
    const set = [
      ...Object.keys(environmentOf(image)),
      ...Object.keys(compose.services.savepoint.environment),
      ...container.env.map(({ name }: { name: string }) => name),
      ...yaml(read('render.yaml')).services[0].envVars.map(({ key }: { key: string }) => key),
      ...[...read('fly.toml').matchAll(/\b(SAVEPOINT_\w+) ?=/g)].map(([, name]) => name),
      ...[...read('savepoint.service').matchAll(/\b(SAVEPOINT_\w+)=/g)].map(([, name]) => name),
    ];
    expect(set.length).toBeGreaterThan(20);
    const others = new Set(['NODE_ENV', 'PORT', 'MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_']);
    expect(set.filter((name) => !known.has(name) && !others.has(name))).toEqual([]);
  });

  it('starts nothing in compose before what it needs, and gives no secret a default', () => {
    const { database, savepoint, caddy } = compose.services;
    expect(savepoint.depends_on.database.condition).toBe('service_healthy');
    expect(caddy.depends_on.savepoint.condition).toBe('service_healthy');
    expect(database.healthcheck.test[0]).toBe('CMD');
    expect([database.ports, savepoint.ports]).toEqual([undefined, undefined]);
    expect(savepoint.environment.SAVEPOINT_TRUSTED_PROXIES).toBe(compose.networks.default.ipam.config[0].subnet);
    expect(caddy.environment.SAVEPOINT_UPSTREAM).toBe(`savepoint:${usualPort}`);
    for (const { image: tag } of [database, caddy]) expect(tag).toMatch(/^[a-z]+:\d+/);
    // `:?` stops where it is not set; `:-` would go on with what everybody knows.
    for (const [used] of read('compose.yaml').matchAll(/\$\{[^}]*\}/g)) expect(used).toContain(':?');
    expect(Object.keys(database.environment).filter((name) => /PASSWORD$/.test(name))).toEqual([]);
    for (const name of ['SAVEPOINT_SITE', 'SAVEPOINT_UPSTREAM']) expect(read('Caddyfile')).toContain(`{$${name}:`);
  });

  it('asks in Kubernetes what there is, and leaves it the time to drain', () => {
    expect([deployment.kind, service.kind, budget.kind]).toEqual(['Deployment', 'Service', 'PodDisruptionBudget']);
    const probes = ['startupProbe', 'readinessProbe', 'livenessProbe'].map((name) => container[name].httpGet);
    expect(probes.map(({ path }) => path)).toEqual(['/health/live', '/health/ready', '/health/live']);
    for (const { path } of probes) expect(health).toContain(path);
    const ports = Object.fromEntries(
      container.ports.map(({ name, containerPort }: { name: string; containerPort: number }) => [name, containerPort]),
    );
    expect(ports['http']).toBe(usualPort);
    expect([...new Set(probes.map(({ port }) => port)), service.spec.ports[0].targetPort]).toEqual(['http', 'http']);
    expect(drainOf(container.args)).toBeLessThan(pod.terminationGracePeriodSeconds);
    // It is seen as not ready before it stops to listen.
    expect(secondsOf(container.args, '--drain-notice')).toBeGreaterThan(container.readinessProbe.periodSeconds);
    expect(container.args.slice(0, 3)).toEqual(commandOf(all(image, 'CMD')[0] ?? '').slice(0, 3));
    expect(budget.spec.minAvailable).toBeLessThan(deployment.spec.replicas);
    const labels = deployment.spec.template.metadata.labels;
    for (const selected of [
      deployment.spec.selector.matchLabels,
      service.spec.selector,
      budget.spec.selector.matchLabels,
    ])
      expect(labels).toMatchObject(selected);
    expect([pod.securityContext.runAsNonRoot, container.securityContext.readOnlyRootFilesystem]).toEqual([true, true]);
    // Secrets come from a Secret, which no file of ours holds.
    expect(read('kubernetes.yaml')).not.toMatch(/^kind: Secret/m);
    expect(pod.volumes[0].secret.secretName).toBe('savepoint');
  });

  it('asks on Fly and Render what there is, at the port that it listens on, and leaves it the time to drain', () => {
    const command = commandOf(all(image, 'CMD')[0] ?? '');
    const fly = read('fly.toml');
    const setTo = (name: string): string | undefined => new RegExp(`^ *${name} = "?([^"\\n]+)"?$`, 'm').exec(fly)?.[1];
    expect([setTo('internal_port'), setTo('path'), setTo('kill_signal')]).toEqual([
      String(usualPort),
      '/health/ready',
      'SIGTERM',
    ]);
    expect(Number(setTo('kill_timeout'))).toBeGreaterThan(drainOf(command));
    const { services, databases } = yaml(read('render.yaml'));
    expect(health).toContain(services[0].healthCheckPath);
    expect(services[0].maxShutdownDelaySeconds).toBeGreaterThan(drainOf(command));
    expect(services[0].envVars[0]).toEqual({ key: 'PORT', value: String(usualPort) });
    expect(services[0].envVars[1].fromDatabase.name).toBe(databases[0].name);
    const secrets = services[0].envVars.filter(({ key }: { key: string }) => /KEY|STORE/.test(key));
    expect(secrets).toHaveLength(5);
    for (const { value, sync, fromDatabase } of secrets) {
      expect(value).toBeUndefined();
      expect(sync === false || fromDatabase !== undefined).toBe(true);
    }
  });
});

describe('who follows the pages', () => {
  const page = readFileSync(new URL('docs/operate/quickstart.md', root), 'utf8');
  const [docker = '', systemd = ''] = page.split('## With systemd');
  /** The names of the files that some variables say. */
  const filesOf = (variables: readonly (readonly [name: string, value: string])[]): string[] =>
    variables.filter(([name]) => name.endsWith('_FILE')).map(([, value]) => value.slice(value.lastIndexOf('/') + 1));
  const keys = ['operator.key', 'private.key', 'sealing.key', 'signing-key.json'];

  it('has each file that compose gives the service', () => {
    const named = filesOf(Object.entries<string>(compose.services.savepoint.environment));
    expect(named.toSorted()).toEqual([...keys, 'store']);
    for (const name of [...named, 'database-password']) expect(docker).toContain(`secrets/${name}`);
    const copied = /deploy\/\{(.+)\} \./.exec(docker)?.[1]?.split(',') ?? [];
    expect(copied).toContain('compose.yaml');
    for (const name of copied) expect(readdirSync(new URL('deploy', root))).toContain(name);
    for (const [, name = ''] of read('compose.yaml').matchAll(/\$\{(\w+):\?/g)) expect(docker).toContain(`${name}=`);
  });

  it('has each file that the unit is told of, and made it before', () => {
    const named = filesOf(
      [...systemd.matchAll(/^(SAVEPOINT_\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]),
    );
    expect(named.toSorted()).toEqual(keys);
    for (const name of named) expect(systemd).toMatch(new RegExp(`new-key \\w+ --out /etc/savepoint/${name}\\n`));
  });

  it('has each file that Kubernetes mounts in the Secret, and each key that Fly and Render need', () => {
    const mounted = filesOf(container.env.map(({ name, value }: { name: string; value: string }) => [name, value]));
    expect(mounted.toSorted()).toEqual([...keys, 'store']);
    const made = [...read('kubernetes.yaml').matchAll(/--from-file=(\S+)/g)].map(([, name]) => name);
    expect(made.toSorted()).toEqual([...keys, 'store']);
    const names = ['OPERATOR_KEY', 'PRIVATE_KEY', 'SEALING_KEY', 'SIGNING_KEY'].map((name) => `SAVEPOINT_${name}`);
    for (const name of names) for (const file of ['fly.toml', 'render.yaml']) expect(read(file)).toContain(name);
  });
});

describe('the unit of systemd', () => {
  const unit = read('savepoint.service');
  const why = missing(['systemd-analyze', ['--version']]);

  it('reloads, drains, and does not start again what is configured wrongly', () => {
    expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID');
    expect(unit).toContain('RestartPreventExitStatus=2');
    const [, command = '', limit = ''] = /ExecStart=(.+)[\s\S]+TimeoutStopSec=(\d+)/.exec(unit) ?? [];
    expect(drainOf(command.split(' '))).toBeLessThan(Number(limit));
    for (const line of ['ProtectSystem=strict', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'User=savepoint'])
      expect(unit.split('\n')).toContain(line);
    // V8 writes code at run time.
    expect(unit).not.toContain('MemoryDenyWriteExecute');
  });

  if (why !== null) console.warn(`The unit is not verified: ${why}.`);
  it.each(why === null ? ['systemd-analyze verify'] : [])('holds before %s', () => {
    const folder = mkdtempSync(join(tmpdir(), 'savepoint-unit-'));
    const file = join(folder, 'savepoint.service');
    // It looks whether the program is there.
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    try {
      expect(execFileSync('systemd-analyze', ['verify', file], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
