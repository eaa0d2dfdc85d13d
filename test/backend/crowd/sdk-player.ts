import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient } from 'savepoint';
import { pathOf } from '../../../src/protocol/addresses.js';
import { operations } from '../../../src/protocol/operations.js';
import { send, testGameId } from '../../support/service.js';
import type { Random } from '../stores/writers.js';
import type { Processes } from './processes.js';

type Purse = { coins: number; level: number; by?: string };

/** Somebody who plays one account on two devices, both with the SDK, as a game would. */
export interface SdkPlayer {
  play(isOver: (round: number) => boolean): Promise<void>;
  /** Sends what is left, and says what the service does not have of it. */
  check(): Promise<string[]>;
  dispose(): void;
  /** How many changes the SDK has taken. */
  changes(): number;
}

/** How often a call that needs the service is tried, where a process is killed while it runs. */
const maxTries = 20;

export async function startSdkPlayer(
  id: string,
  { processes, random }: { processes: Processes; random: Random },
): Promise<SdkPlayer> {
  const credential = { username: id, password: `password-of-${id}` };
  const wrong: string[] = [];
  let coins = 0;
  const open = (): Client =>
    createClient({
      gameId: testGameId,
      environment: 0,
      baseUrl: 'http://crowd.test',
      fetch: (request) => processes.fetch(request),
    });
  const devices = [open(), open()] as const;
  /** The last number that each device has set in an entry of its own. */
  const last = devices.map(() => -1);

  async function insist(what: string, call: () => Promise<{ success: boolean; error?: { code: string } | undefined }>) {
    for (let tries = 1; ; tries += 1) {
      const { success, error } = await call();
      if (success) return;
      if (tries >= maxTries || !['network', 'unavailable', 'timeout'].includes(error?.code ?? '')) {
        throw new Error(`${id}: ${what} failed with ${error?.code}`);
      }
    }
  }

  async function flush(client: Client): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await client.profile.flush();
      } catch (error) {
        if (tries >= maxTries) throw error;
        // What has failed pauses before it goes on by itself.
        await wait(50);
      }
    }
  }

  const [phone, laptop] = devices;
  await insist('the start', () => phone.init());
  await insist('the name', () => phone.auth.withName(credential.username, credential.password));
  await insist('the start', () => laptop.init());
  await insist('the switch', () => laptop.auth.switchTo({ method: 'name', ...credential }));
  const purses = devices.map(({ profile }) =>
    profile.collection<Purse>('progress', { merge: { coins: 'sum', level: 'max' } }),
  );

  async function act(at: 0 | 1, round: number): Promise<void> {
    const [client, saves] = [devices[at], purses[at]];
    for (let changes = random(4); changes >= 0; changes -= 1) {
      await saves?.update('purse', (purse) => ({
        level: Math.max(purse?.level ?? 0, round),
        coins: (purse?.coins ?? 0) + 1,
      }));
      coins += 1;
    }
    await saves?.set(`of-device-${at}`, { coins: round, level: 0, by: id });
    last[at] = round;
    if (random(3) === 0) await saves?.load().catch(() => {});
    await flush(client);
  }

  return {
    async play(isOver) {
      await Promise.all(
        ([0, 1] as const).map(async (at) => {
          for (let round = 0; !isOver(round); round += 1) await act(at, round);
        }),
      );
    },
    async check() {
      for (const client of devices) await flush(client);
      const { userId } = devices[0].auth;
      const path = pathOf(operations.readUserCollection, {
        game: testGameId,
        user: userId ?? '',
        collection: 'progress',
      });
      const { body } = await processes.ask((service) => send(service, `${path}?env=0`, { token: service.privateKey }));
      const found = new Map((body as { key: string; value: Purse }[]).map(({ key, value }) => [key, value]));
      if (found.get('purse')?.coins !== coins) wrong.push(`${id}: ${found.get('purse')?.coins} coins of ${coins}`);
      for (const [at, number] of last.entries()) {
        const there = found.get(`of-device-${at}`)?.coins;
        if (there !== number) wrong.push(`${id}: device ${at} has set ${number}, and ${there} is there`);
      }
      return wrong;
    },
    dispose: () => devices.forEach((client) => void client.dispose()),
    changes: () => coins,
  };
}
