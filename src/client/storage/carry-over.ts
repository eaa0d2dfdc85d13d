import { ignoreFailure, withinDeadline } from './answer-deadline.js';
import type { Swap } from './compare-and-swap.js';
import type { RungInUse } from './rung-in-use.js';
import type { StoragePort } from './storage-port.js';

/** A rung that holds a value under the key that is looked for. */
interface Holder {
  rung: number;
  storage: StoragePort;
  value: string;
}

/**
 * Brings what an earlier run left on other rungs to the one in use. The value on the lowest rung is the newest, for
 * only a rung that failed is left, and one that fails may not even let its old value be removed.
 *
 * @param lowest the lowest rung that outlasts a run: memory, below it, does not
 */
export async function carryOver(
  rungInUse: RungInUse,
  lowest: number,
  key: string,
  swap: (swap: Swap) => Promise<unknown>,
): Promise<void> {
  const { rung: here } = await rungInUse.current();
  const holders = await findHolders(rungInUse, lowest, key);
  const [newest] = holders;
  if (newest === undefined || (newest.rung === here && holders.length === 1)) return;
  if (newest.rung !== here) {
    const from = holders.find(({ rung }) => rung === here)?.value ?? '';
    await swap({ key, from, to: newest.value });
  }
  for (const { rung, storage } of holders) if (rung !== here) await ignoreFailure(() => storage.removeItem(key));
}

/** The rungs that hold a value, the lowest one first. One that fails is taken to hold none. */
async function findHolders(rungInUse: RungInUse, lowest: number, key: string): Promise<Holder[]> {
  const holders: Holder[] = [];
  for (let rung = lowest; rung >= 0; rung -= 1) {
    await ignoreFailure(async () => {
      const storage = await rungInUse.storageOf(rung);
      const value = await withinDeadline(() => storage.getItem(key));
      if (typeof value === 'string') holders.push({ rung, storage, value });
    });
  }
  return holders;
}
