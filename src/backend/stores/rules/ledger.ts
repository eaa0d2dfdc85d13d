import { serviceSizes } from '../../../protocol/gaps/service-sizes.js';
import { versions } from '../../../protocol/gaps/versions.js';
import { type WriteName, writerForm } from '../../../protocol/idempotency-key.js';
import { isPlainObject } from '../../../protocol/value-text.js';
import type { UpdateOutcome, UpdateRequest } from '../entry-requests.js';
import type { EntryRecord } from '../records.js';

/** The last write of a device, and the version of the entry that it made. */
type LastWrite = readonly [write: string, version: number];

/**
 * The last named write of each device to one entry, by the devices' names. It is a Map, because a device may be called
 * `__proto__`.
 */
export type Ledger = ReadonlyMap<string, LastWrite>;

export const emptyLedger: Ledger = new Map();

/** The ledger after one more write. Spec gap: for the 65th device, the one leaves that has not written for longest. */
export function addToLedger(ledger: Ledger, { device, write }: WriteName, version: number): Ledger {
  const changed = new Map(ledger).set(device, [write, version]);
  if (changed.size > serviceSizes.devicesPerEntry) changed.delete(longestUnseen(changed));
  return changed;
}

function longestUnseen(ledger: Ledger): string {
  const [first, ...others] = ledger;
  return others.reduce((found, each) => (each[1][1] < found[1][1] ? each : found), first ?? ['', ['', 0]])[0];
}

/**
 * What becomes of a write where nothing is written: it was carried out before, or it rests on another version than the
 * one that is stored. Null where it may be carried out.
 */
export function outcomeWithoutWriting(
  { version, name }: Pick<UpdateRequest, 'version' | 'name'>,
  current: EntryRecord | null,
  ledger: Ledger,
): UpdateOutcome | null {
  const last = name === undefined ? undefined : ledger.get(name.device);
  if (last !== undefined && last[0] === name?.write) return { outcome: 'written', version: last[1] };
  if (version === versions.force || version === (current?.version ?? 'absent')) return null;
  const isSure = name !== undefined && (last !== undefined || !mayHaveLeft(ledger, version));
  return { outcome: 'mismatch', current, ...(isSure ? { carriedOut: false } : {}) };
}

/**
 * Whether a write of a device that is not in the ledger may have been carried out, and have left it since. All that
 * left made lower versions than what is there.
 */
function mayHaveLeft(ledger: Ledger, version: number | 'absent'): boolean {
  if (ledger.size < serviceSizes.devicesPerEntry) return false;
  const wouldHaveMade = version === 'absent' ? versions.first : version + 1;
  return wouldHaveMade < Math.min(...[...ledger.values()].map(([, made]) => made));
}

/** A ledger as an object that JSON can carry. */
export interface WrittenLedger {
  [device: string]: LastWrite;
}

/** Whether something that comes from outside is a ledger of an entry of this version. */
export function isWrittenLedger(value: unknown, version: number): value is WrittenLedger {
  if (!isPlainObject(value)) return false;
  const writes = Object.entries(value);
  const isWrite = (last: unknown): boolean => {
    if (!Array.isArray(last) || last.length !== 2) return false;
    const [write, made] = last as unknown[];
    const isMade = Number.isSafeInteger(made) && Number(made) >= versions.first && Number(made) <= version;
    return typeof write === 'string' && writerForm.test(write) && isMade;
  };
  return (
    writes.length <= serviceSizes.devicesPerEntry &&
    writes.every(([device, last]) => writerForm.test(device) && isWrite(last))
  );
}

export function writeLedger(ledger: Ledger): WrittenLedger {
  return Object.fromEntries(ledger);
}

export function readLedger(written: WrittenLedger): Ledger {
  return new Map(Object.entries(written));
}
