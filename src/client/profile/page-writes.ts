import { newUuid } from '../../protocol/ids.js';
import { type EntryRecord, hasWrite, type Write } from './entry-record.js';

/** Makes a new value of the present one: what the game gave to `update`. */
export type Change = (value: unknown) => unknown;

/** How a write was left in the journal. */
interface LeftWrite {
  /** What it was made on. */
  readonly basis: EntryRecord | undefined;
  /** The writes before it that the home may get, each with those before it. */
  readonly after: readonly string[];
}

/** What this page remembers of its writes, as long as it lives. */
export type PageWrites = ReturnType<typeof createPageWrites>;

export function createPageWrites() {
  const id = newUuid();
  let writes = 0;
  const asked = new Set<string>();
  const left = new Map<string, LeftWrite>();
  /** By write: the changes that made it of the value before; none is known for what was set. */
  const changesOf = new Map<string, readonly Change[]>();

  return {
    /** The page's own name. */
    id,
    /** Gives a name for a write that no other one has. */
    newWrite(): string {
      writes += 1;
      return `${id}-${writes.toString(36)}`;
    },
    /** Whether this page has made a write. */
    isOwn: ({ id: write }: Write): boolean => write.startsWith(id),
    /** Remembers by which changes a write was made, where that is known. */
    remember(write: string, changes: readonly Change[] | undefined): void {
      if (changes === undefined) changesOf.delete(write);
      else changesOf.set(write, changes);
    },
    /** The write is asked for now. */
    sending: ({ id: write }: Write): void => void asked.add(write),
    /** Whether this page has asked for the write. */
    mayHaveSent: ({ id: write }: Write): boolean => asked.has(write),
    /** The write is in the journal, for the page may be gone the next moment. */
    leave: (write: string, how: LeftWrite): void => void left.set(write, how),
    /** Whether the write was left in the journal. */
    isLeft: (write: string): boolean => left.has(write),
    /** Whether a write of the journal must be settled from there: another tab has come in between. */
    isOvertaken(write: string, record: EntryRecord | undefined): boolean {
      const how = left.get(write);
      // By the text: the home may have been asked again, and read anew.
      const isAsBefore = (basis: EntryRecord | undefined): boolean => JSON.stringify(record) === JSON.stringify(basis);
      return how !== undefined && !isAsBefore(how.basis) && !how.after.some((id) => hasWrite(record, id));
    },
    /** The service has answered. */
    settled(write: string): void {
      asked.delete(write);
      changesOf.delete(write);
      left.delete(write);
    },
    /** The changes that made these writes, one of the other; undefined where nobody knows them. */
    changesOf(...made: readonly (Write | undefined)[]): readonly Change[] | undefined {
      const changes = made.map((write) => (write === undefined ? [] : changesOf.get(write.id)));
      return changes.every((known) => known !== undefined) ? changes.flat() : undefined;
    },
  };
}
