import {
  checkConflictSides,
  checkObject,
  integer,
  limits,
  list,
  nullable,
  number,
  optional,
  passes,
  text,
} from '../../protocol/answer-checks.js';
import type { ConflictChoice, ConflictSides } from '../../protocol/conflict.js';
import { sizes } from '../../protocol/gaps/sizes.js';
import { writerForm } from '../../protocol/idempotency-key.js';
import { newUuid } from '../../protocol/ids.js';
import type { AnsweredLimits } from '../../protocol/player-messages.js';
import type { SessionChoice, SessionUnion } from '../storage/earlier-version.js';
import type { SteadyHome } from '../storage/steady-home.js';

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
  /** What the service has said of the limits of saves; earlier ones say nothing. */
  limits?: AnsweredLimits | undefined;
}

/** What a tab knows and the storage keeps, in one record, so that one write changes it all. */
export interface SessionRecord {
  /** Counts the changes; new tokens for the same session are none. */
  generation: number;
  session: Session | null;
  /** The account that the device's own id leads to. */
  deviceUserId: string | null;
  /** The guest who was signed out, until somebody comes: nothing but the device's id leads to him. */
  guestId?: string | undefined;
  /** The service's clock minus the device's, ms. */
  clockOffset: number;
}

/** A choice that was asked for and whose outcome is not known yet. */
export interface OpenChoice {
  ticket: string;
  choice: ConflictChoice;
}

/** The record as it is stored: with the conflict and the choice, which no tab keeps in its own record. */
export type StoredRecord = SessionRecord & {
  /** The open conflict, with its ticket; null where none is open. */
  conflict: ConflictSides | null;
  /** The choice in a conflict whose outcome is not known; null where there is none. */
  choice: OpenChoice | null;
};

const sessionShape = checkObject<Session>({
  userId: text,
  accessToken: text,
  refreshToken: nullable(text),
  expiresAt: number,
  methods: list(text),
  country: nullable(text),
  limits,
});
const recordShape = checkObject<SessionRecord>({
  generation: integer,
  session: nullable(passes(sessionShape)),
  deviceUserId: nullable(text),
  guestId: optional(text),
  clockOffset: number,
});

const choiceShape = checkObject<OpenChoice>({ ticket: text, choice: text });

export const emptyRecord: SessionRecord = { generation: 0, session: null, deviceUserId: null, clockOffset: 0 };

/** When a write of a record counts. */
export interface Basis {
  /** The generation that the tab knew before its change. */
  generation: number;
  /** Whether it counts also where another tab has written a newer generation. */
  always: boolean;
  /** Whether it counts also where in that one nobody is signed in. */
  overNobody?: boolean;
  /** Whether a stored conflict stays. It never does where the record is another account's. */
  keepsConflict: boolean;
}

export interface SessionStore {
  read(): Promise<StoredRecord>;
  /** Reads the record too; gives undefined where the storage fails. */
  readIfWorking(): Promise<StoredRecord | undefined>;
  /**
   * Writes the record, and drops it where the storage has a newer generation, or newer tokens of the same one. With
   * `always` it becomes the next generation. Settles when it is on the disk; where the storage fails, at once: it is
   * written as soon as that works again, and a newer record that is found then is taken over by the next `read`.
   */
  save(record: SessionRecord, basis: Basis): Promise<{ dropped: boolean; stored: SessionRecord }>;
  /**
   * Keeps the conflict of the stored session, or removes it where it is that one, and with it what was chosen in it;
   * leaves tokens and generation alone.
   */
  keepConflict(sides: ConflictSides, isOpen: boolean): Promise<void>;
  /**
   * Keeps the choice that is about to be asked for, or removes it with null. It goes with the conflict where the record
   * becomes another account's.
   */
  keepChoice(choice: OpenChoice | null): Promise<void>;
  /** The device's own id, a secret: the same for all tabs, also at their first start. */
  deviceId(): Promise<string>;
  /** The device's public name for its writes: the same for all tabs, and on the disk by then. */
  writer(): Promise<string>;
}

/** A device id as the service takes it. */
const deviceForm = new RegExp(`^[^]{${sizes.deviceIdLength.min},${sizes.deviceIdLength.max}}$`);

export function createSessionStore(
  home: Pick<SteadyHome, 'readAll' | 'update' | 'whileWorking'>,
  keys: { session: string; device: string; writer: string },
  notifyTabs: () => void,
): SessionStore {
  /** Changes the stored record in one step; settles when it is on the disk. */
  async function change(next: (stored: StoredRecord) => StoredRecord | null): Promise<void> {
    let isChanged = false;
    const write = (text: string | null): string | null => {
      const record = next(parseRecord(text));
      isChanged = record !== null;
      return record === null ? text : JSON.stringify(record);
    };
    const written = home.update(keys.session, write, { strict: true }).then(() => {
      if (isChanged) notifyTabs();
    });
    await home.whileWorking(written);
  }

  /**
   * The id under a key, which the first tab that asks makes. It is on the disk then. A damaged one, which the service
   * would refuse at every start, counts as none.
   */
  async function idAt(key: string, form: RegExp): Promise<string> {
    // A storage that is full can still be read.
    const stored = (await home.readAll(key)).get(key);
    if (stored !== undefined && form.test(stored)) return stored;
    const made = newUuid();
    const keep = (text: string | null): string => (text !== null && form.test(text) ? text : made);
    return (await home.update(key, keep, { strict: true })) as string;
  }

  let name: Promise<string> | null = null;

  const read = async (): Promise<StoredRecord> =>
    parseRecord((await home.readAll(keys.session)).get(keys.session) ?? null);

  return {
    read,
    readIfWorking: () => home.whileWorking(read()),
    save: async (record, { generation, always, overNobody, keepsConflict }) => {
      let outcome = { dropped: false, stored: record };
      await change((stored) => {
        const late = stored.generation > generation || hasNewerTokens(stored, record);
        const counts = always || (overNobody === true && stored.session === null);
        outcome = { dropped: late && !counts, stored };
        if (outcome.dropped) return null;
        outcome.stored = late ? { ...record, generation: stored.generation + 1 } : record;
        const isSame = keepsConflict && record.session?.userId === stored.session?.userId;
        const { conflict, choice } = isSame ? stored : { conflict: null, choice: null };
        return { ...outcome.stored, conflict, choice };
      });
      return outcome;
    },
    keepConflict: (sides, isOpen) =>
      change((stored) => {
        const isOwn = isOpen ? stored.session?.userId === sides.local.userId : stored.conflict?.ticket === sides.ticket;
        if (!isOwn) return null;
        const choice = isOpen && stored.choice?.ticket === sides.ticket ? stored.choice : null;
        return { ...stored, conflict: isOpen ? sides : null, choice };
      }),
    keepChoice: (choice) => change((stored) => ({ ...stored, choice })),
    deviceId: () => idAt(keys.device, deviceForm),
    writer: () => {
      name ??= idAt(keys.writer, writerForm);
      return name;
    },
  };
}

/** Reads a record; an empty one where nothing is stored, or where it is damaged. */
function parseRecord(text: string | null): StoredRecord {
  try {
    const stored = JSON.parse(text ?? '') as StoredRecord;
    // What another version of this package has stored in another form is dropped. The session is not.
    const conflict = checkConflictSides(stored.conflict) === null ? stored.conflict : null;
    const choice = choiceShape(stored.choice) === null ? stored.choice : null;
    if (recordShape(stored) === null) return { ...stored, conflict, choice };
  } catch {
    // Nothing is stored, or it is damaged.
  }
  return { ...emptyRecord, conflict: null, choice: null };
}

/** Whether another tab has stored newer tokens of the same session meanwhile. */
function hasNewerTokens(stored: SessionRecord, record: SessionRecord): boolean {
  const [theirs, own] = [stored.session, record.session];
  if (theirs === null || own === null || stored.generation !== record.generation) return false;
  return theirs.userId === own.userId && theirs.expiresAt > own.expiresAt;
}

/**
 * Says what becomes of two stored sessions of this device. A linked session is never replaced by one that is not, and
 * the device's own account not by that of a guest whom its id does not lead to.
 */
export function chooseSession({ stored, other, record }: SessionChoice): SessionUnion {
  const [here, there] = [parseRecord(stored), parseRecord(other)];
  const owner = ownerOf(here);
  const { session } = there;
  const left = session?.userId ?? there.guestId;
  const isStrange = left !== undefined && ![here.session?.userId, here.deviceUserId].includes(left);
  // Before the first record, an earlier version of this package may have kept one of them somewhere else.
  const isLedTo = session !== null && !isOfDevice(session);
  const isLeft = record !== null && owner !== null && isStrange && !isLedTo;
  const hasChoice = there.choice !== null;
  const text = isLeft || other === null ? stored : choose();
  return {
    text,
    withDevice: text === other && (record === null || owner === null),
    heir:
      left !== undefined && (isLedTo || (isLeft && !hasChoice)) ? { of: left, userId: isLedTo ? null : owner } : null,
    next: ownerOf(parseRecord(text)),
    hasChoice,
  };

  function choose(): string | null {
    if (record === 'localStorage' && owner !== null) return isLater() ? withDeviceOf(here, there) : stored;
    return stored === null || isNewer() ? other : stored;
  }

  /** Of two homes of this version, localStorage was the last one. */
  function isLater(): boolean {
    if (session === null || (isLinked(here.session) && !isLinked(session))) return false;
    return here.session?.userId !== session.userId || session.expiresAt > here.session.expiresAt;
  }

  function isNewer(): boolean {
    if (record === 'localStorage') return true;
    if (isLinked(here.session) !== isLinked(session)) return isLinked(session);
    if (here.generation !== there.generation) return there.generation > here.generation;
    if (here.session?.userId === session?.userId) return hasNewerTokens(there, here);
    return record === null;
  }
}

const ownerOf = ({ session, deviceUserId }: SessionRecord): string | null => session?.userId ?? deviceUserId;

/** The other record, as the next one in a home whose device id leads to the account that it has led to. */
function withDeviceOf({ generation, deviceUserId }: StoredRecord, other: StoredRecord): string {
  return JSON.stringify({ ...other, deviceUserId, generation: Math.max(generation, other.generation) + 1 });
}

/** Whether nothing but a device leads to the account. */
export function isOfDevice({ methods }: Session): boolean {
  return methods.every((method) => method === 'device');
}

/** Whether the player has linked a method: the device, the game's own user id and a recovery code are none. */
export function isLinked(session: Session | null): boolean {
  return session?.methods.some((method) => !['device', 'custom', 'recovery'].includes(method)) === true;
}
