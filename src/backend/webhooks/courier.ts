const everyMs = 1_000;
/** After a failure of the store: it is asked again when that may have passed. */
const afterFailureMs = 30_000;

/** Delivers webhooks again and again, until it is to end. */
export interface Courier {
  /** Begins nothing more, and resolves when what has begun is over, which takes no longer than a receiver may take. */
  end(): Promise<void>;
}

interface Errands {
  /** The games that are told, by their ids, as they are at the moment. */
  games(): readonly string[];
  /** Delivers what is due of one game, which is called again only when it has settled. */
  deliver(gameId: string, signal: AbortSignal): Promise<unknown>;
  /** Is told that the store has failed, once for all games. */
  failed(error: unknown): void;
}

/** Goes to each game by itself: one whose back end takes long to answer, or never does, holds up no other one. */
export function startCourier({ games, deliver, failed }: Errands): Courier {
  const ending = new AbortController();
  const underWay = new Map<string, Promise<void>>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let hasFailed = false;

  function go(): void {
    hasFailed = false;
    for (const gameId of games()) if (!underWay.has(gameId)) underWay.set(gameId, tell(gameId));
    goLater(everyMs);
  }

  async function tell(gameId: string): Promise<void> {
    try {
      await deliver(gameId, ending.signal);
    } catch (error) {
      if (hasFailed) return;
      hasFailed = true;
      failed(error);
      goLater(afterFailureMs);
    } finally {
      underWay.delete(gameId);
    }
  }

  function goLater(ms: number): void {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    timer = setTimeout(go, ms);
    // It keeps no process alive that has nothing else to do.
    (timer as { unref?: () => void }).unref?.();
  }

  goLater(everyMs);
  return {
    async end() {
      ending.abort();
      clearTimeout(timer);
      await Promise.all(underWay.values());
    },
  };
}
