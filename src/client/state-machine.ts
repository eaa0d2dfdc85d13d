/** Where a client stands. `starting`: no account yet. @see Spec 3 */
export type StateName = 'starting' | 'guest' | 'linked' | 'conflict' | 'signedOut';

/** `from` is what an open conflict goes back to: nothing changes before a choice. */
export type State =
  | { readonly name: Exclude<StateName, 'conflict'> }
  | { readonly name: 'conflict'; readonly from: 'guest' | 'linked' };

/** Why an account's profile has been (re)loaded. */
export type InitializedReason = 'start' | 'cloud' | 'switch' | 'merge';

/** `linked`: whether a method other than the device leads to the account that is come to, if any is. */
export type Trigger =
  | { type: 'restore' | 'signIn' | 'link' | 'renew' | 'local' | 'cloud' | 'merge' | 'switch'; linked: boolean }
  | { type: 'adopt'; linked: boolean; sameAccount: boolean }
  | { type: 'conflict' | 'close' | 'signOut' | 'end' | 'expire' | 'adoptSignOut'; linked?: boolean };

export type Effect =
  | 'closeConflict'
  | 'revoke'
  | 'save'
  | 'reload'
  | 'raiseConflict'
  | 'raiseExpired'
  | `raiseInitialized:${InitializedReason}`;

export interface Transition {
  state: State;
  effects: readonly Effect[];
}

/**
 * Spec 3 as one function. Gives null where the trigger has no meaning in the state: it came too late, and nothing
 * may change.
 *
 * | Spec 3: state | trigger | here |
 * |---|---|---|
 * | Start of client | initialisation with AutoLogin | `signIn`; `restore` where there is a stored session |
 * | Authenticated | a method that is not yet linked | `link` |
 * | Authenticated | a method that is linked to another user | `conflict` |
 * | Profile conflict pending | Local | `local` |
 * | Profile conflict pending | Cloud | `cloud`, and `merge`: Cloud with both profiles |
 * | Authenticated | Auth.SignOut | `signOut` |
 * | Signed out | Auth.WithName | `signIn` |
 * | AutoLogin disabled | Auth.External | `signIn` |
 *
 * The rest is ours: `renew` for new tokens, `close` for a conflict that ends without a choice, `end` for a session that
 * the player has ended at the service, `expire` for one that the service no longer takes, `switch` for one of another
 * account in its place, `adopt` for what another tab did.
 *
 * @see Spec 3
 */
export function transition(state: State, trigger: Trigger): Transition | null {
  const { name } = state;
  const outside = name === 'starting' || name === 'signedOut';
  const account: State = { name: trigger.linked ? 'linked' : 'guest' };
  const why = name === 'starting' ? 'start' : 'switch';

  switch (trigger.type) {
    case 'restore':
      return name === 'starting' ? { state: account, effects: ['reload', 'raiseInitialized:start'] } : null;
    case 'signIn':
      return outside ? { state: account, effects: ['save', 'reload', `raiseInitialized:${why}`] } : null;
    case 'link':
      return name === 'guest' || name === 'linked' ? { state: account, effects: ['save'] } : null;
    case 'renew':
      if (outside) return null;
      return { state: name === 'conflict' ? { name, from: account.name as 'guest' } : account, effects: ['save'] };
    case 'conflict':
      return name === 'guest' || name === 'linked'
        ? { state: { name: 'conflict', from: name }, effects: ['save', 'raiseConflict'] }
        : null;
    case 'local':
      return name === 'conflict' ? { state: account, effects: ['save'] } : null;
    case 'cloud':
    case 'merge':
      return name === 'conflict'
        ? { state: account, effects: ['save', 'reload', `raiseInitialized:${trigger.type}`] }
        : null;
    case 'close':
      return name === 'conflict' ? { state: { name: state.from }, effects: ['save'] } : null;
    case 'signOut':
      return { state: { name: 'signedOut' }, effects: ['closeConflict', 'revoke', 'save', 'reload'] };
    case 'end':
      return outside ? null : { state: { name: 'signedOut' }, effects: ['closeConflict', 'save', 'reload'] };
    case 'expire':
      if (outside) return null;
      return { state: { name: 'signedOut' }, effects: ['closeConflict', 'save', 'reload', 'raiseExpired'] };
    case 'switch':
      if (outside) return null;
      return { state: account, effects: ['closeConflict', 'save', 'reload', 'raiseInitialized:switch'] };
    case 'adopt':
      if (trigger.sameAccount) {
        return name === 'conflict'
          ? { state: { name, from: account.name as 'guest' }, effects: [] }
          : { state: account, effects: [] };
      }
      return { state: account, effects: ['closeConflict', 'reload', `raiseInitialized:${why}`] };
    case 'adoptSignOut':
      return outside ? null : { state: { name: 'signedOut' }, effects: ['closeConflict', 'reload'] };
  }
}
