import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { grouped, printFigures } from '../../support/figures.js';
import { readEntries } from '../../support/service.js';
import { storeProcesses } from '../../support/store-processes.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { describeService } from './service-contract.js';
import { updateAtOnce, updates } from './update-at-once.js';

const folder = temporaryFolder();
afterAll(() => rmSync(folder, { recursive: true }));

describeService('in memory', () => ({ kind: 'memory' }), { processes: 1, survives: false });
describeService('on SQLite', () => ({ kind: 'sqlite', file: join(folder, 'saves.db') }), {
  processes: 1,
  survives: true,
});

describe('a naive service', () => {
  const programs = storeProcesses();
  afterAll(() => programs.end());

  it('loses updates, and these tests see it', { timeout: 60_000 }, async () => {
    const service = await programs.serve({ kind: 'naive' });
    const { player, versions } = await updateAtOnce([service]);
    const [entry] = (await readEntries(service, player)).body;
    expect(versions).toHaveLength(updates);
    expect(entry.value.n).toBeLessThan(updates);
    printFigures(`lost updates, naive control: ${grouped(updates - entry.value.n)} of ${grouped(updates)} lost`);
  });
});
