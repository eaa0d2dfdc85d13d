import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readEntries, signInGuest } from '../../support/service.js';
import { storeProcesses } from '../../support/store-processes.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { describeService, updateAtOnce } from './service-contract.js';

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

  test('loses updates, and these tests see it', async () => {
    const service = await programs.serve({ kind: 'naive' });
    const player = await signInGuest(service);
    const versions = await updateAtOnce([service], player, 4);
    const [entry] = (await readEntries(service, player)).body;
    expect(versions).toHaveLength(200);
    expect(entry.value.n).toBeLessThan(200);
  });
});
