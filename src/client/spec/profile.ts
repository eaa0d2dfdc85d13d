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
  /**
   * Takes over what a game has kept under its own keys, as in `localStorage`, before it had savepoint. The same as
   * `client.profile.importFrom`: it never rejects, and what is refused comes with its reason. Throws an `SdkError`
   * `not_initialised` before `Main.Init`.
   */
  readonly ImportFrom: ClientProfile['importFrom'];
  /**
   * Keeps the open collections as new as the service has them, until the function that it gives is called. The same as
   * `client.profile.follow`: while the page can be seen, the service is asked every 4 seconds. Throws an `SdkError`
   * `not_initialised` before `Main.Init`, and TypeError for less than 1,000 ms.
   */
  readonly Follow: ClientProfile['follow'];
}

/** The player's saves, under the interface's names. */
export const Profile: Profile = {
  Collection: ((name: string, options?: CollectionOptions) =>
    requireClient().profile.collection(name, options)) as ClientProfile['collection'],
  ImportFrom: (storage, map) => requireClient().profile.importFrom(storage, map),
  Follow: (options) => requireClient().profile.follow(options),
};
