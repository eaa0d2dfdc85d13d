import { type Client, createClient, type JsonObject, type StoragePort } from 'savepoint';

/** What the game saves. */
export interface Progress {
  level: number;
  coins: number;
}

export interface Game {
  client: Client;
  /** False where the save could not be read: the game then starts without it and must not write over it. */
  online: boolean;
  progress: Progress;
}

export type Choice = 'local' | 'cloud' | 'cancel';

const beginning: Progress = { level: 1, coins: 0 };

/** Starts the game on one device: whoever played there last is signed in again, else a new guest. */
export async function startGame(storage: StoragePort): Promise<Game> {
  const client = createClient({
    gameId: '3b0f0f4e-6a55-4c8a-9a7c-5d1f2e3a4b5c',
    environment: 0,
    baseUrl: 'https://saves.example.com',
    storage,
  });
  await client.init();
  return { client, ...(await readProgress(client)) };
}

/** Pays for a finished level. */
export async function finishLevel(game: Game): Promise<void> {
  const saves = game.client.profile.collection('progress');
  const held = await saves.update('main', (save) => {
    const { level, coins } = progressFrom(save);
    return { level: level + 1, coins: coins + 10 };
  });
  game.progress = progressFrom(held);
}

/** Links a name, or signs in with it. Where another account owns it, `choose` asks the player. */
export async function signIn(
  game: Game,
  name: string,
  password: string,
  choose: (conflict: { local: number; cloud: number }) => Choice,
): Promise<string> {
  const stop = game.client.events.on('conflict', (conflict) => {
    const sides = { local: conflict.local.entries, cloud: conflict.cloud.entries };
    void conflict.resolve(choose(sides));
  });
  const result = await game.client.auth.withName(name, password);
  stop();
  Object.assign(game, await readProgress(game.client));
  return result.success ? 'signed in' : result.error.code;
}

async function readProgress(client: Client): Promise<{ online: boolean; progress: Progress }> {
  const saves = client.profile.collection('progress');
  try {
    await saves.load();
    return { online: true, progress: progressFrom(saves.get('main')) };
  } catch {
    return { online: false, progress: beginning };
  }
}

function progressFrom(held: JsonObject = { ...beginning }): Progress {
  return { level: Number(held['level']), coins: Number(held['coins']) };
}
