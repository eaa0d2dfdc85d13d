/** What operators are told of a game's days. Ours: the interface has no such requests. */
import * as z from 'zod/mini';

const signIns = z.object({
  device: z.int(),
  name: z.int(),
  identity: z.int(),
  social: z.int(),
  custom: z.int(),
  recovery: z.int(),
});

const choices = z.object({ local: z.int(), cloud: z.int(), merge: z.int() });

const dayCounts = z.object({
  day: z.string(),
  new: z.int(),
  active: z.int(),
  conflicts: z.int(),
  choices,
  signIns,
});

/** What happened on a day. */
export interface DayCounts {
  /** The day in UTC, as `2026-12-01`. */
  day: string;
  /** How many accounts were made, among them those of players who were taken over from elsewhere. */
  new: number;
  /** To how many accounts somebody came: each once a day, by a sign-in, or by the day's first refresh of a session. */
  active: number;
  /** How often a sign-in met another account. */
  conflicts: number;
  /** What the players chose then. */
  choices: {
    /** The account that they were signed in to. */
    local: number;
    /** The account that the login method led to. */
    cloud: number;
    /** That one, with both accounts' saves merged. */
    merge: number;
  };
  /** How many sessions began, by the login method that the player has shown. */
  signIns: {
    /** The device: a guest, or a device that is linked to an account. */
    device: number;
    /** A name and a password. */
    name: number;
    /** An ID token. */
    identity: number;
    /** A token of a social platform. */
    social: number;
    /** The word of the game's back end. */
    custom: number;
    /** A recovery code. */
    recovery: number;
  };
}

export const countsAnswer = z.object({ days: z.array(dayCounts) });
