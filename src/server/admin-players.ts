import {
  type AdminEntry,
  type AdminPlayer,
  type EntrySummary,
  entriesAnswer,
  entryAnswer,
  type PlayerSummary,
  playerAnswer,
  playersAnswer,
} from '../protocol/admin-messages.js';
import { adminOperations } from '../protocol/admin-operations.js';
import { type TimelineEvent, timelineAnswer } from '../protocol/admin-timeline.js';
import type { Environment } from '../protocol/environments.js';
import {
  type PlacedEntry,
  type SnapshotSummary,
  snapshotAnswer,
  snapshotsAnswer,
} from '../protocol/player-messages.js';
import { checkedBy } from '../protocol/schema-check.js';
import {
  type AdminCallOptions,
  type AdminPageOptions,
  type AuditPage,
  pageQuery,
  readAuditPage,
} from './admin-pages.js';
import {
  type AdminEntryOptions,
  type AdminPlayerChanges,
  createPlayerChanges,
  entryNameOf,
} from './admin-player-changes.js';
import { type AdminPlayerChoices, createPlayerChoices } from './admin-player-choices.js';
import { type AdminRequests, callOf, operationAt } from './admin-requests.js';
import { readEnvironment, readObject, readUuid } from './options.js';

/** Whose players are asked for. */
export interface PlayersOptions {
  /** The game's id, a UUID. */
  gameId: string;
  /** The environment: 0 is Development, 1 is Stage, 2 is Production. */
  environment: Environment;
}

/** Which players a list has. */
export interface ListPlayersOptions extends AdminPageOptions {
  /**
   * What orders the list, the latest first; `newest` by default. `newest` and `last_seen` have all players,
   * `orphaned` those whose account nothing leads to, `deleted` those who are being deleted, `banned` those who are
   * kept out, by when that ends.
   */
  list?: 'newest' | 'last_seen' | 'orphaned' | 'deleted' | 'banned' | undefined;
}

/** A page of players. */
export interface PlayersPage {
  /** The players. */
  players: PlayerSummary[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/**
 * Who is looked for, by one of these. Each is taken as a whole and letter for letter, but for the spelling of a name.
 */
export type FindPlayerOptions = AdminCallOptions &
  (
    | {
        /** The user id. */
        id: string;
      }
    | {
        /** The name, in any spelling that is taken for the same. */
        name: string;
      }
    | {
        /** The game's own id, as the game's back end has given it to `authenticate`. */
        customId: string;
      }
    | {
        /** `identity` for an ID token's player, `social` for one of a social platform. */
        method: 'identity' | 'social';
        /** The issuer of the ID tokens, or the platform's name. */
        provider: string;
        /** The player's id there. */
        subject: string;
      }
  );

/** A page of a player's entries. */
export interface EntriesPage {
  /** The entries, by collection and key. */
  entries: EntrySummary[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/** A page of what happened to a player. */
export interface TimelinePage {
  /** What happened, newest first. */
  events: TimelineEvent[];
  /** Asks for the next page; absent on the last one. */
  cursor?: string | undefined;
}

/** A snapshot with what is in it. */
export interface AdminSnapshot extends SnapshotSummary {
  /** The entries as they were. */
  content: PlacedEntry[];
}

/**
 * The players of one game in one environment, as an operator sees them. Besides the codes of `AdminClient`, every
 * call fails with `not_found` where the service has no such game, and those that name a player with
 * `user_not_found` where there is none.
 */
export interface AdminPlayers extends AdminPlayerChanges, AdminPlayerChoices {
  /**
   * Reads a page of a list of players. Players who come or go meanwhile may be on any page or none; all
   * others are on one page, once.
   */
  list(options?: ListPlayersOptions): Promise<PlayersPage>;
  /** Finds the player who is called so: one, or none. */
  find(options: FindPlayerOptions): Promise<PlayerSummary[]>;
  /** Reads all that can be said of a player without what is in the saves. */
  get(userId: string, options?: AdminCallOptions): Promise<AdminPlayer>;
  /**
   * Reads a page of what happened to a player, newest first, as far as the service still knows it: of sessions those
   * that are open, of each entry the last write, and of what was overwritten or not chosen the snapshots, which can be
   * restored. What happens while it is read comes before the first page; all else is on one page, once. Of an account
   * that is gone it has what operators have done.
   */
  timeline(userId: string, options?: AdminPageOptions): Promise<TimelinePage>;
  /**
   * Reads a page of what operators have done to a player, newest first. What the player has chosen in conflicts is in
   * `timeline`, as `chosen`.
   */
  audit(userId: string, options?: AdminPageOptions): Promise<AuditPage>;
  /** Reads a page of a player's entries, without their values. */
  entries(userId: string, options?: AdminPageOptions): Promise<EntriesPage>;
  /** Reads an entry with its value. Fails with `not_found` where the player has none of this name. */
  entry(userId: string, options: AdminEntryOptions): Promise<AdminEntry>;
  /**
   * Lists a player's snapshots, newest first. The `reason` of one says which choice in a conflict made it, and
   * `fromUserId` whose entries they were.
   */
  snapshots(userId: string, options?: AdminCallOptions): Promise<SnapshotSummary[]>;
  /** Reads a snapshot with its entries. Fails with `not_found` where there is none. */
  snapshot(userId: string, snapshotId: string, options?: AdminCallOptions): Promise<AdminSnapshot>;
}

export function createAdminPlayers({ ask, write }: AdminRequests, options: PlayersOptions): AdminPlayers {
  const { gameId, environment } = readObject(options, 'options');
  const game = readUuid(gameId, 'gameId');
  const env = { env: readEnvironment(environment) };
  const at = (userId: string) => ({ game, user: readUuid(userId, 'userId') });
  const list = operationAt(adminOperations.listPlayers, { game });

  return {
    async list(options = {}) {
      const query = { ...env, list: readObject(options, 'options').list, ...pageQuery(options) };
      return ask({ operation: list, query, answer: checkedBy(playersAnswer), ...callOf(options) });
    },

    async find(options) {
      const query = { ...env, ...searchQuery(options) };
      const found = await ask({ operation: list, query, answer: checkedBy(playersAnswer), ...callOf(options) });
      return found.players;
    },

    async get(userId, options) {
      const operation = operationAt(adminOperations.readPlayer, at(userId));
      return ask({ operation, query: env, answer: checkedBy(playerAnswer), ...callOf(options) });
    },

    async timeline(userId, options = {}) {
      const operation = operationAt(adminOperations.readPlayerTimeline, at(userId));
      const query = { ...env, ...pageQuery(options) };
      return ask({ operation, query, answer: checkedBy(timelineAnswer), ...callOf(options) });
    },

    audit: async (userId, options = {}) =>
      readAuditPage(ask, operationAt(adminOperations.readPlayerAudit, at(userId)), env, options),

    async entries(userId, options = {}) {
      const operation = operationAt(adminOperations.listPlayerEntries, at(userId));
      const query = { ...env, ...pageQuery(options) };
      return ask({ operation, query, answer: checkedBy(entriesAnswer), ...callOf(options) });
    },

    async entry(userId, options) {
      const operation = operationAt(adminOperations.readPlayerEntry, { ...at(userId), ...entryNameOf(options) });
      return ask({ operation, query: env, answer: checkedBy(entryAnswer), ...callOf(options) });
    },

    async snapshots(userId, options) {
      const operation = operationAt(adminOperations.listPlayerSnapshots, at(userId));
      const answer = checkedBy(snapshotsAnswer);
      return (await ask({ operation, query: env, answer, ...callOf(options) })).snapshots;
    },

    async snapshot(userId, snapshotId, options) {
      const snapshot = readUuid(snapshotId, 'snapshotId');
      const operation = operationAt(adminOperations.readPlayerSnapshot, { ...at(userId), snapshot });
      return ask({ operation, query: env, answer: checkedBy(snapshotAnswer), ...callOf(options) });
    },
    ...createPlayerChanges({ ask, write }, { game, environment }),
    ...createPlayerChoices({ ask, write }, { game, environment }),
  };
}

type Search = { readonly [name in 'id' | 'name' | 'customId' | 'method' | 'provider' | 'subject']?: string };

function searchQuery(options: FindPlayerOptions): { [name: string]: string } {
  const asked: Search = readObject(options, 'options');
  const { id, name, customId, method, provider, subject } = asked;
  const query = { id, name, custom: customId, method, provider, subject };
  const given = Object.entries(query).flatMap(([of, text]) => (text === undefined ? [] : [[of, text] as const]));
  if (given.length === 0)
    throw new TypeError('options must have id, name, customId, or method with provider and subject');
  for (const [of, text] of given) if (typeof text !== 'string') throw new TypeError(`${of} must be a text`);
  return Object.fromEntries(given);
}
