import { type Client, type Conflict, createClient } from 'savepoint';
import { expect } from 'vitest';
import { start } from './program.js';
import { gameId } from './served.js';

const password = 'correct horse';

/** A game on a device that was never here; it merges by a rule that was not meant so, and follows the service. */
async function startGame(url: string) {
  const kept = new Map<string, string>();
  const storage = {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => void kept.set(name, value),
    removeItem: (name: string) => void kept.delete(name),
  };
  const client = createClient({ gameId, environment: 0, baseUrl: url, storage });
  const ready = await client.init();
  expect(ready.success).toBe(true);
  const progress = client.profile.collection<{ level: number }>('progress', { merge: { level: 'sum' } });
  client.profile.follow();
  return { client, progress, level: () => progress.get('main')?.level, userId: client.auth.userId as string };
}

type Game = Awaited<ReturnType<typeof startGame>>;

async function playTo(level: number, { client, progress }: Game): Promise<void> {
  await progress.set('main', { level });
  await client.profile.flush();
}

/** Signs in by Ada's name; where that is another account than the device's, both are merged. */
async function signInAsAda({ client }: { client: Client }): Promise<void> {
  client.events.on('conflict', (conflict: Conflict) => void conflict.resolve('merge'));
  expect(await client.auth.withName('Ada', password)).toMatchObject({ success: true });
}

export interface SupportCase {
  /** The program. */
  file: string;
  /** The service. */
  url: string;
  operatorKey: string;
}

/**
 * A player merges wrongly, writes in, and gets the save back while the game runs: all on real programs, a real port and
 * real time. What the operator knows is the name.
 */
export async function playSupportCase({ file, url, operatorKey }: SupportCase): Promise<void> {
  const env = {
    SAVEPOINT_URL: url,
    SAVEPOINT_OPERATOR_KEY: operatorKey,
    SAVEPOINT_GAME_ID: gameId,
    SAVEPOINT_ENV: 'development',
  };
  async function players(...args: string[]): Promise<string> {
    const program = start(file, ['players', ...args], { env });
    expect([await program.ended, program.stderr()]).toEqual([0, '']);
    return program.stdout();
  }
  const games: Game[] = [];
  const play = async (): Promise<Game> => {
    const game = await startGame(url);
    games.push(game);
    return game;
  };
  try {
    const phone = await play();
    await signInAsAda(phone);
    await playTo(7, phone);
    const tablet = await play();
    await playTo(2, tablet);
    await signInAsAda(tablet);
    await tablet.client.profile.flush();
    expect([tablet.client.auth.userId, tablet.level()]).toEqual([phone.userId, 9]);

    const [, user = ''] = /\n([0-9a-f-]{36}) /.exec(await players('find', '--name', 'ada')) ?? [];
    expect(user).toBe(phone.userId);
    const shown = await players('show', '--user', user);
    expect(shown).toMatch(new RegExp(`\\n\\S+ \\S+ +the player +chose merge +with ${tablet.userId} +[0-9a-f-]{36}\\n`));
    const [, snapshot = ''] = /\n([0-9a-f-]{36}) +merge +\S+ \S+ +this account +1 /.exec(shown) ?? [];
    expect(await players('restore', '--user', user, '--snapshot', snapshot)).toMatch(/progress +main +2\n/);
    // They look every four seconds; five are promised, and the rest is for a busy machine.
    for (const game of games) await expect.poll(game.level, { timeout: 10_000, interval: 20 }).toBe(7);
    const audit = (await players('show', '--user', user)).split('\nWhat was done and chosen\n')[1];
    expect(audit?.match(/restorePlayerSnapshot|chose \w+/g)).toEqual(['restorePlayerSnapshot', 'chose merge']);

    await playTo(8, tablet);
    expect(JSON.parse(await players('export', '--user', user)).entries).toMatchObject([{ value: { level: 8 } }]);
  } finally {
    for (const { client } of games) client.dispose();
  }
}
