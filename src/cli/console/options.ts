import type { App } from '../../backend/http/app.js';
import type { OperatorScope } from '../../protocol/admin-messages.js';
import type { SignInOptions } from './sign-in.js';
import type { Visitor, Visitors } from './visitors.js';

/** Who an operator is. */
export interface OperatorFacts {
  keyId: string | null;
  name: string;
  scope: OperatorScope;
}

export interface ConsoleOptions {
  mode: 'dev' | 'serve';
  /** The folder of the page's files. */
  folder: string;
  /** Answers as the service does, but for its planned faults. */
  service: App;
  /** The operator whose key this is; null where it is nobody's. */
  findOperator(key: string): Promise<OperatorFacts | null>;
  /**
   * Told of each sign-in before it counts, and from which household it comes; null where that is not known. Where it
   * rejects, nobody is signed in.
   */
  noteSignIn(operator: OperatorFacts, from: string | null): Promise<void>;
  /** The ids of the service's games. */
  games(): readonly string[];
  visitors: Visitors;
  /** The one-time link that stands for an operator's key; null where none is printed. */
  link: SignInOptions['link'];
  /** Whether a peer is a proxy that is believed, and whose address counts behind one. */
  peers: {
    isTrusted(address: string): boolean;
    addressOf(request: Request, socketAddress: string | undefined): string | undefined;
  };
  /** Refuses a request for a host that is not this service's. */
  checkHost(request: Request): void;
  /** What `savepoint dev` tells a developer; null in `savepoint serve`. */
  devFacts: (() => object) | null;
  /** More addresses below `/console/`, each for whoever has signed in. */
  routes?: { readonly [path: string]: ConsoleRoute } | undefined;
  /** Told of what failed and nobody expects. */
  report(error: unknown): void;
  now(): number;
}

/** What an address of the console answers, by method. */
export type ConsoleRoute = { readonly [method: string]: (asked: AskedByOperator) => Promise<Response> | Response };

/** A request of somebody who has signed in, and whose key counts. */
export interface AskedByOperator {
  request: Request;
  visitor: Visitor;
  operator: OperatorFacts;
  /** Whether the session has not ended since, and the key counts still. For answers that go on. */
  stillCounts(): Promise<boolean>;
}
