import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import { describeOnPostgres } from '../../support/on-postgres.js';
import { post, send, signInGuest, type TestService, useName, writeEntry } from '../../support/service.js';
import { type ServiceProcess, storeProcesses } from '../../support/store-processes.js';

const rounds = process.env['PROVE'] === '1' ? 50 : 4;
const timeout = process.env['PROVE'] === '1' ? 900_000 : 120_000;
const password = 'correct horse';

interface Player {
  accessToken: string;
}

/** Somebody who writes one entry again and again, through one process, until refused. */
interface Writer {
  key: string;
  /** The last value that was answered with 200. */
  told: number;
  refused: string | null;
  write(): Promise<void>;
}

function writerOf(service: TestService, player: Player, key: string): Writer {
  let version = -1;
  let n = 0;
  const writer: Writer = {
    key,
    told: -1,
    refused: null,
    async write() {
      n += 1;
      const { status, body } = await writeEntry(service, player, {
        key,
        value: { n },
        version: n % 3 === 0 ? -1 : version,
      });
      if (status !== 200) {
        writer.refused = body.code;
        return;
      }
      writer.told = n;
      version = body.version;
    },
  };
  return writer;
}

/** The kept entries of the account's newest snapshot that the choice made. */
async function keptBy(service: TestService, { accessToken: token }: Player, choice: string) {
  const { body: list } = await send(service, operations.listSnapshots.path, { token });
  const { id } = list.snapshots.find(({ reason }: { reason: string }) => reason === choice);
  const { body } = await send(service, pathOf(operations.readSnapshot, { snapshot: id }), { token });
  return new Map((body.content as { key: string; value: { n: number } }[]).map(({ key, value }) => [key, value.n]));
}

describeOnPostgres('writers and choices on PostgreSQL, two processes', (newSchema) => {
  const database = newSchema();
  const programs = storeProcesses();
  let services: [ServiceProcess, ServiceProcess];

  beforeAll(async () => {
    const place = { kind: 'postgres', url: database.url, schema: database.schema } as const;
    services = [await programs.serve(place), await programs.serve(place)];
  });
  afterAll(async () => {
    await programs.end();
    await database.drop();
  });

  describe.each(['cloud', 'local'] as const)('the choice %s', (choice) => {
    it.each(Array.from({ length: rounds }, (_, round) => round))(
      'keeps all that the side that loses was told is written (%i)',
      { timeout },
      async (round) => {
        const id = `${choice}-${round}`;
        const [here, there] = round % 2 === 0 ? services : [services[1], services[0]];
        const [username, deviceId] = [`ada-${id}`, `device-${id}`];
        const owner = await signInGuest(here, `own-${id}`);
        await useName(here, { username, password }, { token: owner.accessToken, deviceId: `own-${id}` });
        // On a device that leads nowhere: the choice Local ends this session.
        const stranger = await useName(there, { username, password }, { deviceId: `strange-${id}` });
        const local = await signInGuest(here, deviceId);
        const credential = { username, password };
        const { body } = await post(here, operations.signInWithName.path, credential, {
          token: local.accessToken,
          deviceId,
        });
        const loser = choice === 'cloud' ? local : stranger;
        const writers = [here, there, here, there].map((service, at) => writerOf(service, loser, `k${at}`));
        for (const writer of writers) await writer.write();
        const writing = writers.map(async (writer) => {
          while (writer.refused === null) await writer.write();
        });
        const chosen = await post(
          there,
          operations.resolveConflict.path,
          { ticket: body.conflict.ticket, choice },
          { deviceId },
        );
        expect(chosen.status).toBe(200);
        await Promise.all(writing);
        expect(writers.map(({ refused }) => refused)).toEqual(writers.map(() => 'unauthorized'));
        const kept = await keptBy(here, chosen.body as Player, choice);
        expect(writers.map(({ key }) => [key, kept.get(key)])).toEqual(writers.map(({ key, told }) => [key, told]));
      },
    );
  });
});
