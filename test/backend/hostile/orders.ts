/** Where the service is, and for which game. */
export interface Target {
  url: string;
  gameId: string;
}

/** What the players' process is told to do. */
export type PlayersOrder =
  | ({ do: 'enter'; clients: number } & Target)
  /** Each of them plays so many requests, or for so long. */
  | { do: 'play'; requests?: number; ms?: number }
  | { do: 'check' };

/** How the requests of the players went, in ms. */
export interface Played {
  requests: number;
  p50: number;
  p99: number;
  slowest: number;
  /** Every answer but the right one. */
  failures: string[];
}

export interface Checked {
  acknowledged: number;
  lost: string[];
}

/** How large the attackers' accounts are. */
export interface Sizes {
  entries: number;
  entryBytes: number;
}

/** What the attackers' process is told to do. */
export type AttackersOrder =
  | ({ do: 'prepare'; large: Sizes; many: Sizes } & Target)
  | { do: 'attack' }
  | { do: 'stop' };

/** What the attackers have done, each with how often, and which answers they got. */
export type Attacked = { [attack: string]: { times: number; answers: { [status: string]: number } } };

/** Carries out one order after the other, and answers each. */
export function takeOrders<Order>(carryOut: (order: Order) => Promise<unknown>): void {
  process.on('message', (order: Order) => {
    carryOut(order).then(
      (answer) => process.send?.({ answer: answer ?? null }),
      (error: Error) => process.send?.({ error: error.stack ?? String(error) }),
    );
  });
}
