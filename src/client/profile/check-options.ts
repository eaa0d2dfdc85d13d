import { checkMergeRules } from '../../merge/check-rules.js';
import type { CollectionOptions } from './collection.js';

/**
 * Throws TypeError, with the option's name first, for what a game cannot declare for a collection: found where it is
 * written, and not in the first conflict of a player.
 */
export function checkCollectionOptions(options: CollectionOptions<unknown>): void {
  if (typeof options !== 'object' || options === null) throw new TypeError('options must be an object');
  const { schema, merge, migrate, onConflict } = options;
  if (schema !== undefined && typeof schema?.['~standard']?.validate !== 'function') {
    throw new TypeError('schema must be a Standard Schema, as zod, valibot and arktype make them');
  }
  if (merge !== undefined) checkMergeRules(merge);
  for (const [name, hook] of Object.entries({ migrate, onConflict })) {
    if (hook !== undefined && typeof hook !== 'function') throw new TypeError(`${name} must be a function`);
  }
}
