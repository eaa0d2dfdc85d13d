import type { Store } from '../../backend/stores/store.js';

/** A store that takes longer than this is as good as gone. */
const patienceMs = 2_000;
const nobody = '00000000-0000-4000-8000-000000000000';
const sessionOfNobody = { gameId: nobody, environment: 0, accountId: nobody, sessionId: nobody } as const;

/** How a store is. Who asks at the same time shares one look, so that asking often costs nothing. */
export interface Health {
  /**
   * Whether the store takes writes: it ends a session that nobody has, which changes nothing, and which a
   * read-only store refuses.
   */
  writes(): Promise<boolean>;
  /** Whether the store answers at all: it looks for a session that nobody has. */
  reads(): Promise<boolean>;
}

export function createHealth(store: Pick<Store, 'endSession' | 'findSession'>): Health {
  return {
    writes: sharedLook(() => store.endSession(sessionOfNobody)),
    reads: sharedLook(() => store.findSession(sessionOfNobody)),
  };
}

/** Whether a question is answered in time. */
function sharedLook(ask: () => Promise<unknown>): () => Promise<boolean> {
  let looking: Promise<boolean> | null = null;

  async function look(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs);
    });
    const asked = (async () => ask())().then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  return () => {
    looking ??= look().finally(() => {
      looking = null;
    });
    return looking;
  };
}
