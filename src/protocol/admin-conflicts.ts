/**
 * What operators ask about the open conflicts of a game, and what they are answered. Ours: the
 * interface has no such requests.
 */
import * as z from 'zod/mini';
import { linkMethods } from './conflict.js';
import { uuid } from './messages.js';

const openConflict = z.object({
  id: uuid,
  method: z.enum(linkMethods),
  localUserId: uuid,
  cloudUserId: uuid,
  openedAt: z.int(),
  expiresAt: z.int(),
});

/** A conflict in which a player has not chosen yet. All times are by the service's clock in ms since 1970. */
export interface GameConflict {
  /** The id of the player's session, which has this conflict and no other. */
  id: string;
  /** The login method that was shown. */
  method: string;
  /** The account that the player is signed in to. */
  localUserId: string;
  /** The account that the login method leads to. */
  cloudUserId: string;
  /** When the player was last asked. */
  openedAt: number;
  /** Until when the choice is open. */
  expiresAt: number;
}

export const conflictsAnswer = z.object({ conflicts: z.array(openConflict), cursor: z.optional(z.string()) });
