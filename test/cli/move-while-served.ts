import { setImmediate } from 'node:timers/promises';
import type { Store } from '../../src/backend/stores/store.js';
import { operations } from '../../src/protocol/operations.js';
import { createTestService, post, readText, signInGuest, type TestService, writeText } from '../support/service.js';

type Player = Awaited<ReturnType<typeof signInGuest>>;

/** A service whose players go on while its store is moved, and what they were told. */
export async function playOn(store: Store, signingKey: JsonWebKey) {
  const service: TestService = createTestService({ store, signingKey });
  const players: { player: Player; told: number }[] = [];
  const newPlayer = async (): Promise<void> => {
    const player = await signInGuest(service, `device-${players.length}`);
    const { status } = await writeText(service, player, 'main', '{"n":0}');
    if (status === 200) players.push({ player, told: 0 });
  };
  for (let count = 0; count < 20; count += 1) await newPlayer();
  let [isOver, writes, refused, readsBeside] = [false, 0, 0, 0];

  /** Writes until it is told to end, one player after the other; each tenth time somebody new comes. */
  async function play(): Promise<void> {
    for (let turn = 0; !isOver; turn += 1) {
      const one = players[turn % players.length] as (typeof players)[number];
      const { status } = await writeText(service, one.player, 'main', `{"n":${one.told + 1}}`);
      if (status === 200) {
        one.told += 1;
        writes += 1;
      } else if (status === 503) {
        refused += 1;
        if ((await readText(service, one.player)).includes(`{"n":${one.told}}`)) readsBeside += 1;
      } else throw new Error(`A write was answered ${status}.`);
      if (turn % 10 === 9 && refused === 0) await newPlayer().catch(() => {});
      await setImmediate();
    }
  }
  const playing = play();

  return {
    counts: () => ({ writes, refused, readsBeside }),
    async end(): Promise<void> {
      isOver = true;
      await playing;
    },
    /** What each player finds on a service that has the new store, with the session of the old one. */
    async goOnAt(next: Store): Promise<{ found: string[]; told: string[] }> {
      const later = createTestService({ store: next, signingKey });
      const found: string[] = [];
      for (const { player, told } of players) {
        const { body } = await post(later, operations.refreshSession.path, { refresh_token: player.refreshToken });
        found.push(`${body.userId} ${/\{"n":\d+\}/.exec(await readText(later, body))?.[0]}`);
        await writeText(later, body, 'main', `{"n":${told + 1}}`);
      }
      return { found, told: players.map(({ player, told }) => `${player.userId} {"n":${told}}`) };
    },
  };
}
