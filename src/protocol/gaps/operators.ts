import { days, minutes, seconds } from './units.js';

/** Operators' keys and the audit log (docs/operate/support.md). */
export const operatorDefaults = {
  /** The length of an operator's key that the environment gives, in characters. */
  operatorKeyLength: { min: 32, max: 256 },
  /** The length of the name of an operator's key, in characters. */
  operatorKeyNameLength: { min: 1, max: 64 },
  /** How long an entry of the audit log is kept. */
  auditKeptMs: days(365),
  /** How many items a page of an operator's list has, where the request does not say. */
  operatorPageItems: 50,
  /** How many items a page of an operator's list may have. */
  operatorPageMaxItems: 200,
  /** The length of what names the place of a page in such a list, in characters: it holds two names at most. */
  operatorCursorLength: 2_048,
  /** How many open conflicts of a player an operator is shown. */
  conflictsOfPlayer: 100,
  /** How long a process goes on with a session of the console before it asks the store whether somebody has signed out. */
  consoleSessionLookMs: seconds(2),
  /** How often an open list of requests in the console is asked whether its session counts still. */
  consoleBeatMs: seconds(3),
  /** How long the store knows that a session of the console was signed out after it would have ended by itself, for clocks that differ. */
  endedConsoleSessionKeptMs: minutes(10),
  /** How long the reason of a ban may be, in characters. */
  banReasonLength: 500,
  /** What an operator searches by may have so many characters. */
  operatorSearchLength: 512,
  /** How many days counts have where an operator asks for no first one. */
  countedDays: 30,
  /** How many days one answer has at most. */
  countedMaxDays: 366,
} as const;
