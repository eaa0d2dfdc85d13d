import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { pathOf } from '../../../src/protocol/addresses.js';
import { quotaDefaults } from '../../../src/protocol/gaps/quotas.js';
import { operations } from '../../../src/protocol/operations.js';
import { post, send, signInGuest, useName, writeEntry } from '../../support/service.js';
import { storeProcesses } from '../../support/store-processes.js';

const programs = storeProcesses();
afterEach(() => programs.end());

/** As much as an account may hold after a merge, and that of values whose text grows most as a part of another one. */
const values = 2 * quotaDefaults.values;
const quotes = '"'.repeat(70_000);
const ada = { username: 'ada', password: 'correct horse' };
const rounds = process.env['PROVE'] === '1' ? 3 : 1;
/** With 32 it runs out of memory. */
const heapMib = 128;

it('a snapshot of the largest account is made, read, exported and returned within a heap of 128 MiB', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'savepoint-large-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'store.db');
  const service = await programs.serve({ kind: 'sqlite', file }, { quotas: { values }, heapMib });
  const owner = await signInGuest(service, 'device-one');
  const count = Math.floor(values / JSON.stringify({ quotes }).length);
  for (let n = 0; n < count; n += 1) {
    expect((await writeEntry(service, owner, { key: `save-${n}`, value: { quotes } })).status).toBe(200);
  }
  await useName(service, ada, { token: owner.accessToken, deviceId: 'device-one' });

  for (let round = 0; round < rounds; round += 1) {
    // Whoever has it since has an entry of another name besides.
    const entries = round === 0 ? count : count + 1;
    const deviceId = `device-${round}-of-another`;
    const guest = await signInGuest(service, deviceId);
    await writeEntry(service, guest, { key: 'small' });
    const at = { token: guest.accessToken, deviceId };
    const met = await post(service, operations.signInWithName.path, ada, at);
    const choice = { ticket: met.body.conflict.ticket, choice: 'local' };
    expect((await post(service, operations.resolveConflict.path, choice, at)).status).toBe(200);

    const { body } = await send(service, operations.listSnapshots.path, { token: guest.accessToken });
    expect(body.snapshots).toMatchObject([{ entries }]);
    const [{ id: snapshot }] = body.snapshots;
    const read = await send(service, pathOf(operations.readSnapshot, { snapshot }), { token: guest.accessToken });
    expect(read.body.content).toHaveLength(entries);
    expect(read.body.content[0].value).toEqual({ quotes });
    const exported = await send(service, operations.exportAccount.path, { token: guest.accessToken });
    expect(exported.body.snapshots[0].content).toHaveLength(entries);
    const restored = await send(service, pathOf(operations.restoreSnapshot, { snapshot }), {
      method: 'POST',
      token: guest.accessToken,
    });
    expect([restored.status, restored.body.entries.length]).toEqual([200, entries]);
  }
});
