import { type ClientConfig, createClient } from 'savepoint';
import { type Save, withOneMore } from './game';

/** The demo game of `savepoint dev`. */
const demoGame = '5a7e9017-0c01-4d1e-8a9b-3c0ffee04873';

/** The player's account and saves. A test gives a service and a storage of its own. */
export function openSaves(options: Partial<ClientConfig> = {}) {
  const client = createClient({
    gameId: import.meta.env.VITE_SAVEPOINT_GAME_ID ?? demoGame,
    environment: import.meta.env.PROD ? 2 : 0, // 0 Development, 1 Stage, 2 Production
    baseUrl: import.meta.env.VITE_SAVEPOINT_URL ?? 'http://127.0.0.1:4873',
    // What the player sees of both sides of a conflict.
    conflictFields: ['caught', 'best'].map((field) => ({ collection: 'progress', key: 'main', field })),
    ...options,
  });
  // Of two devices that play one account, what each has caught counts, and the better visit.
  const progress = client.profile.collection<Save>('progress', { merge: { caught: 'sum', best: 'max' } });
  let visit = 0;

  return {
    client,
    progress,
    /** On this device at once, and sent in the background: now, or when there is a network again. */
    catchOne(): Promise<Save> {
      visit += 1;
      return progress.update('main', (save) => withOneMore(save, visit));
    },
  };
}

export type Saves = ReturnType<typeof openSaves>;
