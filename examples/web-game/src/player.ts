import { type Client, createClient, type Environment } from 'savepoint';
import demo from '../demo.json' with { type: 'json' };
import { createDeviceStorage } from './device-storage.js';
import type { SaveSlot } from './saves.js';

export type Player = Client;

/** The entry that holds the player's progress. */
const collection = 'progress';
const key = 'main';

/** What a conflict shows of each side. */
const shownFields = ['coins', 'level', 'best'] as const;

/** The player of this page. With a device's name it has that device's storage; else the browser's own. */
export function createPlayer(device: string | null): Player {
  return createClient({
    gameId: demo.gameId,
    environment: demo.environment as Environment,
    // The service answers on the address that the game came from.
    baseUrl: location.origin,
    conflictFields: shownFields.map((field) => ({ collection, key, field })),
    ...(device === null ? {} : { storage: createDeviceStorage(device) }),
  });
}

/** The player's own entry, whoever plays: after a switch the same calls reach the other account. */
export function progressSlot(player: Player): SaveSlot {
  const progress = player.profile.collection(collection);
  return {
    async load() {
      await progress.load();
      return progress.get(key);
    },
    async update(change) {
      // The first write of an entry is unconditional (version -1): another tab may just have made it.
      if (progress.get(key) === undefined) await progress.load();
      const value = await progress.update(key, change as never);
      await progress.flush();
      return value as never;
    },
  };
}
