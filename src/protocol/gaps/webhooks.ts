import { days, hours, minutes, seconds } from './units.js';

/** How the service tells a game's back end of its accounts. */
export const webhookDefaults = {
  /** How long the game's back end may take to answer. */
  webhookTimeoutMs: seconds(10),
  /** How long one process has an event to itself, so that no other one delivers it meanwhile. */
  webhookLeaseMs: minutes(1),
  /** How many events of a game a process delivers at once, each of another account. */
  webhooksAtOnce: 8,
  /** How long an event waits that could not be delivered, at first; twice as long each time. */
  webhookRetryMinMs: seconds(10),
  /** How long it waits in the end. */
  webhookRetryMaxMs: hours(1),
  /** How often an event is tried, which takes about a day; then it waits for an operator. */
  webhookTries: 32,
  /** How long an event is kept that could not be delivered. */
  webhookKeptMs: days(30),
  eventsPerGame: 100_000,
  /** For how many days operators and metrics are shown how many events were lost, today's among them. */
  webhooksLostDays: 30,
  /** How long a process shows in its metrics how many events wait before it counts them again. */
  webhookCountMs: seconds(30),
  /**
   * How many events of a game are counted at most, for operators and metrics: where it says so many there may be more.
   */
  webhooksCounted: 10_000,
  /** How many events that were set aside one request of an operator has sent again. */
  webhooksRetriedAtOnce: 1_000,
} as const;
