import type { Answer, TestService } from '../../support/service.js';
import type { ServiceProcess } from '../../support/store-processes.js';
import type { Random } from '../stores/writers.js';

/** An answer, and how many answers to the same request got lost before it: each of those may have been carried out. */
export interface Told<Body> extends Answer<Body> {
  lost: number;
}

/** Two processes of one service, of which either may be killed at any time. */
export interface Processes {
  /**
   * Asks one of the two, and the other one where that is killed, until there is an answer. 503 says that nothing was done,
   * and is asked again; any other failure of the service is one.
   */
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is in it.
  ask<Body = any>(call: (service: TestService) => Promise<Answer<Body>>, first?: 0 | 1): Promise<Told<Body>>;
  /** Sends a request of a client to one that runs. */
  fetch(request: Request): Promise<Response>;
  figures: { answers: number; lost: number; unavailable: number; kills: number };
  /** Waits until nobody is killed or started any more. */
  settle(): Promise<void>;
}

export interface KillPlan {
  serve: () => Promise<ServiceProcess>;
  /** After how many answers, with both of them there, the next one is killed. */
  answersPerKill: number;
  random: Random;
  wrong: (what: string) => void;
}

const maxTries = 60;

export async function startProcesses({ serve, answersPerKill, random, wrong }: KillPlan): Promise<Processes> {
  const running: (ServiceProcess | null)[] = await Promise.all([serve(), serve()]);
  const figures = { answers: 0, lost: 0, unavailable: 0, kills: 0 };
  let sinceStart = 0;
  let change: Promise<void> | null = null;
  let isSettling = false;

  async function killOne(): Promise<void> {
    const at = random(2);
    const killed = running[at];
    running[at] = null;
    await killed?.kill();
    figures.kills += 1;
    running[at] = await serve();
    sinceStart = 0;
  }

  function count(): void {
    figures.answers += 1;
    sinceStart += 1;
    if (isSettling || change !== null || sinceStart < answersPerKill) return;
    change = killOne().finally(() => {
      change = null;
    });
  }

  function find(first: number): ServiceProcess {
    const found = running[first % 2] ?? running[(first + 1) % 2];
    if (found === undefined || found === null) throw new Error('Neither process is there.');
    return found;
  }

  return {
    figures,
    async ask(call, first) {
      let lost = 0;
      const start = first ?? random(2);
      for (let tries = 0; tries < maxTries; tries += 1) {
        try {
          const answer = await call(find(start + tries));
          count();
          if (answer.status < 500) return { ...answer, lost };
          const { code } = answer.body as { code?: string };
          if (answer.status !== 503 || code !== 'unavailable') {
            wrong(`${answer.status} ${code}`);
            return { ...answer, lost };
          }
          figures.unavailable += 1;
        } catch (error) {
          if (!(error instanceof TypeError)) throw error;
          // Who could not even connect has sent nothing.
          if ((error.cause as { code?: string } | undefined)?.code === 'ECONNREFUSED') continue;
          lost += 1;
          figures.lost += 1;
        }
      }
      throw new Error(`Nobody has answered in ${maxTries} tries.`);
    },
    async fetch(request) {
      const service = find(random(2));
      const { pathname, search } = new URL(request.url);
      const { method, headers, signal } = request;
      const text = await request.text();
      const moved = { method, headers, signal, ...(text === '' ? {} : { body: text }) };
      const response = await service.fetch(new Request(`${service.baseUrl}${pathname}${search}`, moved));
      count();
      return response;
    },
    async settle() {
      isSettling = true;
      while (change !== null) await change;
    },
  };
}
