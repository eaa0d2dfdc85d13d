import { vi } from 'vitest';
import { isRefusedConnection } from '../../src/http/refused-connection.js';
import { createSender, type Sender, type SenderOptions } from '../../src/http/sender.js';

type Step = Response | Error | ((request: Request) => Response | Promise<Response>);

export interface ScriptedService {
  /** Sends a call, and lets the time pass that it takes. */
  send: Sender;
  /** Sends a call while time stands still. */
  sendHeld: Sender;
  requests: Request[];
  /** What the requests carried. */
  bodies: Promise<string>[];
  /** The pauses between the tries, in ms. */
  readonly waits: number[];
}

/** When the tests of a sender begin, ms since 1970. */
export const start = 1_760_000_000_000;

/** Timers and the clock stand still but for what `settled` lets pass. */
export function holdTime(): void {
  vi.useFakeTimers({ now: start });
}

/** Lets time pass until the work is done, from one timer to the next; gives what it gives. */
export async function settled<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = (): void => {
    isDone = true;
  };
  work.then(done, done);
  while (!isDone) await vi.advanceTimersToNextTimerAsync();
  return work;
}

/** A sender whose tries are answered one after the other. */
export function scriptedService(steps: Step[], options: SenderOptions = {}): ScriptedService {
  const requests: Request[] = [];
  const bodies: Promise<string>[] = [];
  const times: number[] = [];
  const sendHeld = createSender({
    random: () => 0,
    wasRefused: isRefusedConnection,
    fetch: async (request) => {
      const step = steps[requests.length];
      times.push(Date.now());
      requests.push(request);
      bodies.push(request.clone().text());
      if (step === undefined) throw new Error(`nobody expected try ${requests.length}`);
      if (step instanceof Error) throw step;
      return step instanceof Response ? step : step(request);
    },
    ...options,
  });
  return {
    send: (call) => settled(sendHeld(call)),
    sendHeld,
    requests,
    bodies,
    get waits() {
      return times.slice(1).map((time, index) => time - (times[index] ?? 0));
    },
  };
}

/** What a service refuses with. */
export function refusal(
  status: number,
  code: string,
  more: object = {},
  headers: Record<string, string> = {},
): Response {
  const body = { type: 'about:blank', title: 'No.', status, code, ...more };
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json', ...headers } });
}

/** What Node's fetch throws where nobody listens. */
export function refusedConnection(): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) });
}
