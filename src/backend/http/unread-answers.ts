/** The part of one answer that waits for its client to read. */
export interface UnreadAnswer {
  /** So many bytes of it wait now. */
  hold(bytes: number): void;
  /** Nothing of it waits any more. */
  end(): void;
}

/** All that waits in a process for clients to read, up to a limit. */
export interface UnreadAnswers {
  /** Begins an answer to the peer of an address. `cut` is called where it has to go. */
  begin(address: string, cut: () => void): UnreadAnswer;
  /** How many bytes wait. */
  bytes(): number;
}

interface Waiting {
  address: string;
  bytes: number;
  cut(): void;
}

/**
 * Where more than `maxBytes` wait, the oldest answer to the address that has the most goes first: whoever asks for much and
 * reads nothing must not send away those who read.
 */
export function createUnreadAnswers(maxBytes: number): UnreadAnswers {
  const answers = new Set<Waiting>();
  let total = 0;

  function hold(waiting: Waiting, bytes: number): void {
    total += bytes - waiting.bytes;
    waiting.bytes = bytes;
    // One alone is as large as it is.
    while (total > maxBytes && answers.size > 1) cut(nextToGo(answers));
  }

  function remove(waiting: Waiting): void {
    if (!answers.delete(waiting)) return;
    total -= waiting.bytes;
    waiting.bytes = 0;
  }

  function cut(waiting: Waiting): void {
    remove(waiting);
    waiting.cut();
  }

  return {
    begin(address, cutAnswer) {
      const waiting: Waiting = { address, bytes: 0, cut: cutAnswer };
      answers.add(waiting);
      return {
        hold(bytes) {
          if (answers.has(waiting)) hold(waiting, bytes);
        },
        end: () => remove(waiting),
      };
    },
    bytes: () => total,
  };
}

function nextToGo(answers: ReadonlySet<Waiting>): Waiting {
  const byAddress = new Map<string, { bytes: number; oldest: Waiting }>();
  let most: { bytes: number; oldest: Waiting } | undefined;
  for (const waiting of answers) {
    const sum = byAddress.get(waiting.address) ?? { bytes: 0, oldest: waiting };
    sum.bytes += waiting.bytes;
    byAddress.set(waiting.address, sum);
    if (most === undefined || sum.bytes > most.bytes) most = sum;
  }
  return (most as { oldest: Waiting }).oldest;
}
