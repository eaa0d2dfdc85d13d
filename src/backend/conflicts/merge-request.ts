import type * as z from 'zod/mini';
import type { conflictRequest } from '../../protocol/player-requests.js';
import { itemTexts, memberText } from '../../protocol/value-text.js';
import { readTimes, requireName, requireStorable } from '../entries/entries.js';
import { quotasOfMerges } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { MergeRequest } from '../stores/requests.js';

/** A choice as its request brings it. */
export type ConflictRequest = z.infer<typeof conflictRequest>;

/**
 * What the choice `merge` writes, null for another choice. A merge that brings nothing is refused at once; what one
 * brings may be megabytes, and is read when it is asked for.
 */
export function mergeOf(service: Service, text: string, request: ConflictRequest): (() => MergeRequest) | null {
  const { choice, entries, rests_on: restsOn } = request;
  if (choice !== 'merge') return null;
  if (entries === undefined || restsOn === undefined) throw invalidMerge('A merge needs "entries" and "rests_on".');
  return () => readMerge(service, text, { entries, restsOn });
}

/** Checks what a merge writes as every write is. The values are taken from the body's `text` as they stand. */
function readMerge(
  service: Service,
  text: string,
  { entries, restsOn }: { entries: NonNullable<ConflictRequest['entries']>; restsOn: MergeRequest['restsOn'] },
): MergeRequest {
  const items = itemTexts(memberText(text, 'entries') ?? '[]');
  const writes = entries.map(({ collection, key, ...entry }, index) => {
    requireName(collection);
    requireName(key);
    const value = memberText(items[index] ?? '{}', 'value') ?? '';
    requireStorable(value, service.sizes.valueBytes);
    return { collection, key, text: value, times: readTimes(entry) };
  });
  const names = new Set(writes.map(({ collection, key }) => JSON.stringify([collection, key])));
  if (names.size !== writes.length) throw invalidMerge('"entries" must name each entry once.');
  return { writes, restsOn, quotas: quotasOfMerges(service.quotas) };
}

function invalidMerge(detail: string): Refusal {
  return new Refusal('invalid_request', { detail });
}
