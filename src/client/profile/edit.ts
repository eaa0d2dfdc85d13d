import { SdkError } from '../../errors.js';
import { mergeValues, timesOfChange } from '../../merge/merge-values.js';
import type { FieldTimes } from '../../merge/rules.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { Edit } from './apply-edits.js';
import type { CollectionOptions } from './collection.js';
import type { Change } from './page-writes.js';
import { check, inTodaysForm, show } from './values.js';

/** What the game has set, as a change that can be made again on what another tab has written meanwhile. */
export function createEdit(input: {
  id: string;
  options: CollectionOptions<unknown>;
  before: JsonObject | undefined;
  value: JsonObject;
  change: Change | undefined;
  now: number;
  /** The bytes that a value may have. */
  maxBytes: number;
}): Edit {
  const { id, options, before, value, change, now } = input;
  return {
    id,
    before,
    value,
    change,
    isWhole: change === undefined && options.merge === undefined,
    remake: (latest) => remake(options, input, latest),
    timesOn: (latest, times, after) => timesOn(options, { before: latest, times, after, now }),
  };
}

/** Makes a change again on what somebody else has written meanwhile. Throws `too_large` where both cannot be stored. */
export function remake(
  options: CollectionOptions<unknown>,
  {
    before,
    value,
    change,
    now,
    maxBytes,
  }: Pick<Edit, 'before' | 'value' | 'change'> & { now: number; maxBytes: number },
  latest: JsonObject | undefined,
): JsonObject {
  if (change !== undefined) {
    return check(options, change(latest === undefined ? undefined : show(options, latest)), maxBytes);
  }
  if (options.merge === undefined || latest === undefined) return value;
  // Only what this write has changed: the rest is another tab's.
  const merged = mergeValues({
    base: before === undefined ? null : inTodaysForm(options, before),
    local: value,
    cloud: inTodaysForm(options, latest),
    rules: options.merge,
    times: { local: timesOn(options, { before, times: {}, after: value, now }), cloud: {} },
    // The later of two values of this device.
    otherwise: 'local',
  }).value;
  try {
    return check({}, merged, maxBytes);
  } catch (error) {
    throw new SdkError('too_large', `Both together cannot be stored: ${(error as Error).message}.`);
  }
}

function timesOn(
  options: CollectionOptions<unknown>,
  change: { before: JsonObject | undefined; times: FieldTimes; after: JsonObject; now: number },
): FieldTimes {
  return timesOfChange({ ...change, before: change.before ?? null, rules: options.merge });
}
