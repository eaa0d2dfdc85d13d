import { newUuid } from '../../protocol/ids.js';
import { type EntryRecord, hasWrite, type Write } from './entry-record.js';

/** Makes a new value of the present one: what the game gave to `update`. */
export type Change = (value: unknown) => unknown;

/** A change, and the write that it was made for first: a later one that replaces that has both. */
interface MadeChange {
  readonly change: Change;
  readonly write: string;
}

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
  const known = new Map<string, readonly MadeChange[]>();

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
    /** Remembers by which changes a write was made, where that is known; those of the write that it replaces come first. */
    remember(write: string, changes: readonly Change[] | undefined, replaced?: Write): void {
      if (changes === undefined) known.delete(write);
      else {
        const before = (replaced && known.get(replaced.id)) ?? [];
        known.set(
          write,
          changes.map((change, index) => ({ change, write: before[index]?.write ?? write })),
        );
      }
    },
    /**
     * A write of the journal is made again on top of what counts: not by the changes that are in what it was left on, nor in these
     * writes before it.
     */
    remakeAfter({ id: write }: Write, counted: readonly Write[]): void {
      const changes = known.get(write) ?? [];
      const basis = left.get(write)?.basis;
      const isIn = ({ write: name }: MadeChange): boolean =>
        hasWrite(basis, name) || counted.some(({ id: one }) => one === name);
      let start = changes.length;
      while (start > 0 && !isIn(changes[start - 1] as MadeChange)) start -= 1;
      if (start > 0) known.set(write, changes.slice(start));
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
      known.delete(write);
      left.delete(write);
    },
    /** The changes that made these writes, one of the other; undefined where nobody knows them. */
    changesOf(...made: readonly (Write | undefined)[]): readonly Change[] | undefined {
      const changes = made.map((write) => (write === undefined ? [] : known.get(write.id)));
      return changes.every((some) => some !== undefined) ? changes.flat().map(({ change }) => change) : undefined;
    },
  };
}
