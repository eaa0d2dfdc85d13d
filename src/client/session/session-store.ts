import {
  checkConflictSides,
  checkObject,
  integer,
  list,
  nullable,
  number,
  passes,
  text,
} from '../../protocol/answer-checks.js';
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

/** What a tab knows and the storage keeps, in one record, so that one write changes it all. */
export interface SessionRecord {
  /** Counts the changes; new tokens for the same session are none. */
  generation: number;
  session: Session | null;
  /** The account that the device's own id leads to. */
  deviceUserId: string | null;
  /** The service's clock minus the device's, ms. */
  clockOffset: number;
}

/** The record as it is stored: with the open conflict, which no tab keeps in its own record. */
export type StoredRecord = SessionRecord & {
  /** The open conflict, with its ticket; null where none is open. */
  conflict: ConflictSides | null;
};

const sessionShape = checkObject<Session>({
  userId: text,
  accessToken: text,
  refreshToken: nullable(text),
  expiresAt: number,
  methods: list(text),
  country: nullable(text),
});
const recordShape = checkObject<SessionRecord>({
  generation: integer,
  session: nullable(passes(sessionShape)),
  deviceUserId: nullable(text),
  clockOffset: number,
});

export const emptyRecord: SessionRecord = { generation: 0, session: null, deviceUserId: null, clockOffset: 0 };

/** When a write of a record counts. */
export interface Basis {
  /** The generation that the tab knew before its change. */
  generation: number;
  /** Whether it counts also where another tab has written a newer generation. */
  always: boolean;
  /** Whether a stored conflict stays. It never does where the record is another account's. */
  keepsConflict: boolean;
}

export interface SessionStore {
  read(): Promise<StoredRecord>;
  /**
   * Writes the record, and drops it where the storage has a newer generation. With `always` it becomes the next one.
   */
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
      // A conflict that another version of this package has stored in another form is dropped. The session is not.
      const conflict = checkConflictSides(stored.conflict) === null ? stored.conflict : null;
      if (recordShape(stored) === null) return { ...stored, conflict };
    } catch {
      // Nothing is stored, or it is damaged.
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
        // Where the platform has no locks, another tab may have written last.
        return (await ladder.getItem(keys.device)) as string;
      }),
  };
}
