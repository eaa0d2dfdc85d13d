import { type CleanValue, cleanValue } from '../../merge/earlier-notes.js';
import { mergeValues } from '../../merge/merge-values.js';
import type { MergeRules } from '../../merge/rules.js';
import type { JsonObject } from '../../protocol/messages.js';
import type { PlacedEntry, SideEntry } from '../../protocol/player-messages.js';
import { sameJson } from '../../protocol/value-text.js';
import { check } from '../profile/values.js';

type Place = Pick<PlacedEntry, 'collection' | 'key' | 'version'>;

/** What the choice `merge` sends. */
export interface MergedAccounts {
  /** The ones that differ from the cloud's. */
  entries: Pick<SideEntry, 'collection' | 'key' | 'value' | 'times'>[];
  /** Every version of both sides: where one has moved, the merge is refused as a whole. */
  rests_on: { local: Place[]; cloud: Place[] };
}

/**
 * Merges two accounts entry by entry; what only the local one has is moved as it is. They have no common past, unless
 * something of one came into the other before: then it is that. Throws what a rule throws, and TypeError for what a rule makes
 * that cannot be stored. What differs is merged in the form that the game has today, which `inTodaysForm` makes.
 */
export function mergeAccounts(
  {
    local,
    cloud,
    merged,
  }: {
    local: readonly SideEntry[];
    cloud: readonly SideEntry[];
    /** What came from one of them into the other last. */
    merged: readonly SideEntry[];
  },
  rulesOf: (collection: string) => MergeRules,
  inTodaysForm: (collection: string, value: JsonObject) => JsonObject,
  /** The bytes that a value may have. */
  maxBytes: number,
): MergedAccounts {
  const owned = byName(cloud);
  const past = byName(merged);
  const entries: MergedAccounts['entries'] = [];
  for (const entry of local) {
    const { collection, key } = entry;
    const mine = cleanValue(entry.value, entry.times);
    const theirs = owned.get(nameOf(entry));
    let { value, times } = mine;
    if (theirs !== undefined) {
      const base = past.get(nameOf(entry))?.value;
      const today = (stored: JsonObject): JsonObject => inTodaysForm(collection, stored);
      // A copy: a rule that changes what it was given must not hide what it changed.
      const sides = {
        base: base ? today(base) : null,
        local: today(value),
        cloud: today(theirs.value),
      };
      ({ value, times } = mergeValues({
        ...sides,
        rules: rulesOf(collection),
        times: { local: times, cloud: theirs.times },
      }));
      if (sameJson(value, theirs.value)) continue;
    }
    check({}, value, maxBytes);
    entries.push({ collection, key, value, times });
  }
  return { entries, rests_on: { local: local.map(placeOf), cloud: cloud.map(placeOf) } };
}

function byName(entries: readonly SideEntry[]): Map<string, CleanValue> {
  return new Map(entries.map((entry) => [nameOf(entry), cleanValue(entry.value, entry.times)]));
}

function nameOf({ collection, key }: Place): string {
  return JSON.stringify([collection, key]);
}

function placeOf({ collection, key, version }: Place): Place {
  return { collection, key, version };
}
