import { type Client, type Collection, createClient, type Environment, type StandardSchema } from 'savepoint';
import demo from '../demo.json' with { type: 'json' };
import { addGains, type Gains, mergeRules, newProgress, type Progress, readProgress } from './game/progress.js';
import { createDeviceStorage } from './notes.js';

export type Player = Client;

/** The entry that holds the player's progress. */
export const progressPlace = { collection: 'progress', key: 'main' } as const;
const { collection, key } = progressPlace;

/** What a conflict shows of each side: all that the entry holds. */
const shownFields = Object.keys(newProgress);

/** The player of this page. With a device's name it has that device's storage; else the browser's own. */
export function createPlayer(device: string | null, network: 'on' | 'off'): Player {
  return createClient({
    gameId: demo.gameId,
    environment: demo.environment as Environment,
    // The service answers on the address that the game came from.
    baseUrl: location.origin,
    conflictFields: shownFields.map((field) => ({ collection, key, field })),
    network,
    ...(device === null ? {} : { storage: createDeviceStorage(device) }),
  });
}

/** Any library's schema does; this game can read whatever is stored, so that its own is one function. */
const schema: StandardSchema<Progress> = {
  '~standard': { version: 1, vendor: 'magpie', validate: (value) => ({ value: readProgress(value) }) },
};

export interface Saves {
  /** What the player has, on this device, at once. */
  readonly progress: Progress;
  add(gains: Gains): void;
  /** Asks the service what another device has written; what this one has not sent yet stays. */
  look(): void;
}

/** The progress of whoever plays. Nothing here waits for the network: the SDK sends it when it can. */
export function openSaves(player: Player, onChange: () => void): Saves {
  const saves: Collection<Progress> = player.profile.collection(collection, { schema, merge: mergeRules });
  saves.onChange(onChange);
  return {
    get progress() {
      return saves.get(key) ?? newProgress;
    },
    add(gains) {
      saves.update(key, (kept) => addGains(kept ?? newProgress, gains)).catch(reportError);
    },
    look() {
      // Without a network the copy on this device has to do.
      saves.load().catch(() => {});
    },
  };
}
