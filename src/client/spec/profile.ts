import type { Profile as ClientProfile, CollectionOptions } from '../profile/collection.js';
import { requireClient } from './initialised-client.js';

/** The player's saves, under the interface's names. */
export interface Profile {
  /**
   * A collection of the player's entries by its name: a copy on this device that answers at once, and is sent in the
   * background. The same as `client.profile.collection`. Throws an `SdkError` `not_initialised` before `Main.Init`, and
   * TypeError for a name that cannot be stored.
   *
   * @example
   * ```ts
   * interface Save { level: number; coins: number }
   * const progress = Profile.Collection<Save>('progress', { merge: { level: 'max', coins: 'sum' } });
   * await progress.set('main', { level: 3, coins: 120 });
   * ```
   */
  readonly Collection: ClientProfile['collection'];
}

/** The player's saves, under the interface's names. */
export const Profile: Profile = {
  Collection: ((name: string, options?: CollectionOptions) =>
    requireClient().profile.collection(name, options)) as ClientProfile['collection'],
};
