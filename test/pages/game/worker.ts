import { createGame } from './game.js';

/** What a worker is asked to do. */
export interface WorkerTask {
  /** What the coins' names begin with. */
  readonly prefix: string;
  readonly count: number;
}

const game = createGame();
const starting = game.start();

async function play({ prefix, count }: WorkerTask): Promise<void> {
  await starting;
  await game.collectAll(prefix, count);
}

addEventListener('message', ({ data }: MessageEvent<WorkerTask>) => {
  play(data).then(
    () => postMessage(game.look()),
    (error: unknown) => postMessage({ complaints: [String(error)] }),
  );
});
