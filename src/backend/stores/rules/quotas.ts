import type { EntryQuotas, QuotaRefusal } from '../entry-requests.js';

/** How much more of each an account would hold, and how much it holds. */
export type Growths = { readonly [name in keyof EntryQuotas]: { used: number; by: number } };

const names = ['entries', 'collections', 'values'] as const;

/**
 * The quota that a write would exceed; null where it may be carried out. What takes no more than before always may: an
 * account can hold more than its quota, because that was lowered, or by a choice in a conflict.
 */
export function exceededQuota(growths: Growths, quotas: EntryQuotas): QuotaRefusal | null {
  const quota = names.find((name) => growths[name].by > 0 && growths[name].used + growths[name].by > quotas[name]);
  if (quota === undefined) return null;
  return { outcome: 'quota_exceeded', quota, limit: quotas[quota], used: growths[quota].used };
}

const encoder = new TextEncoder();
/** Most values fit, and to make an array for each would take most of the time of counting. */
const scratch = new Uint8Array(524_288);

/** The JSON of the times beside an entry where there are none. A record has no such member then. */
export const noTimes = '{}';

/** What an entry counts: the bytes of its value, and of the times that a player's devices keep beside it. */
export function entryBytes({ text, times = noTimes }: { text: string; times?: string | undefined }): number {
  return bytesOf(text) + timesBytes(times);
}

function timesBytes(times: string): number {
  return times === noTimes ? 0 : bytesOf(times);
}

/** The bytes of a text, as UTF-8. */
export function bytesOf(text: string): number {
  const fits = text.length * 3 <= scratch.length;
  return fits ? encoder.encodeInto(text, scratch).written : encoder.encode(text).length;
}
