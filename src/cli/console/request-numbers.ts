/** What was asked within ten seconds. */
export interface CountedRequests {
  /** When they begin, in ms since 1970. */
  time: number;
  count: number;
  /** How many failed by the service's fault: a status from 500 up, or no answer. */
  errors: number;
  /** How long half of them took at most, and all but one in a hundred, in ms. */
  p50: number;
  p99: number;
}

/** Counts requests by ten seconds, for half an hour. */
export interface RequestNumbers {
  take(request: { status: number | null; ms: number }): void;
  /** Oldest first; none for ten seconds in which nobody asked. */
  steps(): RequestStep[];
}

/** The requests of ten seconds by how long they took, so that those of several processes can be added up. */
export interface RequestStep {
  time: number;
  errors: number;
  /** How many took so many ms. */
  durations: [ms: number, times: number][];
}

const stepMs = 10_000;
const keptSteps = 180;

interface Step {
  time: number;
  errors: number;
  /** How many took so many ms, rounded so that there are some hundreds of durations at most. */
  durations: Map<number, number>;
}

export function createRequestNumbers(now: () => number): RequestNumbers {
  let steps: Step[] = [];

  function forgetOld(time: number): void {
    const oldest = time - (keptSteps - 1) * stepMs;
    if (steps.some((step) => step.time < oldest || step.time > time)) {
      steps = steps.filter((step) => step.time >= oldest && step.time <= time);
    }
  }

  return {
    take({ status, ms }) {
      const time = Math.floor(now() / stepMs) * stepMs;
      let step = steps.at(-1);
      if (step?.time !== time) {
        forgetOld(time);
        step = { time, errors: 0, durations: new Map() };
        steps.push(step);
      }
      if (status === null || status >= 500) step.errors += 1;
      const duration = rounded(ms);
      step.durations.set(duration, (step.durations.get(duration) ?? 0) + 1);
    },

    steps() {
      forgetOld(Math.floor(now() / stepMs) * stepMs);
      return steps.map(({ time, errors, durations }) => ({ time, errors, durations: [...durations] }));
    },
  };
}

/** The requests of all processes together, oldest first. */
export function countedOf(processes: readonly (readonly RequestStep[])[]): CountedRequests[] {
  const all = new Map<number, Step>();
  for (const { time, errors, durations } of processes.flat()) {
    const step = all.get(time) ?? { time, errors: 0, durations: new Map<number, number>() };
    step.errors += errors;
    for (const [ms, times] of durations) step.durations.set(ms, (step.durations.get(ms) ?? 0) + times);
    all.set(time, step);
  }
  return [...all.values()]
    .sort((one, other) => one.time - other.time)
    .map(({ time, errors, durations }) => {
      const sorted = [...durations].sort(([one], [other]) => one - other);
      const count = sorted.reduce((sum, [, times]) => sum + times, 0);
      return { time, count, errors, p50: quantile(sorted, count * 0.5), p99: quantile(sorted, count * 0.99) };
    });
}

/** Two figures are enough for a picture, and bound how many durations there are. */
function rounded(ms: number): number {
  return ms < 100 ? Math.max(0, Math.round(ms)) : Number(ms.toPrecision(2));
}

/** The duration within which so many were answered. */
function quantile(sorted: readonly (readonly [ms: number, times: number])[], many: number): number {
  let sum = 0;
  for (const [ms, times] of sorted) {
    sum += times;
    if (sum >= many) return ms;
  }
  return 0;
}
