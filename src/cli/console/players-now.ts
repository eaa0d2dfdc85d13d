/** Which players asked something within the last five minutes, by game. */
export interface PlayersNow {
  /** `user` is what the log calls the player. */
  take(request: { game: string | null; user: string | null; route: string | null }): void;
  /** The marks of each game's players, by the game's id. */
  marks(): MarksByGame;
}

export type MarksByGame = { [game: string]: number[] };

const nowMs = 5 * 60_000;
/** A player has one of so many marks, by two bytes of the log's name: no process has to keep more of them, or tell more. */
const markCount = 2 ** 16;

export function createPlayersNow(now: () => number): PlayersNow {
  /** When somebody with a mark asked last, in ms since 1970, by the game. */
  const games = new Map<string, Map<number, number>>();

  return {
    take({ game, user, route }) {
      // What a game's back end asks of a player says nothing of where the player is.
      if (game === null || user === null || route?.startsWith('/v2/pr/')) return;
      const asked = games.get(game) ?? new Map<number, number>();
      games.set(game, asked);
      asked.set(Buffer.from(user, 'base64url').readUInt16BE(), now());
    },

    marks() {
      const time = now();
      for (const [game, asked] of games) {
        for (const [mark, at] of asked) if (at <= time - nowMs || at > time) asked.delete(mark);
        if (asked.size === 0) games.delete(game);
      }
      return Object.fromEntries([...games].map(([game, asked]) => [game, [...asked.keys()]]));
    },
  };
}

/**
 * How many players have these marks, of whom each may be known to several processes. Of few that is their number; of many, who share
 * marks, an estimate that is wrong by less than a percent up to some 100,000 (linear counting: Whang, Vander-Zanden and Taylor, ACM
 * TODS 15(2), 1990).
 */
export function playersOf(processes: readonly MarksByGame[]): { [game: string]: number } {
  const all = new Map<string, Set<number>>();
  for (const [game, marks] of processes.flatMap((one) => Object.entries(one))) {
    const known = all.get(game) ?? new Set();
    all.set(game, known);
    for (const mark of marks) known.add(mark);
  }
  return Object.fromEntries(
    [...all].map(([game, { size }]) => {
      const free = Math.max(1, markCount - size);
      return [game, Math.round(markCount * Math.log(markCount / free))];
    }),
  );
}
