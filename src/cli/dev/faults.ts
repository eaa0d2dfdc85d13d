import type { Backend, Fault } from '../../backend/index.js';
import type { Io } from '../io.js';
import { UsageError } from '../usage-error.js';

/** How a request can go wrong, and how often: shares of all requests, from 0 to 1. */
export type FaultRates = { readonly [fault in (typeof faultNames)[number]]: number };

const faultNames = ['slow', '503', 'lost', 'offline'] as const;
const someFaults: FaultRates = { slow: 0.1, '503': 0.05, lost: 0.05, offline: 0.05 };
const none: FaultRates = { slow: 0, '503': 0, lost: 0, offline: 0 };

export const slowMs = 2_000;

const planned: { readonly [fault in Exclude<keyof FaultRates, 'slow'>]: Fault } = {
  '503': { status: 503, retryAfter: 1 },
  lost: 'lost-answer',
  offline: 'offline',
};

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

/** A service on which some requests go wrong. A page's question whether it may ask never does. */
export function withFaults(
  backend: Pick<Backend, 'fetch' | 'control'>,
  rates: FaultRates,
  { wait, random = Math.random }: Pick<Io, 'wait'> & { random?: () => number },
): Pick<Backend, 'fetch'> {
  return {
    async fetch(request, from) {
      const fault = request.method === 'OPTIONS' ? null : drawn(rates, random());
      if (fault === 'slow') await wait(slowMs);
      else if (fault !== null) backend.control.fail({ with: planned[fault] });
      return backend.fetch(request, from);
    },
  };
}

function drawn(rates: FaultRates, number: number): keyof FaultRates | null {
  let sum = 0;
  return (
    faultNames.find((name) => {
      sum += rates[name];
      return number < sum;
    }) ?? null
  );
}
