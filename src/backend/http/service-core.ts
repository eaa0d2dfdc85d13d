import { toResponse } from './answers.js';
import type { App } from './app.js';

/** Who sends a request, as far as the Request does not say it. */
export interface RequestSource {
  /** The IP address of the peer that sent it. */
  address?: string | undefined;
}

/** How everybody asks a back end: with a Request, for a Response. */
export type ServiceFetch = (request: Request, from?: RequestSource) => Promise<Response>;

/**
 * One service, to be asked in two ways that answer alike. To make a Response and to read it again costs more than most
 * answers; the HTTP port and the command line of this package write an `Answer` as it is.
 */
export interface ServiceCore {
  /** Answers with a Response. */
  readonly fetch: ServiceFetch;
  /** Answers with what that Response would be made of. */
  readonly answer: App;
  /** Whether an address is that of a proxy which asks for many players. */
  isTrusted(address: string): boolean;
}

export function createServiceCore(answer: App, isTrusted: ServiceCore['isTrusted'] = () => false): ServiceCore {
  return {
    answer,
    isTrusted,
    fetch: async (request, { address } = {}) => toResponse(await answer(request, { address })),
  };
}

/** What a port is given: a back end, one with a `fetch` of the user's own in place of it, or only a `fetch`. */
export interface Served {
  /** Answers a request, as a back end's `fetch` does. */
  readonly fetch: ServiceFetch;
  /**
   * A back end's core, which is asked in place of `fetch` as long as `fetch` is its own.
   *
   * @internal
   */
  readonly core?: ServiceCore | undefined;
}

/** The way without a Response; null where somebody's own `fetch` stands before the service and must be asked. */
export function directAnswerOf({ fetch, core }: Served): App | null {
  return core !== undefined && core.fetch === fetch ? core.answer : null;
}
