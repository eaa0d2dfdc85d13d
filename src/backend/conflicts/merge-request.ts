import type * as z from 'zod/mini';
import type { conflictRequest } from '../../protocol/player-messages.js';
import { itemTexts, memberText } from '../../protocol/value-text.js';
import { readTimes, requireName, requireStorable } from '../entries/entries.js';
import { quotasOfMerges } from '../quotas.js';
import { Refusal } from '../refusal.js';
import type { Service } from '../service.js';
import type { MergeRequest } from '../stores/requests.js';

/**
 * What the choice `merge` writes, checked as every write is. The values are taken from the body's `text` as they stand.
 */
export function readMerge(
  service: Service,
  text: string,
  { entries, rests_on: restsOn }: z.infer<typeof conflictRequest>,
): MergeRequest {
  if (entries === undefined || restsOn === undefined) throw invalidMerge('A merge needs "entries" and "rests_on".');
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
