import type { JWK } from 'jose';
import type { BackendOptions, GameOptions } from './options.js';
import type { Store } from './stores/store.js';

/** A secret that stands elsewhere: in a variable of the environment, or in a file of its own. */
export type SecretReference = { env: string } | { file: string };

export interface GameConfig extends Omit<GameOptions, 'privateKeys'> {
  /** One key, or two while the old one is replaced. Left out, it comes from SAVEPOINT_PRIVATE_KEY. */
  privateKeys?: readonly (string | SecretReference)[];
}

type Ours =
  | 'games'
  | 'store'
  | 'signingKey'
  | 'formerSigningKeys'
  | 'clock'
  | 'random'
  | 'log'
  | 'insecureFastPasswordsForTests';

/** What `savepoint serve` and `savepoint dev --config` read from a file. Options of the command line go before it. */
export interface ServiceConfig extends Omit<BackendOptions, Ours> {
  games?: readonly GameConfig[];
  /** A file, the address of a PostgreSQL database, `memory`, or a store that is open already. */
  store?: string | SecretReference | Store;
  /** A private EC P-256 JWK: `savepoint new-key signing` makes one. */
  signingKey?: JWK | SecretReference;
  /**
   * Keys that it was before, so that no player notices a change of it: private ones for 30 days, as long as refresh tokens
   * live. What is referred to may be one JWK or a list.
   */
  formerSigningKeys?: readonly (JWK | SecretReference)[];
  port?: number;
  /** Who can reach it: only this machine by default (127.0.0.1). */
  host?: string;
  /** How `savepoint serve` ends. */
  drain?: {
    /** How long it goes on to listen, saying at `/health` that it ends, so that a load balancer can turn away; 0 by default. */
    noticeMs?: number;
    /** How long requests that run may go on; 10,000 by default. */
    maxMs?: number;
  };
}

/** Gives a configuration its type; a file `savepoint.config.ts` exports it as its default. */
export function defineConfig(config: ServiceConfig): ServiceConfig {
  return config;
}
