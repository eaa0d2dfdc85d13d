import { readFileSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { demoGame } from '../src/cli/demo.js';
import { Main } from '../src/index.js';
import { createTestService } from './support/service.js';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

afterEach(() => {
  Main.Dispose();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

it('The README shows the quick start that is run here', () => {
  const [code] = read('examples/quick-start.ts').split('\ndeclare function');
  expect(read('README.md')).toContain(code?.trim());
});

it('The quick start signs a guest in, links a name, and saves', async () => {
  const service = createTestService({ game: { id: demoGame.id } });
  const startLevel = vi.fn();
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  vi.stubGlobal('startLevel', startLevel);
  vi.stubGlobal('fetch', service.fetch);
  await import('../examples/quick-start.js');
  await Main.Client().profile.flush();
  expect(log.mock.calls).toEqual([['a guest already, by the device alone:', expect.any(String)]]);
  expect(warn).not.toHaveBeenCalled();
  expect(startLevel.mock.calls).toEqual([[1]]);
  expect(service.backend.control.requests.map(({ path, status }) => `${status} ${path}`)).toEqual(
    expect.arrayContaining([
      '200 /v2/auth/guest',
      '200 /v2/auth/name',
      expect.stringMatching(/^200 \/v2\/cl\/.*\/progress\/main\?env=0$/),
    ]),
  );
});
