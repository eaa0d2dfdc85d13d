import { createGame, type Game, type Standing } from './game.js';
import type { WorkerTask } from './worker.js';

declare global {
  /** The game of the page. */
  var game: Game;
  /** Sets up another client beside it. */
  var newGame: () => Game;
  /** Has the page's worker play, and gives how its game stands then. */
  var askWorker: (task: WorkerTask) => Promise<Standing>;
}

let worker: Worker | undefined;

globalThis.newGame = createGame;
globalThis.game = createGame();
globalThis.askWorker = (task) =>
  new Promise((resolve) => {
    worker ??= new Worker('/worker.js');
    worker.onmessage = ({ data }: MessageEvent<Standing>) => resolve(data);
    worker.postMessage(task);
  });

// The page of another site around this one runs the test's code in it.
if (parent !== window) {
  addEventListener('message', ({ data, ports: [port] }: MessageEvent<string>) => {
    new Function(`return ${data}`)().then(
      (json: string) => port?.postMessage({ json }),
      (error: unknown) => port?.postMessage({ error: String(error) }),
    );
  });
}
