import type { JWK } from 'jose';
import type { BackendLimits, BackendOptions, GameOptions } from './options.js';
import type { PlatformSettings } from './platforms/preset.js';
import type { PortLimits } from './port-limits.js';
import type { PostgresLimits } from './stores/postgres/limits.js';
import type { Store } from './stores/store.js';

/**
 * Where a secret is kept instead of in the configuration: in a variable of the environment, or in a file of its own.
 */
export type SecretReference =
  | {
      /** The name of the environment variable that holds the secret. */
      env: string;
    }
  | {
      /** The path of the file that holds the secret; one line break at its end is ignored. */
      file: string;
    };

/** A game in a configuration file: as in `GameOptions`, but its private keys may be kept elsewhere. */
export interface GameConfig extends Omit<GameOptions, 'privateKeys' | 'platforms'> {
  /**
   * The game's private keys, as text or by reference: one, or two while the new one replaces the old one. Left out, the
   * key is taken from the environment variable SAVEPOINT_PRIVATE_KEY.
   */
  privateKeys?: readonly (string | SecretReference)[];
  /**
   * Social networks, game portals and identity providers by their presets, under the names that clients use for them.
   */
  platforms?: { readonly [name: string]: PlatformConfig };
}

/** A platform in a configuration file. */
export interface PlatformConfig {
  /** The name of the preset that checks its tokens, such as `discord`. */
  preset: string;
  /** What the preset needs to know, by the names of its fields; what is secret, by reference. */
  settings: { readonly [field: string]: PlatformSettings[string] | SecretReference };
}

/** Options that a configuration file writes in another way, or that only a program can give. */
type NotInConfig =
  | 'games'
  | 'store'
  | 'limits'
  | 'signingKey'
  | 'formerSigningKeys'
  | 'operatorKey'
  | 'sealingKey'
  | 'formerSealingKeys'
  | 'clock'
  | 'random'
  | 'log'
  | 'observer'
  | 'recordRequests'
  | 'insecureFastPasswordsForTests';

/**
 * What bounds a service, its port, and its waiting for PostgreSQL; docs/limits.md has all of them with their defaults.
 * `savepoint serve` takes each by `--limit <name>=<number>` as well, and how long a port lets requests go on by
 * `drain.maxMs`.
 */
export interface ServiceLimits extends BackendLimits, Omit<PortLimits, 'closeMs'>, PostgresLimits {}

/**
 * What `savepoint serve` and `savepoint dev --config` read from a file. An option of the command line replaces what the
 * file says.
 */
export interface ServiceConfig extends Omit<BackendOptions, NotInConfig> {
  /** The games that the service keeps players for. */
  games?: readonly GameConfig[];
  /**
   * Where everything is kept: the path of an SQLite file, the address of a PostgreSQL database (`postgres://…`),
   * `memory`, a reference to one of these, or a store that is open already.
   */
  store?: string | SecretReference | Store;
  /**
   * The key that signs tokens: a private EC P-256 JWK, such as `savepoint new-key signing` makes, or a reference to
   * one.
   */
  signingKey?: JWK | SecretReference;
  /**
   * Keys that signed tokens before `signingKey` did: while they are listed, the tokens that they signed are accepted.
   * Keep a former private key for 30 days, as long as refresh tokens live, and no player notices the change. A
   * reference may lead to one JWK or to a list of them.
   */
  formerSigningKeys?: readonly (JWK | SecretReference)[];
  /**
   * The first operator's key, which makes the other ones, or a reference to it; `savepoint new-key operator` makes one.
   */
  operatorKey?: string | SecretReference;
  /**
   * The key that seals the secrets of platforms that operators register, or a reference to it;
   * `savepoint new-key sealing` makes one.
   */
  sealingKey?: string | SecretReference;
  /** Keys that sealed before `sealingKey` did: while they are listed, what they sealed can be opened. */
  formerSealingKeys?: readonly (string | SecretReference)[];
  /** How much the service takes, how often, and how long it waits. */
  limits?: ServiceLimits;
  /** The TCP port to listen on; 4873 by default, and 0 takes a free one. */
  port?: number;
  /** The address to listen on. By default 127.0.0.1, which only this machine can reach; 0.0.0.0 is every address. */
  host?: string;
  /**
   * How many processes `savepoint serve` has on this machine, all on one port; 1 by default, at most 64. More than one
   * need PostgreSQL, and each has a pool of connections of its own.
   */
  processes?: number;
  /** Where `savepoint serve` shows its metrics to Prometheus; nowhere by default. It needs the package prom-client. */
  metrics?: {
    /** The TCP port of `/metrics`, another one than the service's; 0 takes a free one. */
    port: number;
    /** The address to listen on. By default 127.0.0.1, which only this machine can reach. */
    host?: string;
  };
  /**
   * Whether `savepoint serve` has the operators' console at `/console/`; true by default.
   * docs/operate/console.md says what it is.
   */
  console?: boolean;
  /** How `savepoint serve` ends when it is asked to. */
  drain?: {
    /**
     * How long it still accepts requests, in ms, while `/health` already answers 503, so that a load balancer can send
     * players elsewhere; 0 by default.
     */
    noticeMs?: number;
    /** How long requests may then go on before they are cut off, in ms; 10,000 by default. */
    maxMs?: number;
  };
}

/**
 * Gives a configuration its type, and returns it as it is. A file `savepoint.config.ts` exports the result as its
 * default.
 *
 * @example
 * export default defineConfig({ games: [{ id: '5f0c6a52-4f0e-4c8e-9c3e-0d6f7a1b2c3d' }], store: './saves.db' });
 */
export function defineConfig(config: ServiceConfig): ServiceConfig {
  return config;
}
