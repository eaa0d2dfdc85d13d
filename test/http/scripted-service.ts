import { isRefusedConnection } from '../../src/http/refused-connection.js';
import { createSender, type Sender, type SenderOptions } from '../../src/http/sender.js';

type Step = Response | Error | ((request: Request) => Response | Promise<Response>);

export interface ScriptedService {
  send: Sender;
  requests: Request[];
  /** What the requests carried. */
  bodies: Promise<string>[];
  /** The pauses between the tries, in ms. */
  waits: number[];
  /** Moves the sender's clock. */
  advance(ms: number): void;
}

/** A sender whose tries are answered one after the other; the clock moves by its pauses alone. */
export function scriptedService(steps: Step[], options: SenderOptions = {}): ScriptedService {
  let time = 1_760_000_000_000;
  const requests: Request[] = [];
  const bodies: Promise<string>[] = [];
  const waits: number[] = [];
  const send = createSender({
    now: () => time,
    random: () => 0,
    wasRefused: isRefusedConnection,
    wait: async (ms) => {
      waits.push(ms);
      time += ms;
    },
    fetch: async (request) => {
      const step = steps[requests.length];
      requests.push(request);
      bodies.push(request.clone().text());
      if (step === undefined) throw new Error(`nobody expected try ${requests.length}`);
      if (step instanceof Error) throw step;
      return step instanceof Response ? step : step(request);
    },
    ...options,
  });
  return {
    send,
    requests,
    bodies,
    waits,
    advance: (ms) => {
      time += ms;
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
