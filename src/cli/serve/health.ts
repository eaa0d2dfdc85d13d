import type { Store } from '../../backend/stores/store.js';

/** A store that takes longer than this is as good as gone. */
const patienceMs = 2_000;
const nobody = '00000000-0000-4000-8000-000000000000';

/**
 * Whether the store takes writes: ends a session that nobody has, which changes nothing, and which a store that is
 * read-only refuses. Who asks at the same time shares one look, so that asking often costs nothing.
 */
export function createHealth(store: Pick<Store, 'endSession'>): () => Promise<boolean> {
  let looking: Promise<boolean> | null = null;

  async function look(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), patienceMs);
    });
    const key = { gameId: nobody, environment: 0, accountId: nobody, sessionId: nobody } as const;
    const ended = store.endSession(key).then(
      () => true,
      () => false,
    );
    try {
      return await Promise.race([ended, late]);
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
