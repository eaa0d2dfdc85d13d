/** One line of what the service did. Never holds a token, key, password, signature, ticket or device id. */
export type LogRecord =
  | {
      kind: 'request';
      /** Server time, ms since 1970. */
      time: number;
      requestId: string;
      method: string;
      /** The route's pattern, without what the path was filled with; null where there is nothing at this address. */
      route: string | null;
      /** Null where no answer was given. */
      status: number | null;
      /** A failure's code. */
      code: string | null;
      ms: number;
    }
  /** `requestId` is null where it is not about one request; `stack` is there for what nobody expected. */
  | { kind: 'error'; time: number; requestId: string | null; name: string; message: string; stack: string | null };

export type Log = (record: LogRecord) => void;
