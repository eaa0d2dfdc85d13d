import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { findRuntimes } from '../../scripts/runtimes.mjs';
import { type Program, type Ready, startDev } from '../cli/program.js';
import { runtimes } from '../runtimes/matrix.mjs';
import { clientSteps } from '../runtimes/steps.mjs';

let service: Program & { ready: Ready };

beforeAll(async () => {
  service = await startDev(join(inject('consumer'), 'node_modules/savepoint/dist/cli/savepoint.js'));
});
afterAll(() => service.child.kill('SIGKILL'));

it.concurrent.each(runtimes.map((one) => [one.title.replaceAll(/[[\]`]|\(.*\)/g, ''), one] as const))(
  'a game signs in, saves, links a name and merges a conflict on %s',
  { timeout: 120_000 },
  async (_, { play, hasCore }) => {
    const place = { place: inject('consumer'), packages: findRuntimes() ?? '', service: service.ready.url };
    const all = { done: clientSteps, failed: null };
    expect(await play(place)).toEqual({ client: all, ...(hasCore ? { core: all } : {}) });
  },
);
