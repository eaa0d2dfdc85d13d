import type { Environment } from '../../protocol/environments.js';
import type { Answer, Ask } from './ask.js';

/** What the checks build on: the deployment, and what it has answered so far. */
export interface World {
  gameId: string;
  environment: Environment;
  privateKey: string;
  /** Null where none was given: then nothing is asked that takes one. */
  operatorKey: string | null;
  /** Another one at each run, so that no two runs meet. */
  run: string;
  /** Where a page may call it from, if that was said. */
  origin: string | null;
  /** Ms since 1970, by the service's clock once it has told it. */
  now(): number;
  /** Waits until so many ms have gone since the named answer came. */
  since(name: string, ms: number): Promise<void>;
  /** Tells whoever waits what takes many requests. */
  tell(what: string): void;
  /** To `{base_url}`. */
  toBase(ask: Ask): Promise<Answer>;
  /** To `{auth_url}`. */
  toAuth(ask: Ask): Promise<Answer>;
  remember(name: string, answer: Answer): void;
  /** An earlier answer's body. Throws `NotThere` where that check did not go right. */
  said(name: string): Said;
}

/** What earlier answers are used for; the checks that got them have looked at their form. */
export interface Said {
  userId: string;
  accessToken: string;
  refreshToken: string;
  conflict: { ticket: string };
  keys: JsonWebKey[];
  id: string;
  code: string;
  snapshots: { id: string }[];
  devices: { id: string }[];
  /** What a session is told of the limits of saves; earlier services tell none. */
  limits?: { valueBytes?: number; entries?: number; collections?: number };
  /** By the service's clock, in ms since 1970. */
  time: number;
}

export class NotThere extends Error {}
