/** What happens outside of the pages, one after the other and a turn at a time: a seed that fails fails again. */
export interface Turns {
  /** To be done in the next turn. */
  later(task: () => unknown): void;
  turn(count?: number): Promise<void>;
  /** Settles so many turns later. */
  pause(count: number): Promise<void>;
  /** Goes on until nothing is left to do; bounded in turns, so that what never settles is found. */
  rest(): Promise<void>;
}

const mostTurns = 4_000;

export function createTurns(): Turns {
  let tasks: (() => unknown)[] = [];

  async function turn(): Promise<void> {
    const due = tasks;
    tasks = [];
    for (const task of due) await task();
    // All that this has set off in the pages comes to its end.
    for (let round = 0; round < 2; round += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  const later = (task: () => unknown): void => void tasks.push(task);

  return {
    pause: (count) =>
      new Promise((resolve) => {
        const wait = (left: number): void => (left === 0 ? resolve() : later(() => wait(left - 1)));
        wait(count);
      }),
    later,
    turn: async (count = 1) => {
      for (let turns = 0; turns < count; turns += 1) await turn();
    },
    rest: async () => {
      for (let turns = 0, calm = 0; calm < 2; turns += 1) {
        if (turns > mostTurns) throw new Error(`does not come to rest within ${mostTurns} turns`);
        calm = tasks.length === 0 ? calm + 1 : 0;
        await turn();
      }
    },
  };
}
