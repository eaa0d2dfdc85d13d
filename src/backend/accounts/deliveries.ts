import type { Environment } from '../../protocol/environments.js';
import { codeDefaults } from '../../protocol/gaps/codes.js';
import { createConcurrencyLimit } from '../concurrency-limit.js';
import { lineOf } from '../household.js';
import { askOutside } from '../providers/ask-outside.js';
import type { LinkRecord } from '../stores/records.js';

/** Whom a message is for: what every delivery has. */
export interface Addressee {
  /** The player's name, as it was written when it was taken. */
  name: string;
  /**
   * The language that the player's browser or game asks for first, as BCP 47 has it, such as `nl-BE`;
   * absent where it asks for none.
   */
  language?: string;
  /** The game's id. */
  gameId: string;
  /** 0 is Development, 1 Stage, 2 Production. */
  environment: Environment;
  /** The player's user id, for a game that knows by it where the player can be reached. */
  userId: string;
}

/** A code that sets a new password. */
export interface ResetDelivery extends Addressee {
  /** What it is. */
  kind: 'reset';
  /** The code: a secret of this player, which belongs into no log. */
  code: string;
  /** Until when the code counts, by the service's clock in ms since 1970. */
  expiresAt: number;
  /** The e-mail address that the player has verified; absent where there is none. */
  address?: string;
}

/** A code that shows that an e-mail address is the player's. */
export interface VerifyDelivery extends Addressee {
  /** What it is. */
  kind: 'verify';
  /** The code, which is for whoever reads the mail of `address`, and belongs into no log. */
  code: string;
  /** Until when the code counts, by the service's clock in ms since 1970. */
  expiresAt: number;
  /** The address, as the player has typed it. Nobody has verified yet that it is the player's. */
  address: string;
}

/** The news that an e-mail address is the player's no longer, because another one is, or none. It has no code. */
export interface AddressChangedDelivery extends Addressee {
  /** What it is. */
  kind: 'address_changed';
  /** The address that was the player's until now. */
  address: string;
  /** There is none. */
  code?: undefined;
  /** There is none. */
  expiresAt?: undefined;
}

/**
 * A message for one player, which the game delivers by its own means, such as a mail. A newer
 * service may have more kinds.
 */
export type Delivery = ResetDelivery | VerifyDelivery | AddressChangedDelivery;

/** Whom a message about a name is for. */
export function addressee(link: LinkRecord, language: string | undefined): Addressee {
  const { gameId, environment, accountId: userId, label, subject } = link;
  const spoken = language === undefined ? {} : { language };
  return { name: label ?? subject, ...spoken, gameId, environment, userId };
}

/**
 * Delivers a message. `signal` aborts after 30 s. What it throws is logged by its name alone, and no player sees it.
 */
export type Deliver = (delivery: Delivery, signal: AbortSignal) => void | Promise<void>;

/** Has the game deliver messages, while nobody waits for it. */
export interface Deliveries {
  /** Whether the game has a way to deliver them. */
  readonly isSetUp: boolean;
  /** Begins once the answer that is being made is on its way; null where nothing is to be delivered. */
  begin(address: string | undefined, make: () => Promise<Delivery | null>): void;
  /** How many have begun and have not ended. */
  load(): number;
}

/** Without a way to deliver nothing is made. */
export function createDeliveries(
  deliver: Deliver | undefined,
  { pause, report }: { pause(): Promise<void>; report(message: string, error: unknown): void },
): Deliveries {
  if (deliver === undefined) return { isSetUp: false, begin() {}, load: () => 0 };
  const limited = createConcurrencyLimit({
    atOnce: codeDefaults.deliveriesAtOnce,
    atOncePerLine: codeDefaults.deliveriesAtOncePerAddress,
    waiting: codeDefaults.deliveriesWaiting,
    names: { waiting: 'deliveriesWaiting' },
  });

  async function deliverOne(make: () => Promise<Delivery | null>): Promise<void> {
    const delivery = await make();
    if (delivery !== null) await askOutside(codeDefaults.deliverMs, (signal) => deliver?.(delivery, signal));
  }

  let begun = 0;
  return {
    isSetUp: true,
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
