import { versions } from '../../protocol/gaps/versions.js';
import type { JsonObject } from '../../protocol/messages.js';
import { sameJson } from '../../protocol/value-text.js';
import type { CollectionOptions } from './collection.js';
import type { LocalCopy } from './local-copy.js';
import { check, show } from './values.js';

type Change = (value: unknown) => unknown;

/**
 * The game's changes that made an unsent value, and what they stand on. They count only while both are as they were.
 */
interface Made {
  version: number;
  local: JsonObject;
  readonly changes: Change[];
  /** How many of them are in what was sent. */
  sent: number;
}

/** Makes an unsent value again on the cloud's, which has this version. */
export type Replay = (cloud: JsonObject, version: number) => JsonObject;

export type Replays = ReturnType<typeof createReplays>;

/**
 * Remembers, as long as the page lives, how unsent values were made, so that `update` can be made again on another's
 * value.
 */
export function createReplays() {
  const made = new Map<string, Made>();

  function find(copy: LocalCopy, name: string): Made | undefined {
    const [how, slot] = [made.get(name), copy.slots.get(name)];
    return how?.version === slot?.version && sameJson(how?.local, slot?.local) ? how : undefined;
  }

  return {
    /** To be called before the value is set. Without a change, nobody knows how it was made. */
    remember(copy: LocalCopy, name: string, local: JsonObject, change: Change | undefined): void {
      const slot = copy.slots.get(name);
      const how = find(copy, name);
      if (change === undefined || (slot?.local !== undefined && how === undefined)) made.delete(name);
      else if (slot?.local === undefined || how === undefined) {
        made.set(name, { version: slot?.version ?? versions.force, local, changes: [change], sent: 0 });
      } else {
        how.local = local;
        how.changes.push(change);
      }
    },
    sending(name: string): void {
      const how = made.get(name);
      if (how) how.sent = how.changes.length;
    },
    taken(name: string): void {
      const how = made.get(name);
      if (!how) return;
      how.changes.splice(0, how.sent);
      how.version += 1;
    },
    of(copy: LocalCopy, name: string, options: CollectionOptions<unknown>): Replay | undefined {
      const how = find(copy, name);
      if (how === undefined) return undefined;
      return (cloud, version) => {
        how.local = how.changes.reduce((stored, change) => check(options, change(show(options, stored))), cloud);
        how.version = version;
        return how.local;
      };
    },
    clear: (): void => made.clear(),
  };
}
