import { readFileSync } from 'node:fs';
import { parseYaml } from '@redocly/openapi-core';
import { all, commandOf, environmentOf, readDockerfile } from './dockerfile.js';

const read = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: it is whatever the file says.
const yaml = (text: string): any => parseYaml(text);

/** How a platform is told to run the service, as its file says it. */
export interface Manifest {
  /** The program and what it is given. */
  command: string[];
  /** The variables that the container has: those of the image, and those of the file. */
  env: { [name: string]: string };
  /** The variables that the file leaves to whoever deploys it. */
  given: string[];
  /** The folder where secrets are files, and their names; null where they are variables. */
  secrets: { folder: string; files: string[] } | null;
  /** The port that is asked. */
  port: number;
  /** What is asked of a service that is well, each once. */
  probes: string[];
  /** What is asked to know whether it takes players. */
  readiness: string;
  /** How long it has to end, in s. */
  graceSeconds: number;
}

const image = readDockerfile(new URL('../../deploy/Dockerfile', import.meta.url)).at(-1);
if (image === undefined) throw new Error('The Dockerfile has no stage.');
const imageEnvironment = environmentOf(image);
const imageCommand = commandOf(all(image, 'CMD')[0] ?? '');

export function kubernetes(): Manifest {
  const text = read('kubernetes.yaml');
  const [{ spec }] = text.split('\n---\n').map(yaml);
  const pod = spec.template.spec;
  const [{ args, env, ports, volumeMounts, ...container }] = pod.containers;
  const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe].map(
    ({ httpGet }) => httpGet,
  );
  const [{ port }] = probes;
  return {
    command: args,
    env: {
      ...imageEnvironment,
      ...Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value])),
    },
    given: [],
    secrets: {
      folder: volumeMounts[0].mountPath,
      files: [...text.matchAll(/--from-file=(\S+)/g)].map(([, name = '']) => name),
    },
    port: ports.find(({ name }: { name: string }) => name === port).containerPort,
    probes: [...new Set<string>(probes.map(({ path }) => path))],
    readiness: container.readinessProbe.httpGet.path,
    graceSeconds: pod.terminationGracePeriodSeconds,
  };
}

export function fly(): Manifest {
  const text = read('fly.toml');
  const setTo = (name: string): string => new RegExp(`^ *${name} = "?([^"\\n]+)"?$`, 'm').exec(text)?.[1] ?? '';
  if (setTo('kill_signal') !== 'SIGTERM') throw new Error('Fly sends another signal than the test.');
  const [, env = ''] = /^\[env\]\n(.*?)^\[/ms.exec(text) ?? [];
  const [, secrets = ''] = /fly secrets set (.*?)\n[^#]/s.exec(text) ?? [];
  return {
    command: imageCommand,
    env: {
      ...imageEnvironment,
      ...Object.fromEntries([...env.matchAll(/^ *(\w+) = "(.*)"$/gm)].map(([, name, value]) => [name, value])),
    },
    given: [...secrets.matchAll(/\b(SAVEPOINT_\w+)=/g)].map(([, name = '']) => name),
    secrets: null,
    port: Number(setTo('internal_port')),
    probes: [setTo('path')],
    readiness: setTo('path'),
    graceSeconds: Number(setTo('kill_timeout')),
  };
}

export function render(): Manifest {
  const [{ envVars, healthCheckPath, maxShutdownDelaySeconds }] = yaml(read('render.yaml')).services;
  const set = (envVars as { key: string; value?: string }[]).filter(({ value }) => value !== undefined);
  const env = Object.fromEntries(set.map(({ key, value = '' }) => [key, value]));
  return {
    command: imageCommand,
    env: { ...imageEnvironment, ...env },
    given: (envVars as { key: string; value?: string }[])
      .filter(({ value }) => value === undefined)
      .map(({ key }) => key),
    secrets: null,
    port: Number(env['PORT']),
    probes: [healthCheckPath],
    readiness: healthCheckPath,
    graceSeconds: maxShutdownDelaySeconds,
  };
}
