/** The clock of this machine, corrected by the time that the service last told. */
export interface ServiceClock {
  /** The service's time, in ms since 1970. */
  now(): number;
  /** Takes over the service's time, in ms since 1970. */
  correct(serverTime: number): void;
}

export function createServiceClock(now: () => number): ServiceClock {
  let offset = 0;
  return {
    now: () => now() + offset,
    correct: (serverTime) => {
      offset = serverTime - now();
    },
  };
}
