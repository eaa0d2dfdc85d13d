/** One line of what the service did. It never holds a token, key, password, signature, ticket, user id or device id. */
export type LogRecord =
  /** A request was answered, or its answer was dropped. */
  | {
      /** Which kind of line this is. */
      kind: 'request';
      /** The service's clock at the answer, in ms since 1970. */
      time: number;
      /**
       * The request's id, which its answer carries in the header X-Request-Id. A trusted proxy may have given it, in
       * that header: 1 to 64 characters of A-Z, a-z, 0-9, `_`, `-` and `.`. Otherwise it is a new UUID.
       */
      requestId: string;
      /** The HTTP method, in capitals. */
      method: string;
      /** The pattern of the path, without the ids that were in it; null where there is nothing at this address. */
      route: string | null;
      /** The id of the game that the request was for; null where it named none that there is. */
      game: string | null;
      /**
       * What the log calls the player: 16 characters, the same for all requests of an account as long as the
       * signing key is the same. It does not tell the user id. Null where the request is of no account, or of
       * one that is not known yet.
       */
      user: string | null;
      /** The status of the answer; null where none was given. */
      status: number | null;
      /** The failure's code; null where the request did not fail. */
      code: string | null;
      /** How long the answer took, in ms. */
      ms: number;
      /** The limit that refused the request, by its name in docs/limits.md. */
      limitName?: string;
      /** The origin of a page that may not read the answer: it is not allowed, or not for that game. */
      origin?: string;
    }
  /** Something should be set in another way. Each is logged once. */
  | {
      /** Which kind of line this is. */
      kind: 'warning';
      /** The service's clock, in ms since 1970. */
      time: number;
      /** What it is about: X-Forwarded-For comes from a peer that is not in `trustedProxies`. */
      code: 'untrusted_proxy';
      /** What to do. */
      message: string;
      /** The address of that peer. */
      address: string;
    }
  /** A game's back end takes no events of its webhook, and some were removed. It is logged when that begins. */
  | {
      /** Which kind of line this is. */
      kind: 'warning';
      /** The service's clock, in ms since 1970. */
      time: number;
      /** What it is about: more events wait than are kept of a game (`limits.webhookEventsPerGame`). */
      code: 'webhook_events_lost';
      /** What to do. */
      message: string;
      /** The game. */
      gameId: string;
      /** How many were removed, up to now. */
      lost: number;
    }
  /** Something failed that no refusal stands for. */
  | {
      /** Which kind of line this is. */
      kind: 'error';
      /** The service's clock, in ms since 1970. */
      time: number;
      /** The request that failed; null where the failure belongs to no single request. */
      requestId: string | null;
      /** The error's name. */
      name: string;
      /** What failed. */
      message: string;
      /** Where it was thrown; null where a provider, a verifier or the store failed, whose errors may hold a secret. */
      stack: string | null;
    };

/** Takes one line of the service's log. What it throws is ignored: a log must not make a request fail. */
export type Log = (record: LogRecord) => void;
