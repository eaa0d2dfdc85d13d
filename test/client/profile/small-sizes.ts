import type * as real from '../../../src/protocol/gaps/sizes.js';
import { limits } from './world/values.js';

/** The sizes with the limits of the model's world, for `vi.mock` of the module that has them. */
export async function smallSizes(original: () => Promise<typeof real>): Promise<typeof real> {
  const { sizes } = await original();
  return { sizes: { ...sizes, ...(limits as object) } };
}
