/** How often each task is measured, and how often before that for nothing, until the engine has compiled it. */
const counted = 15;
const warmUp = 3;

/**
 * Measures tasks in turns, so that all have the same machine: each round begins with the next task.
 *
 * @param tasks by name; each gives what it has measured, a number
 * @returns by name, the measured numbers in the order of the rounds
 */
export async function measureInTurns(tasks, rounds = counted) {
  const names = Object.keys(tasks);
  const measured = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -warmUp; round < rounds; round += 1) {
    const first = (round + warmUp) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const number = await tasks[name]();
      if (round >= 0) measured[name].push(number);
    }
  }
  return measured;
}

export function median(numbers) {
  return [...numbers].sort((left, right) => left - right)[Math.floor(numbers.length / 2)];
}

/** How many times as much the one takes as the other: the median over the rounds. */
export function ratio(numbers, base) {
  return median(numbers.map((number, round) => number / base[round]));
}
