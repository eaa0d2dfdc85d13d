import type { Environment } from '../../protocol/environments.js';
import type { Io } from '../io.js';
import { ask } from './ask.js';
import { NotThere, type Said, type World } from './world.js';

export interface Deployment {
  baseUrl: string;
  authUrl: string;
  gameId: string;
  environment: Environment;
  privateKey: string;
  operatorKey: string | null;
  origin: string | null;
}

/** The world of one run. */
export interface Visit extends World {
  /** The accounts that were made, with the sessions that may still live, the youngest first. */
  accounts(): Map<string, string[]>;
}

/** `run`: a few characters of `[a-z0-9]`, never used before. */
export function visit(deployment: Deployment, { run, wait, err }: { run: string } & Pick<Io, 'wait' | 'err'>): Visit {
  const said = new Map<string, { body: Partial<Said>; at: number }>();
  let offsetMs = 0;

  return {
    ...deployment,
    run,
    now: () => Math.round(Date.now() + offsetMs),
    tell: (what) => err(`${what}\n`),
    toBase: (request) => ask(deployment.baseUrl, request),
    toAuth: (request) => ask(deployment.authUrl, request),

    remember(name, { json }) {
      const body = typeof json === 'object' && json !== null ? json : {};
      said.set(name, { body, at: performance.now() });
      const time: unknown = (body as { time?: unknown }).time;
      // The service's clock is the one that counts for signatures.
      if (typeof time === 'number') offsetMs = time - Date.now();
    },

    said(name) {
      const found = said.get(name);
      if (found === undefined) throw new NotThere();
      return found.body as Said;
    },

    async since(name, ms) {
      const found = said.get(name);
      if (found === undefined) throw new NotThere();
      await wait(Math.max(0, Math.ceil(found.at + ms - performance.now())));
    },

    accounts() {
      const found = new Map<string, string[]>();
      for (const { body } of [...said.values()].reverse()) {
        const { userId, accessToken } = body;
        if (typeof userId !== 'string' || typeof accessToken !== 'string') continue;
        found.set(userId, [...(found.get(userId) ?? []), accessToken]);
      }
      return found;
    },
  };
}
