import { choicesAnswer, type GameChoice } from '../protocol/admin-choices.js';
import { conflictsAnswer, type GameConflict } from '../protocol/admin-conflicts.js';
import { countsAnswer, type DayCounts } from '../protocol/admin-counts.js';
import { adminOperations } from '../protocol/admin-operations.js';
import {
  type RetriedWebhooks,
  retriedWebhooksAnswer,
  type WebhookQueue,
  webhookQueueAnswer,
} from '../protocol/admin-webhooks.js';
import type { Environment } from '../protocol/environments.js';
import { checkedBy } from '../protocol/schema-check.js';
import { type AdminCallOptions, type AdminPageOptions, pageQuery } from './admin-pages.js';
import { type AskAsOperator, callOf, onlyOnce, operationAt } from './admin-requests.js';
import { readEnvironment, readObject, readUuid } from './options.js';

/** Whose webhook is looked at. */
export interface WebhooksOptions extends AdminPageOptions {
  /** The game's id, a UUID. */
  gameId: string;
}

/** Which events are sent again. */
export interface RetryWebhooksOptions extends AdminCallOptions {
  /** The game's id, a UUID. */
  gameId: string;
  /** The id of one event; those that have waited for longest, up to a thousand, by default. */
  id?: string | undefined;
}

/** Which days of a game. */
export interface CountsOptions extends AdminCallOptions {
  /** The game's id, a UUID. */
  gameId: string;
  /** The environment: 0 is Development, 1 is Stage, 2 is Production. */
  environment: Environment;
  /** The first day in UTC, as `2026-12-01`, at most 366 days with the last one; 30 days by default. */
  from?: string | undefined;
  /** The last day; today by default. */
  to?: string | undefined;
}

/** Whose open conflicts, or latest choices, and which page of them. */
export interface ConflictsOptions extends AdminPageOptions {
  /** The game's id, a UUID. */
  gameId: string;
  /** The environment: 0 is Development, 1 is Stage, 2 is Production. */
  environment: Environment;
}

/** A page of open conflicts. */
export interface ConflictsPage {
  /** The conflicts. */
  conflicts: GameConflict[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/** A page of choices. */
export interface ChoicesPage {
  /** The choices. */
  choices: GameChoice[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/** What an operator asks of a game. Fails with `not_found` where the service has no such game. */
export interface AdminGames {
  /**
   * Reads what happened in a game, day by day: new players, active ones, sign-ins, conflicts and what was chosen in
   * them. Fails with `invalid_request` for what is no day, or too many.
   *
   * @example
   * ```ts
   * const days = await admin.counts({ gameId, environment: environments.Production });
   * console.log(days.at(-1)?.active);
   * ```
   */
  counts(options: CountsOptions): Promise<DayCounts[]>;
  /**
   * Reads a page of the conflicts in which a player has not chosen yet, the one that was met last first. Those that are
   * met or chosen in meanwhile may be on any page or none; all others are on one page, once.
   */
  conflicts(options: ConflictsOptions): Promise<ConflictsPage>;
  /**
   * Reads a page of the latest choice that each account was chosen by, as long as it can be taken back, the one
   * that was made last first. Those that are made or taken back meanwhile may be on any page or none; all
   * others are on one page, once.
   */
  choices(options: ConflictsOptions): Promise<ChoicesPage>;
  /**
   * Reads what a game's back end has not been told yet by its webhook: how many events wait, and a page of those that
   * were tried often enough and set aside.
   */
  webhooks(options: WebhooksOptions): Promise<WebhookQueue>;
  /**
   * Sends events again that were set aside: the one with `id`, or those that have waited for longest; `hasMore` says
   * whether to ask again. They come to the receiver within seconds. Takes the scope `support`. Fails with `not_found`
   * where no event with this id was set aside.
   */
  retryWebhooks(options: RetryWebhooksOptions): Promise<RetriedWebhooks>;
}

export function createAdminGames(ask: AskAsOperator): AdminGames {
  return {
    async counts(options) {
      const operation = operationAt(adminOperations.readCounts, gameOf(options));
      const { environment, from, to } = options;
      const query = { env: readEnvironment(environment), from, to };
      for (const day of [from, to]) {
        if (day !== undefined && typeof day !== 'string') throw new TypeError('from and to must be days as 2026-12-01');
      }
      return (await ask({ operation, query, answer: checkedBy(countsAnswer), ...callOf(options) })).days;
    },

    async conflicts(options) {
      const operation = operationAt(adminOperations.listConflicts, gameOf(options));
      const query = { env: readEnvironment(options.environment), ...pageQuery(options) };
      return ask({ operation, query, answer: checkedBy(conflictsAnswer), ...callOf(options) });
    },

    async choices(options) {
      const operation = operationAt(adminOperations.listChoices, gameOf(options));
      const query = { env: readEnvironment(options.environment), ...pageQuery(options) };
      return ask({ operation, query, answer: checkedBy(choicesAnswer), ...callOf(options) });
    },

    async webhooks(options) {
      const operation = operationAt(adminOperations.readWebhooks, gameOf(options));
      return ask({ operation, query: pageQuery(options), answer: checkedBy(webhookQueueAnswer), ...callOf(options) });
    },

    async retryWebhooks(options) {
      const operation = operationAt(adminOperations.retryWebhooks, gameOf(options));
      const body = options.id === undefined ? {} : { id: readUuid(options.id, 'id') };
      const answer = checkedBy(retriedWebhooksAnswer);
      // An event that is sent again is not set aside any more: the second answer would tell of others, or of none.
      return ask({ operation, body, answer, mayRepeat: onlyOnce, ...callOf(options) });
    },
  };
}

function gameOf(options: { gameId: string }): { game: string } {
  return { game: readUuid(readObject(options, 'options').gameId, 'gameId') };
}
