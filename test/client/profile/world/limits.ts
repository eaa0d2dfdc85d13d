import { sizes } from '../../../../src/protocol/gaps/sizes.js';

/** The limits of the model's world, so small that games reach them. */
export const limits = { valueBytes: 2_048, entriesPerCollection: 3 };

/** Makes the client check by these, as the model's service does. */
export function holdLimits(): () => void {
  const { valueBytes, entriesPerCollection } = sizes;
  Object.assign(sizes, limits);
  return () => void Object.assign(sizes, { valueBytes, entriesPerCollection });
}
