import { saveLimits } from '../../../../src/protocol/gaps/save-limits.js';

/** The limits of the model's service, so small that games reach them. */
export const limits = { valueBytes: 2_048, entriesPerCollection: 3 };

/**
 * Makes them the client's own, as those of most services are. What is set before the first session of a service with
 * smaller ones is acknowledged by the client's, held, and given up with nothing to keep it in: that is no loss to find.
 */
export function holdLimits(): () => void {
  const before = { ...saveLimits };
  Object.assign(saveLimits, { valueBytes: limits.valueBytes, entries: limits.entriesPerCollection });
  return () => void Object.assign(saveLimits, before);
}
