// What all recipes share: the client, the collection with its rules, and what the player does.
import { createClient, type SyncStatus } from 'savepoint';

export interface Save {
  coins: number;
}

export const client = createClient({
  gameId: '5a7e9017-0c01-4d1e-8a9b-3c0ffee04873', // the demo game of `savepoint dev`
  environment: 0,
  baseUrl: 'http://127.0.0.1:4873',
});

export const progress = client.profile.collection<Save>('progress', { merge: { coins: 'sum' } });

/** Signs the player in and reads the account's saves. Without a network the copy on this device has to do. */
export async function start(): Promise<void> {
  await client.init();
  await progress.load().catch(() => {});
}

export function collectCoin(): void {
  void progress.update('main', (save) => ({ coins: (save?.coins ?? 0) + 1 }));
}

/** Calls `show` at once and whenever coins or status change, wherever that comes from. Gives what ends it. */
export function watchSave(show: (coins: number, status: SyncStatus) => void): () => void {
  const main = progress.watch('main');
  const status = client.profile.watchStatus();
  const tell = (): void => show(main.getSnapshot()?.coins ?? 0, status.getSnapshot());
  const ends = [main.subscribe(tell), status.subscribe(tell)];
  return () => {
    for (const end of ends) end();
  };
}
