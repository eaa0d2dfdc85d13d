import { mergeValues } from '../../merge/merge-values.js';
import type { MergeRules } from '../../merge/rules.js';
import type { PlacedEntry } from '../../protocol/player-messages.js';
import { encodeValue, sameJson } from '../../protocol/value-text.js';

type Place = Pick<PlacedEntry, 'collection' | 'key' | 'version'>;

/** What the choice `merge` sends. */
export interface MergedAccounts {
  /** The ones that differ from the cloud's. */
  entries: Pick<PlacedEntry, 'collection' | 'key' | 'value'>[];
  /** Every version of both sides: where one has moved, the merge is refused as a whole. */
  rests_on: { local: Place[]; cloud: Place[] };
}

/**
 * Merges two accounts, which have no common past, entry by entry; what only the local one has is moved as it is. Throws
 * what a rule throws, and TypeError for what a rule makes that cannot be stored.
 */
export function mergeAccounts(
  { local, cloud }: { local: readonly PlacedEntry[]; cloud: readonly PlacedEntry[] },
  rulesOf: (collection: string) => MergeRules,
  localName: string,
): MergedAccounts {
  const owned = new Map(cloud.map((entry) => [nameOf(entry), entry.value]));
  const entries: MergedAccounts['entries'] = [];
  for (const entry of local) {
    const { collection, key } = entry;
    const theirs = owned.get(nameOf(entry));
    let { value } = entry;
    if (theirs !== undefined) {
      // A copy: a rule that changes what it was given must not hide what it changed.
      const sides = { base: null, local: value, cloud: structuredClone(theirs) };
      value = mergeValues({ ...sides, rules: rulesOf(collection), localName }).stored;
      if (sameJson(value, theirs)) continue;
    }
    encodeValue(value);
    entries.push({ collection, key, value });
  }
  return { entries, rests_on: { local: local.map(placeOf), cloud: cloud.map(placeOf) } };
}

function nameOf({ collection, key }: Place): string {
  return JSON.stringify([collection, key]);
}

function placeOf({ collection, key, version }: Place): Place {
  return { collection, key, version };
}
