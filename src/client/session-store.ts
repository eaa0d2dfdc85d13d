import { v4 } from 'uuid';
import * as z from 'zod/mini';
import type { Runtime } from './runtime.js';
import type { Ladder } from './storage/ladder.js';

const session = z.object({
  userId: z.string(),
  accessToken: z.string(),
  /** Null for a session that came from `auth.external`. */
  refreshToken: z.nullable(z.string()),
  /** By the service's clock, ms since 1970. */
  expiresAt: z.number(),
  /** What leads to the account: `device`, `name`, `identity`, `social`, `custom`. */
  methods: z.array(z.string()),
  country: z.nullable(z.string()),
});

const sessionRecord = z.object({
  /** Rises with every change but new tokens. */
  generation: z.number(),
  session: z.nullable(session),
  /** The account that the device's own id leads to. */
  deviceUserId: z.nullable(z.string()),
  /** The service's clock minus the device's, ms. */
  clockOffset: z.number(),
});

export type Session = z.infer<typeof session>;

/** All that outlives a client, in one record, so that it changes in one write. */
export type SessionRecord = z.infer<typeof sessionRecord>;

export const emptyRecord: SessionRecord = { generation: 0, session: null, deviceUserId: null, clockOffset: 0 };

export interface SessionStore {
  read(): Promise<SessionRecord>;
  /** Writes, unless a newer generation is stored than it is based on; with `always` it then comes after that one. */
  save(
    record: SessionRecord,
    basis: { generation: number; always: boolean },
  ): Promise<{ dropped: boolean; stored: SessionRecord }>;
  /** The device's own id: the same for all tabs, also at their first start. */
  deviceId(): Promise<string>;
}

/** The keys of a game and environment: saves of two games on one origin stay apart. */
export function storageKeys(gameId: string, environment: number): { session: string; device: string } {
  const prefix = `savepoint:${gameId.toLowerCase()}:${environment}:`;
  return { session: `${prefix}session`, device: `${prefix}device` };
}

export function createSessionStore(
  ladder: Ladder,
  keys: { session: string; device: string },
  runtime: Runtime,
  tell: () => void,
): SessionStore {
  const read = async (): Promise<SessionRecord> => {
    try {
      return sessionRecord.parse(JSON.parse((await ladder.getItem(keys.session)) ?? ''));
    } catch {
      // Absent or damaged.
      return emptyRecord;
    }
  };
  return {
    read,
    save: (record, { generation, always }) =>
      runtime.lock(keys.session, async () => {
        const stored = await read();
        const late = stored.generation > generation;
        if (late && !always) return { dropped: true, stored };
        const next = late ? { ...record, generation: stored.generation + 1 } : record;
        await ladder.setItem(keys.session, JSON.stringify(next));
        tell();
        return { dropped: false, stored: next };
      }),
    deviceId: () =>
      runtime.lock(keys.device, async () => {
        const kept = await ladder.getItem(keys.device);
        if (kept) return kept;
        await ladder.setItem(keys.device, v4());
        // Read again: where there are no locks, another tab may have written last.
        return (await ladder.getItem(keys.device)) as string;
      }),
  };
}
