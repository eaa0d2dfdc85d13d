import { StateError } from '../../errors.js';
import { mergeValues, noteChange } from '../../merge/merge-values.js';
import { closeNotes, openNotes } from '../../merge/notes.js';
import type { JsonObject } from '../../protocol/messages.js';
import { encodeValue, sameJson } from '../../protocol/value-text.js';
import type { Platform } from '../platform/platform.js';
import type { PlayerOptions, Requests } from '../requests.js';
import type { CollectionOptions } from './collection.js';
import { type LocalCopy, splitName } from './local-copy.js';
import type { Clash } from './outbox.js';
import type { Replay } from './replays.js';
import { show } from './values.js';

/**
 * Decides an entry that was written on both sides, by what the game has declared, and keeps what loses. The value
 * that comes out is unsent again, on the cloud's version. A game's function that fails is reported, and the entry has
 * to wait.
 */
export async function settleClash(
  copy: LocalCopy,
  name: string,
  clash: Clash,
  dependencies: {
    /** Undefined where the game has not opened the collection yet. */
    options: CollectionOptions<unknown> | undefined;
    /** Undefined where nobody knows how the unsent value was made. */
    replay: Replay | undefined;
    session: { serverTime(): number };
    requests: Requests;
    asOwner<T>(copy: LocalCopy, request: (player: PlayerOptions) => Promise<T>): Promise<T>;
    platform: Platform;
    commit: LocalCopy['commit'];
  },
): Promise<void> {
  const [collection, key] = splitName(name);
  const slot = copy.slots.get(name);
  const { version, cloud } = clash;
  if (slot?.local === undefined || version === slot.version) return;
  const { base, local } = slot;

  const { options } = dependencies;
  // Two devices that each add one write the same value, and both count.
  const replay = options?.merge === undefined && !clash.uncertain ? dependencies.replay : undefined;
  if (cloud === undefined || (replay === undefined && sameJson(cloud, local))) return settle(local);
  if (options === undefined) {
    throw new StateError(
      'entry_conflict',
      'Another device has written the entry, and its collection is not open here.',
    );
  }
  const { value, lossless } = await decide(options, cloud);
  if (!lossless) {
    for (const loser of [local, cloud]) {
      if (sameJson(loser, value)) continue;
      await dependencies.asOwner(copy, (player) =>
        dependencies.requests.addSnapshot({ collection, key, value: loser }, player),
      );
    }
  }
  return settle(value);

  async function decide(
    declared: CollectionOptions<unknown>,
    theirs: JsonObject,
  ): Promise<{ value: JsonObject; lossless: boolean }> {
    const { merge, migrate, onConflict } = declared;
    try {
      let value: JsonObject | null = null;
      let lossless = true;
      if (merge !== undefined) {
        const lift = (stored: JsonObject): JsonObject => {
          const opened = openNotes(stored);
          return migrate === undefined ? stored : closeNotes(migrate(opened.value), opened.notes);
        };
        const sides = { base: base === undefined ? null : lift(base), local: lift(local), cloud: lift(theirs) };
        const merged = mergeValues({ ...sides, rules: merge, localName: copy.device });
        value = merged.stored;
        lossless = typeof merge !== 'function' && merged.unresolved.length === 0;
        if (merged.unresolved.length > 0 && onConflict !== undefined) value = null;
      } else if (replay !== undefined) {
        value = replay(theirs, version);
      }
      if (value === null) {
        lossless = false;
        const shown = {
          key,
          base: base && show(declared, base),
          local: show(declared, local),
          cloud: show(declared, theirs),
        };
        const after = onConflict === undefined ? theirs : ((await onConflict(shown)) as JsonObject);
        value =
          merge === undefined || after === theirs
            ? after
            : noteChange({
                before: theirs,
                after,
                rules: merge,
                device: copy.device,
                now: dependencies.session.serverTime(),
              });
      }
      encodeValue(value);
      return { value, lossless };
    } catch (error) {
      dependencies.platform.report(error);
      throw new StateError('entry_conflict', "Another device has written the entry, and the game's own merge failed.");
    }
  }

  function settle(value: JsonObject): Promise<void> {
    return dependencies.commit((slots) => {
      const current = slots.get(name);
      // What the game has set meanwhile is decided anew.
      if (current === undefined || current.version !== slot?.version || !sameJson(current.local, local)) return;
      slots.set(name, { version, base: cloud, local: sameJson(value, cloud) ? undefined : value });
    });
  }
}
