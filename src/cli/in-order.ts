/** Runs so many tasks at once; those with a key in common run one after the other, in the order in which they came. */
export interface InOrder {
  /** Settles when the next task may come. Rejects with what an earlier task has thrown. */
  run(keys: readonly string[], task: () => Promise<void>): Promise<void>;
  /** Settles when all tasks have ended. */
  end(): Promise<void>;
}

export function createInOrder(atOnce: number): InOrder {
  const latest = new Map<string, Promise<void>>();
  const running = new Set<Promise<void>>();
  let failure: { error: unknown } | null = null;

  const end = async (): Promise<void> => {
    await Promise.all(running);
    if (failure !== null) throw failure.error;
  };

  return {
    async run(keys, task) {
      while (running.size >= atOnce) await Promise.race(running);
      // Nothing goes on behind the back of who is told of it.
      if (failure !== null) return end();
      const before = keys.flatMap((key) => latest.get(key) ?? []);
      const done: Promise<void> = Promise.all(before)
        .then(() => (failure === null ? task() : undefined))
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .then(() => {
          running.delete(done);
          for (const key of keys) if (latest.get(key) === done) latest.delete(key);
        });
      for (const key of keys) latest.set(key, done);
      running.add(done);
    },
    end,
  };
}
