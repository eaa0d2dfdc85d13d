import type { Control, Fault } from '../../backend/index.js';
import { type FailureCode, failures } from '../../protocol/failures.js';
import { UsageError } from '../usage-error.js';

/** How a request can go wrong, and how often: shares of all requests, from 0 to 1. */
export type FaultRates = { readonly [fault in (typeof faultNames)[number]]: number };

const faultNames = ['slow', '503', 'lost', 'offline'] as const;
const someFaults: FaultRates = { slow: 0.1, '503': 0.05, lost: 0.05, offline: 0.05 };
const none: FaultRates = { slow: 0, '503': 0, lost: 0, offline: 0 };

export const slowMs = 2_000;

/** Reads `slow=0.2,503=0.1`, or `some`. */
export function readFaults(text: string): FaultRates {
  if (text === 'some') return someFaults;
  const rates = text.split(',').map((part) => {
    const [name = '', rate = ''] = part.trim().split('=');
    const isKnown = (faultNames as readonly string[]).includes(name);
    if (!isKnown || !/^(0|1|0?\.\d+|1\.0+|0\.0+)$/.test(rate)) {
      throw new UsageError(`--faults takes some, or shares such as slow=0.2,503=0.1 of: ${faultNames.join(', ')}`);
    }
    return [name, Number(rate)] as const;
  });
  const read = { ...none, ...Object.fromEntries(rates) };
  if (faultNames.reduce((sum, name) => sum + read[name], 0) > 1.000_001) {
    throw new UsageError('--faults: all shares together must not be more than 1');
  }
  return read;
}

/** Which requests go wrong in `savepoint dev`, how, and how often: as the console's page shows and sets it. */
export interface PlannedFault {
  /** The name of an operation or the pattern of a path; null for every request. */
  route: string | null;
  /** A user id; null for every player. */
  player: string | null;
  fault: 'offline' | 'slow' | 'lost_answer' | 'malformed' | 'code';
  /** For `slow`: how long. */
  ms?: number | undefined;
  /** For `code`: which. */
  code?: FailureCode | undefined;
  /** Of the requests that it is for, from 0 to 1. */
  share: number;
}

/** What `--faults` asks for. */
export function plansOf(rates: FaultRates | null): PlannedFault[] {
  if (rates === null) return [];
  const everything = { route: null, player: null };
  const plans: PlannedFault[] = [
    { ...everything, fault: 'slow', ms: slowMs, share: rates.slow },
    { ...everything, fault: 'code', code: 'unavailable', share: rates['503'] },
    { ...everything, fault: 'lost_answer', share: rates.lost },
    { ...everything, fault: 'offline', share: rates.offline },
  ];
  return plans.filter(({ share }) => share > 0);
}

/** Puts these plans in the place of all that there were. Throws TypeError naming what is wrong with one. */
export function planFaults(control: Control, plans: readonly PlannedFault[]): void {
  control.restore();
  for (const plan of plans) {
    const { route, player, share } = plan;
    // A share of nothing is a plan that is switched off.
    if (share === 0) continue;
    control.fail({
      ...(route === null ? {} : { route: route as never }),
      ...(player === null ? {} : { player }),
      share,
      times: Number.POSITIVE_INFINITY,
      with: faultOf(plan),
    });
  }
}

function faultOf({ fault, ms = slowMs, code = 'unavailable' }: PlannedFault): Fault {
  if (fault === 'slow') return { slowMs: ms };
  if (fault === 'lost_answer') return 'lost-answer';
  if (fault !== 'code') return fault;
  const { status } = failures[code];
  return { status, code, ...(status === 429 || status === 503 ? { retryAfter: 1 } : {}) };
}
