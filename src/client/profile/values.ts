import { SdkError, StateError } from '../../errors.js';
import { fitsUtf8 } from '../../protocol/entry-name.js';
import type { JsonObject } from '../../protocol/messages.js';
import { isPlainObject, textOfValue } from '../../protocol/value-text.js';
import type { CollectionOptions } from './collection.js';
import type { StandardSchema } from './schema.js';

/** A copy of a stored value, in the form that the game has today. Throws TypeError where `migrate` gives none. */
export function inTodaysForm({ migrate }: CollectionOptions<unknown>, stored: JsonObject): JsonObject {
  // Without structuredClone, which React Native has not.
  const value = JSON.parse(JSON.stringify(stored)) as JsonObject;
  if (migrate === undefined) return value;
  const today = migrate(value);
  // Nothing given back would look like a player who has no save, and the game would begin anew over the one there is.
  if (!isPlainObject(today)) throw new TypeError('migrate must return a plain object');
  return today;
}

/** A stored value as the game sees it: a copy, in today's form. Throws `invalid_value` where there is none. */
export function show(options: CollectionOptions<unknown>, stored: JsonObject): unknown {
  const { schema } = options;
  const today = asStored(() => inTodaysForm(options, stored), "the game's own migrate failed");
  return schema === undefined ? today : asStored(() => checkBySchema(schema, today));
}

/** It was stored: nobody's call is wrong. `reason` stands for what a function of the game has said. */
function asStored<T>(read: () => T, reason?: string): T {
  try {
    return read();
  } catch (cause) {
    const why = reason ?? (cause as Error).message;
    throw new StateError('invalid_value', `A stored entry cannot be read: ${why}.`, { cause });
  }
}

/** The text of a value, of any size; throws TypeError for what no service could store. */
export function textOf({ schema }: CollectionOptions<unknown>, value: unknown): string {
  if (schema !== undefined) checkBySchema(schema, value);
  return textOfValue(value);
}

/** The value of such a text, as it is stored; throws `too_large` where the service would refuse it. */
export function storable(text: string, maxBytes: number): JsonObject {
  if (fitsUtf8(text, maxBytes)) return JSON.parse(text) as JsonObject;
  throw tooLarge(`${maxBytes} bytes of JSON`);
}

export function tooLarge(limit: string): SdkError {
  return new SdkError('too_large', `At most ${limit}.`);
}

/** A value as it is stored, a copy; throws as the two above do. */
export function check(options: CollectionOptions<unknown>, value: unknown, maxBytes: number): JsonObject {
  return storable(textOf(options, value), maxBytes);
}

/** Gives the value as the schema reads it. Throws TypeError where it does not fit, without the value itself. */
function checkBySchema<Output>(schema: StandardSchema<unknown, Output>, value: unknown): Output {
  const result = schema['~standard'].validate(value);
  if (result instanceof Promise) throw new TypeError('schema must check at once, not in a promise');
  if (result.issues === undefined) return result.value;
  const [issue] = result.issues;
  const path = issue?.path?.map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  throw new TypeError(`the value does not fit its schema${path ? ` at "${path}"` : ''}: ${issue?.message}`);
}
