import { householdOf } from '../household.js';

/** The bytes that a process holds for one client. */
export interface HeldBytes {
  /** So many bytes are held now. */
  hold(bytes: number): void;
  /** They are given up for nobody any more: the service works on them. */
  keep(): void;
  /** Nothing is held any more. */
  end(): void;
}

/** All that a process holds for clients who are slow, up to a limit. */
export interface ByteBudget {
  /** Begins to hold bytes for a client at an address. `giveUp` is called where they have to go. */
  begin(address: string, giveUp: () => void): HeldBytes;
  /** How many bytes are held. */
  bytes(): number;
}

interface Holding {
  household: string;
  bytes: number;
  /** Null where they are kept. */
  giveUp: (() => void) | null;
}

/**
 * Where more than `maxBytes` are held, the oldest go first of the address that has the most: whoever asks for much and
 * reads nothing, or sends much and never ends, must not send away those who read and send.
 */
export function createByteBudget(maxBytes: number): ByteBudget {
  const all = new Set<Holding>();
  let total = 0;

  function hold(holding: Holding, bytes: number): void {
    total += bytes - holding.bytes;
    holding.bytes = bytes;
    // One alone is as large as it is.
    while (total > maxBytes && all.size > 1) {
      const next = nextToGo(all);
      if (next === null) return;
      remove(next);
      next.giveUp?.();
    }
  }

  function remove(holding: Holding): void {
    if (!all.delete(holding)) return;
    total -= holding.bytes;
    holding.bytes = 0;
  }

  return {
    begin(address, giveUp) {
      const holding: Holding = { household: householdOf(address), bytes: 0, giveUp };
      all.add(holding);
      return {
        hold(bytes) {
          if (all.has(holding)) hold(holding, bytes);
        },
        keep() {
          holding.giveUp = null;
        },
        end: () => remove(holding),
      };
    },
    bytes: () => total,
  };
}

/** Null where all of them are kept. */
function nextToGo(all: ReadonlySet<Holding>): Holding | null {
  const byHousehold = new Map<string, { bytes: number; oldest: Holding | null }>();
  for (const holding of all) {
    const sum = byHousehold.get(holding.household) ?? { bytes: 0, oldest: null };
    sum.bytes += holding.bytes;
    if (holding.giveUp !== null) sum.oldest ??= holding;
    byHousehold.set(holding.household, sum);
  }
  let most: { bytes: number; oldest: Holding | null } | null = null;
  for (const sum of byHousehold.values()) {
    if (sum.oldest !== null && (most === null || sum.bytes > most.bytes)) most = sum;
  }
  return most?.oldest ?? null;
}
