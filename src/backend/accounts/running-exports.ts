import { accountDefaults } from '../../protocol/gaps/accounts.js';
import { exportRetryMs } from '../../protocol/gaps/retry-hints.js';
import { refuseWhile } from '../refusal.js';
import type { Owner } from '../stores/records.js';

/** The exports that run in this process. */
export interface Exports {
  /** Counts one more of an account; refuses with `rate_limited` where it has too many. */
  begin(owner: Owner): ExportSlot;
}

/** One of them. */
export interface ExportSlot {
  /** Somebody still asks for it. */
  renew(): void;
  end(): void;
}

/** An export that nobody has asked for a piece of for so long does not count: whoever began it has forgotten it. */
const forgottenMs = 60_000;

export function createExports(now: () => number): Exports {
  const running = new Map<string, Set<{ askedAt: number }>>();
  return {
    begin({ gameId, environment, accountId }) {
      const name = `${gameId}/${environment}/${accountId}`;
      const slots = running.get(name) ?? new Set();
      for (const slot of slots) if (now() - slot.askedAt > forgottenMs) slots.delete(slot);
      if (slots.size >= accountDefaults.exportsAtOnce) refuseWhile(exportRetryMs, 'exportsAtOnce');
      const slot = { askedAt: now() };
      running.set(name, slots.add(slot));
      return {
        renew() {
          slot.askedAt = now();
        },
        end() {
          slots.delete(slot);
          if (slots.size === 0 && running.get(name) === slots) running.delete(name);
        },
      };
    },
  };
}
