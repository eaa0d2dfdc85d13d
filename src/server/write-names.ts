import type { WriteName } from '../protocol/idempotency-key.js';
import { newUuid } from '../protocol/ids.js';

/** Names the writes of one client, so that the service knows a repeat of each. */
export interface WriteNames {
  /**
   * Gives a write of an entry its name while it runs. `startAnew` is for a write that may still be on its way
   * when it has ended, and that would be carried out then: all later writes are another device's, so that the
   * service's ledger keeps it.
   */
  name<T>(entry: string, write: (name: WriteName, startAnew: () => void) => Promise<T>): Promise<T>;
}

/**
 * The ledger of an entry holds one write of each device, so of the writes of one entry that run at the same time each
 * is another device's: the lowest lane that is free. Lanes are counted for each entry, because a ledger has room for 64
 * devices, the players' among them.
 */
export function createWriteNames(): WriteNames {
  /** By entry, the lanes of the writes that run. */
  const lanes = new Map<string, Set<number>>();
  let client = newUuid();
  let writes = 0;

  return {
    async name(entry, write) {
      const taken = lanes.get(entry) ?? new Set<number>();
      lanes.set(entry, taken);
      let lane = 0;
      while (taken.has(lane)) lane += 1;
      taken.add(lane);
      writes += 1;
      const startAnew = (): void => {
        client = newUuid();
      };
      try {
        return await write({ device: `${client}-${lane}`, write: String(writes) }, startAnew);
      } finally {
        taken.delete(lane);
        if (taken.size === 0) lanes.delete(entry);
      }
    },
  };
}
