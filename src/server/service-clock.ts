/** Our clock, corrected by what the service last said of its own. */
export interface ServiceClock {
  /** Ms since 1970, as the service counts. */
  now(): number;
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
