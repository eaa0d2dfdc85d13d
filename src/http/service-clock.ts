/** The clock of this machine, corrected by the time that the service last told. */
export interface ServiceClock {
  /** The service's time, in ms since 1970; this machine's until the service has told it. */
  now(): number;
  /** The service's time minus this machine's, in ms. */
  readonly offset: number;
  /** Takes over the service's time, in ms since 1970. */
  correct(serverTime: number): void;
  /** Takes over an offset that was known before. */
  restore(offset: number): void;
}

export function createServiceClock(now: () => number): ServiceClock {
  let offset = 0;
  return {
    now: () => now() + offset,
    get offset() {
      return offset;
    },
    correct: (serverTime) => {
      offset = serverTime - now();
    },
    restore: (known) => {
      offset = known;
    },
  };
}
