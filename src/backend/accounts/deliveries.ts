import type { Environment } from '../../protocol/environments.js';
import { codeDefaults } from '../../protocol/gaps/codes.js';
import { createConcurrencyLimit } from '../concurrency-limit.js';
import { lineOf } from '../household.js';
import { askOutside } from '../providers/ask-outside.js';

/** A code for one player, which the game delivers by its own means, such as a mail. */
export interface Delivery {
  /** What the code is for: `reset` sets a new password. A newer service may have more. */
  kind: 'reset';
  /** The player's name, as it was written when it was taken. */
  name: string;
  /** The code: a secret of this player, which belongs into no log. */
  code: string;
  /** Until when the code counts, by the service's clock in ms since 1970. */
  expiresAt: number;
  /** The language that the player's browser asks for first, as BCP 47 has it, such as `nl-BE`; absent where it asks for none. */
  language?: string;
  /** The game's id. */
  gameId: string;
  /** 0 is Development, 1 Stage, 2 Production. */
  environment: Environment;
  /** The player's user id, for a game that knows by it where the player can be reached. */
  userId: string;
}

/** Delivers a code. `signal` aborts after 30 s. What it throws is logged by its name alone, and no player sees it. */
export type Deliver = (delivery: Delivery, signal: AbortSignal) => void | Promise<void>;

/** Has the game deliver codes, while nobody waits for it. */
export interface Deliveries {
  /** Begins once the answer that is being made is on its way; null where nothing is to be delivered. */
  begin(address: string | undefined, make: () => Promise<Delivery | null>): void;
  /** How many have begun and have not ended. */
  load(): number;
}

/** Without a way to deliver no code is made. */
export function createDeliveries(
  deliver: Deliver | undefined,
  { pause, report }: { pause(): Promise<void>; report(message: string, error: unknown): void },
): Deliveries {
  if (deliver === undefined) return { begin() {}, load: () => 0 };
  const limited = createConcurrencyLimit({
    atOnce: codeDefaults.deliveriesAtOnce,
    atOncePerLine: codeDefaults.deliveriesAtOncePerAddress,
    waiting: codeDefaults.deliveriesWaiting,
  });

  async function deliverOne(make: () => Promise<Delivery | null>): Promise<void> {
    const delivery = await make();
    if (delivery !== null) await askOutside(codeDefaults.deliverMs, (signal) => deliver?.(delivery, signal));
  }

  let begun = 0;
  return {
    load: () => begun,
    begin(address, make) {
      begun += 1;
      const delivered = pause().then(() => limited({ line: lineOf(address) }, () => deliverOne(make)));
      delivered
        .catch((error: unknown) => report('A code could not be delivered.', error))
        .finally(() => {
          begun -= 1;
        });
    },
  };
}
