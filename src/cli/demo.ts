import type { GameOptions } from '../backend/index.js';
import { isLoopbackHost } from '../backend/loopback.js';

export const usualPort = 4873;
export const usualHost = '127.0.0.1';

/** The game that `savepoint dev` has ready. Everybody knows its key. */
export const demoGame = {
  id: '5a7e9017-0c01-4d1e-8a9b-3c0ffee04873',
  privateKey: 'demo-private-key-for-development-only',
} as const;

/** A social network for development: `demo:ada` is the token of its user ada. */
export const demoPlatforms = {
  demo: (token: string) => {
    const id = /^demo:([\w.-]{1,64})$/.exec(token)?.[1];
    return id === undefined ? null : { id };
  },
} satisfies GameOptions['socialPlatforms'];

/** Pages of this machine, on any port. */
export function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  if (protocol !== 'http:' && protocol !== 'https:') return false;
  return isLoopbackHost(hostname);
}
