import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { grouped, printFigures } from '../../support/figures.js';
import { describeOnPostgresPair } from '../../support/on-postgres.js';
import type { PostgresPair } from '../../support/postgres-pair.js';
import { readEntries, signInGuest, writeEntry } from '../../support/service.js';
import { type ServiceProcess, storeProcesses } from '../../support/store-processes.js';
import { startRelay, type TcpRelay } from '../../support/tcp-relay.js';

const isProof = process.env['PROVE'] === '1';
const rounds = isProof ? 10 : 2;
/** The proof takes as long as operators wait; `npm test` has no time for that where a primary says nothing. */
const timeouts = isProof ? {} : { statementTimeoutMs: 2_000 };

/** Someone who writes an entry again and again. */
interface Writer {
  key: string;
  /** The version of the last write that was answered; -1 before the first. */
  told: number;
  answered: number;
  lastAnswer: number;
}

describeOnPostgresPair('PostgreSQL with a synchronous standby', (make) => {
  const programs = storeProcesses();
  let pair: PostgresPair;
  let relay: TcpRelay;
  let service: ServiceProcess;

  beforeAll(async () => {
    pair = await make();
    relay = await startRelay(pair.url());
    const url = relay.through(pair.url());
    service = await programs.serve({ kind: 'postgres', url, schema: 'savepoint', ...timeouts });
  });
  afterAll(async () => {
    await programs.end();
    await relay?.close();
    pair?.remove();
  });

  it('loses nothing that was answered when the primary is killed under load', { timeout: 600_000 }, async () => {
    const player = await signInGuest(service);
    const writers = Array.from(
      { length: 8 },
      (_, index): Writer => ({ key: `k${index}`, told: -1, answered: 0, lastAnswer: 0 }),
    );
    const wrong: string[] = [];
    const statuses: { [status: number]: number } = {};
    let isOver = false;
    const write = async (writer: Writer): Promise<void> => {
      const { key, told } = writer;
      const { status, body } = await writeEntry(service, player, { key, value: { n: told + 1 }, version: told });
      statuses[status] = (statuses[status] ?? 0) + 1;
      const version = status === 200 ? body.version : status === 409 ? body.currentVersion : null;
      if (version === null) return void (await wait(50));
      // A refusal means that the write before it, of which nobody knew, was done.
      if (version !== told + 1) wrong.push(`${key}: ${status}, version ${version} after ${told}`);
      writer.told = version;
      writer.lastAnswer = performance.now();
      writer.answered += 1;
    };
    const running = writers.map(async (writer) => {
      while (!isOver) await write(writer);
    });

    let slowestMs = 0;
    for (let round = 1; round <= rounds; round += 1) {
      const enough = writers.map(({ answered }) => answered + 10);
      const isBusy = () => writers.every(({ answered }, index) => answered >= (enough[index] ?? 0));
      await expect.poll(isBusy, { timeout: 60_000 }).toBe(true);
      // A machine that is lost either closes its connections, or says nothing any more.
      const isSilent = round % 2 === 0;
      if (isSilent) relay.silence();
      const killed = performance.now();
      pair.failOver();
      relay.leadTo(pair.url());
      relay.speak();
      const promoted = performance.now();
      await expect.poll(() => writers.every(({ lastAnswer }) => lastAnswer > promoted), { timeout: 60_000 }).toBe(true);
      slowestMs = Math.max(slowestMs, ...writers.map(() => performance.now() - killed));
      const told = new Map(writers.map(({ key, told }) => [key, told]));
      const { status, body } = await readEntries(service, player);
      expect(status).toBe(200);
      for (const { key, version, value } of body as { key: string; version: number; value: { n: number } }[]) {
        if (version < (told.get(key) ?? 0) || value.n !== version) wrong.push(`${key}: ${version}, ${value.n}`);
      }
      expect(wrong).toEqual([]);
      if (round < rounds) await pair.addStandby();
    }
    isOver = true;
    await Promise.all(running);
    expect(wrong).toEqual([]);
    expect(slowestMs).toBeLessThan(15_000);
    const answered = writers.reduce((sum, writer) => sum + writer.answered, 0);
    const failures = Object.entries(statuses).map(([status, count]) => `${status} ${grouped(count)} times`);
    printFigures(
      `fail-over of PostgreSQL: ${rounds} primaries killed under load, ${grouped(answered)} of ${grouped(answered)} ` +
        `answered writes there, serving again within ${grouped(Math.round(slowestMs))} ms (${failures.join(', ')})`,
    );
  });
});
