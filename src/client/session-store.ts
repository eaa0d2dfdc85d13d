import { fits, integer, list, nullable, number, object, text } from '../protocol/answer-shapes.js';
import { newUuid } from '../protocol/uuid-form.js';
import type { Runtime } from './runtime.js';
import type { Ladder } from './storage/ladder.js';

export interface Session {
  userId: string;
  accessToken: string;
  /** Null for a session that came from `auth.external`. */
  refreshToken: string | null;
  /** By the service's clock, ms since 1970. */
  expiresAt: number;
  /** What leads to the account: `device`, `name`, `identity`, `social`, `custom`. */
  methods: string[];
  country: string | null;
}

/** All that outlives a client, in one record, so that it changes in one write. */
export interface SessionRecord {
  /** Rises with every change but new tokens. */
  generation: number;
  session: Session | null;
  /** The account that the device's own id leads to. */
  deviceUserId: string | null;
  /** The service's clock minus the device's, ms. */
  clockOffset: number;
}

const sessionShape = object<Session>({
  userId: text,
  accessToken: text,
  refreshToken: nullable(text),
  expiresAt: number,
  methods: list(text),
  country: nullable(text),
});
const recordShape = object<SessionRecord>({
  generation: integer,
  session: nullable(fits(sessionShape)),
  deviceUserId: nullable(text),
  clockOffset: number,
});

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
export function storageKeys(gameId: string, environment: number) {
  const prefix = `savepoint:${gameId.toLowerCase()}:${environment}:`;
  return {
    prefix,
    session: `${prefix}session`,
    device: `${prefix}device`,
    profile: (userId: string | null) => `${prefix}profile:${userId ?? ''}`,
  };
}

export function createSessionStore(
  ladder: Ladder,
  keys: { session: string; device: string },
  runtime: Runtime,
  tell: () => void,
): SessionStore {
  const read = async (): Promise<SessionRecord> => {
    try {
      const stored: unknown = JSON.parse((await ladder.getItem(keys.session)) ?? '');
      return recordShape(stored) === null ? (stored as SessionRecord) : emptyRecord;
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
        await ladder.setItem(keys.device, newUuid());
        // Read again: where there are no locks, another tab may have written last.
        return (await ladder.getItem(keys.device)) as string;
      }),
  };
}
