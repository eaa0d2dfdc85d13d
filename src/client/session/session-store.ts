import { conflictShape, fits, integer, list, nullable, number, object, text } from '../../protocol/answer-checks.js';
import type { ConflictSides } from '../../protocol/conflict.js';
import { newUuid } from '../../protocol/ids.js';
import type { Platform } from '../platform/platform.js';
import type { Ladder } from '../storage/ladder.js';

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

/** What is stored besides: the open conflict belongs to the session, and no tab holds it in its record. */
export type StoredRecord = SessionRecord & {
  /** With its ticket. Null where none is open. */
  conflict: ConflictSides | null;
};

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

/** What a write is based on: the generation before it. */
export interface Basis {
  generation: number;
  always: boolean;
  /** Whether the account's conflict, if one is stored, stays; it never does where the account is another. */
  keepsConflict: boolean;
}

export interface SessionStore {
  read(): Promise<StoredRecord>;
  /** Writes, unless a newer generation is stored than it is based on; with `always` it then comes after that one. */
  save(record: SessionRecord, basis: Basis): Promise<{ dropped: boolean; stored: SessionRecord }>;
  /**
   * Keeps the conflict of the stored session, or removes it where it is that one; leaves tokens and generation alone.
   */
  keepConflict(sides: ConflictSides, isOpen: boolean): Promise<void>;
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
  platform: Platform,
  notifyTabs: () => void,
): SessionStore {
  const read = async (): Promise<StoredRecord> => {
    try {
      const stored = JSON.parse((await ladder.getItem(keys.session)) ?? '') as StoredRecord;
      // A conflict of another version's form is forgotten; the session is not.
      const conflict = conflictShape(stored.conflict) === null ? stored.conflict : null;
      if (recordShape(stored) === null) return { ...stored, conflict };
    } catch {
      // Absent or damaged.
    }
    return { ...emptyRecord, conflict: null };
  };
  const write = async (record: StoredRecord): Promise<void> => {
    await ladder.setItem(keys.session, JSON.stringify(record));
    notifyTabs();
  };
  return {
    read,
    save: (record, { generation, always, keepsConflict }) =>
      platform.lock(keys.session, async () => {
        const stored = await read();
        const late = stored.generation > generation;
        if (late && !always) return { dropped: true, stored };
        const next = late ? { ...record, generation: stored.generation + 1 } : record;
        const isSame = keepsConflict && record.session?.userId === stored.session?.userId;
        await write({ ...next, conflict: isSame ? stored.conflict : null });
        return { dropped: false, stored: next };
      }),
    keepConflict: (sides, isOpen) =>
      platform.lock(keys.session, async () => {
        const stored = await read();
        if (isOpen ? stored.session?.userId === sides.local.userId : stored.conflict?.ticket === sides.ticket) {
          await write({ ...stored, conflict: isOpen ? sides : null });
        }
      }),
    deviceId: () =>
      platform.lock(keys.device, async () => {
        const kept = await ladder.getItem(keys.device);
        if (kept) return kept;
        await ladder.setItem(keys.device, newUuid());
        // Read again: where there are no locks, another tab may have written last.
        return (await ladder.getItem(keys.device)) as string;
      }),
  };
}
