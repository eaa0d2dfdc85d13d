import { cleanValue } from '../../merge/earlier-notes.js';
import type { JsonObject } from '../../protocol/messages.js';
import { isPlainObject, sameJson } from '../../protocol/value-text.js';
import type { Change } from '../storage/home.js';
import { type EntryRecord, freeze, isCounted, nextWrite, noteCounted, readRecord, type Write } from './entry-record.js';

/** An entry as versions before 0.2 kept it: all of an account's in one text, with notes inside the values. */
interface EarlierSlot {
  version: number;
  base?: JsonObject;
  local?: JsonObject;
  sent?: JsonObject;
}

/**
 * Reads the copy of an account that an earlier version has kept: for each entry, by `nameOf`, how its record is united
 * with the one that is there.
 */
export function readEarlierCopy(text: string): [name: string, change: Change][] {
  let slots: unknown;
  try {
    ({ slots } = JSON.parse(text) as { slots?: unknown });
  } catch {
    // It is damaged.
  }
  const entries = Array.isArray(slots) ? (slots as [unknown, unknown][]) : [];
  return entries.flatMap(([name, slot]) => {
    if (typeof name !== 'string' || !isPlainObject(slot) || !Number.isSafeInteger(slot['version'])) return [];
    const earlier = readSlot(slot as unknown as EarlierSlot);
    const change: Change = (stored) => {
      const record = readRecord(stored);
      const united = unite(record, earlier);
      return united === record ? stored : JSON.stringify(united);
    };
    return [[name, change] as [string, Change]];
  });
}

function unite(record: EntryRecord | undefined, earlier: EntryRecord): EntryRecord {
  if (record === undefined) return earlier;
  const write = earlier.local ?? earlier.sent;
  if (write === undefined || isCounted(record, write.id)) return record;
  if (nextWrite(record) === undefined) return earlier;
  // What was set there comes on top of what is unsent here, which is sent first.
  const { sent, local } = freeze(record);
  return local === undefined ? noteCounted({ ...record, sent, local: write, by: undefined }, write.id) : record;
}

function readSlot({ version, base, local, sent }: EarlierSlot): EntryRecord {
  // The same name each time: it may be taken over twice, where the page is closed in between.
  const writeOf = (id: string, value: JsonObject | undefined): Write | undefined =>
    value && { id: `earlier-${id}-${version}`, ...cleanValue(value) };
  const isSetSince = local !== undefined && !sameJson(local, sent);
  const clean = base && cleanValue(base);
  const writes = {
    sent: sent && { ...(writeOf('sent', sent) as Write), wasUnnamed: true as const },
    local: isSetSince ? writeOf('set', local) : undefined,
  };
  const last = (writes.local ?? writes.sent)?.id;
  return {
    version,
    base: clean?.value,
    times: clean?.times,
    ...writes,
    since: last === undefined ? undefined : 0,
    counted: last === undefined ? undefined : [last],
  };
}
