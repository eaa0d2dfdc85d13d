/**
 * What happened to a player's account, as far as the service still knows it. Ours: the interface has no such requests.
 */
import * as z from 'zod/mini';
import { type PlayerChoice, playerChoice } from './admin-choices.js';
import { type AuditEntry, auditEntry, type EntrySummary, entrySummary } from './admin-messages.js';
import { uuid } from './messages.js';
import { type SnapshotSummary, snapshotSummary } from './player-messages.js';

/**
 * The kinds of events. Of the same moment the first of these are the later ones: who links a method as the account is
 * made is told after that it was made.
 */
export const timelineKinds = [
  'deleted',
  'orphaned',
  'operator',
  'written',
  'kept',
  'undone',
  'chosen',
  'conflict',
  'signed_in',
  'linked',
  'made',
] as const;

/** The kind of an event in a player's timeline. */
export type TimelineKind = (typeof timelineKinds)[number];

function event<Kind extends TimelineKind, Shape extends z.core.$ZodShape>(kind: Kind, shape: Shape) {
  return z.object({ kind: z.literal(kind), at: z.int(), ...shape });
}

export const timelineEvent = z.union([
  event('made', {}),
  event('linked', {
    method: z.string(),
    label: z.optional(z.string()),
    subject: z.optional(z.string()),
    device: z.optional(z.string()),
    lastUsedAt: z.int(),
  }),
  event('signed_in', {
    session: uuid,
    method: z.string(),
    device: z.string(),
    authenticatedAt: z.int(),
    refreshedAt: z.int(),
    expiresAt: z.int(),
  }),
  event('conflict', { method: z.string(), localUserId: uuid, cloudUserId: uuid, expiresAt: z.int() }),
  event('chosen', {
    choice: playerChoice.shape.choice,
    fromUserId: uuid,
    undo: z.optional(z.object({ id: uuid, methods: playerChoice.shape.methods, expiresAt: z.int() })),
    snapshot: z.optional(snapshotSummary),
  }),
  event('kept', { snapshot: snapshotSummary }),
  event('undone', { snapshot: snapshotSummary }),
  event('written', { entry: entrySummary }),
  event('operator', { deed: auditEntry }),
  event('orphaned', { removedAt: z.int() }),
  event('deleted', { by: z.enum(['player', 'operator']), removedAt: z.int() }),
]);

export const timelineAnswer = z.object({ events: z.array(timelineEvent), cursor: z.optional(z.string()) });

/** What every event has. */
interface TimelineMoment<Kind extends TimelineKind> {
  /** What happened. */
  kind: Kind;
  /** When, by the service's clock in ms since 1970. */
  at: number;
}

/** The account was made. */
export interface AccountMade extends TimelineMoment<'made'> {}

/** A login method or a device leads to the account, and has done so since then. */
export interface MethodLinked extends TimelineMoment<'linked'> {
  /** The kind of the login method; `device` for a device. */
  method: string;
  /** What the player is shown of it, such as the name; absent where there is nothing to show. */
  label?: string | undefined;
  /** Who the player is there, as `FoundMethod` has it. */
  subject?: string | undefined;
  /** The name of the device, which lets nobody in; absent for all other methods. */
  device?: string | undefined;
  /** When somebody last came by it: of a day in UTC the first time. */
  lastUsedAt: number;
}

/** A session began, and is open still. One that has ended leaves nothing behind. */
export interface SignedIn extends TimelineMoment<'signed_in'> {
  /** The session's id. */
  session: string;
  /** The login method that it comes from: the one that the player has shown last. */
  method: string;
  /** The name of the device that it is on. */
  device: string;
  /** When the player last showed the login method. */
  authenticatedAt: number;
  /** When its tokens were last made anew, which a running game does about once an hour. */
  refreshedAt: number;
  /** When it ends if it is not used. */
  expiresAt: number;
}

/** A sign-in met another account, and the player has not chosen yet. */
export interface ConflictMet extends TimelineMoment<'conflict'> {
  /** The login method that was shown. */
  method: string;
  /** The account that the player is signed in to. */
  localUserId: string;
  /** The account that the login method leads to. */
  cloudUserId: string;
  /** Until when the choice is open. */
  expiresAt: number;
}

/** The account was chosen in a conflict, or an operator merged another one into it. */
export interface AccountChosen extends TimelineMoment<'chosen'> {
  /**
   * What was chosen. `support` for an operator's merge; of one that is not the latest it is `cloud` or
   * `merge`, as its snapshot has it.
   */
  choice: PlayerChoice['choice'];
  /** The other account. */
  fromUserId: string;
  /** How the choice can be taken back; absent where it cannot any more: it is not the latest, or too old. */
  undo?: Pick<PlayerChoice, 'id' | 'methods' | 'expiresAt'> | undefined;
  /** The saves of the other account, which can be restored; absent where it had none, or they are kept no longer. */
  snapshot?: SnapshotSummary | undefined;
}

/** Saves of this account were replaced, or came second, and are kept: they can be restored. */
export interface EntriesKept extends TimelineMoment<'kept'> {
  /** What keeps them, and why. */
  snapshot: SnapshotSummary;
}

/** Saves were written back from a snapshot, by the player, or by an operator, of whom another event tells as well. */
export interface EntriesRestored extends TimelineMoment<'undone'> {
  /** What keeps the saves that were there before, which takes this back. */
  snapshot: SnapshotSummary;
}

/**
 * An entry was written for the last time: it has been as it is since then. Of earlier writes there is what was kept.
 */
export interface EntryWritten extends TimelineMoment<'written'> {
  /** The entry, without its value. */
  entry: EntrySummary;
}

/** An operator did something. */
export interface OperatorDid extends TimelineMoment<'operator'> {
  /** The entry of the audit log. */
  deed: AuditEntry;
}

/** Nothing has led to the account since then. */
export interface AccountOrphaned extends TimelineMoment<'orphaned'> {
  /** When the account is removed for good. */
  removedAt: number;
}

/** The account has been deleted since then, which can be taken back until it is removed. */
export interface DeletionBegun extends TimelineMoment<'deleted'> {
  /** Who began it. */
  by: 'player' | 'operator';
  /** When the account is removed for good. */
  removedAt: number;
}

/** Something that happened to a player's account; `kind` says what. */
export type TimelineEvent =
  | AccountMade
  | MethodLinked
  | SignedIn
  | ConflictMet
  | AccountChosen
  | EntriesKept
  | EntriesRestored
  | EntryWritten
  | OperatorDid
  | AccountOrphaned
  | DeletionBegun;
