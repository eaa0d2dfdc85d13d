/**
 * Where a client stands: docs/interface.md#states-and-transitions
 *
 * - `starting`: nobody has been authenticated yet.
 * - `guest`: authenticated, and nothing but the device leads to the account.
 * - `linked`: authenticated, and the player has linked a method.
 * - `conflict`: authenticated, and the player has to choose in a conflict.
 * - `signedOut`: nobody is authenticated any more.
 */
export type StateName = 'starting' | 'guest' | 'linked' | 'conflict' | 'signedOut';

/** The state of a client. `from` is the state before the conflict, and the one after it if it ends without a choice. */
export type State =
  | { readonly name: Exclude<StateName, 'conflict'> }
  | { readonly name: 'conflict'; readonly from: 'guest' | 'linked' };

/**
 * Why an account's profile has been loaded: at the `start`, after the choice `cloud` or `merge`, or for another
 * account.
 */
export type InitializedReason = 'start' | 'cloud' | 'switch' | 'merge';

/**
 * What changes the state. `linked`: whether the player has linked a method to the account that the trigger leads to.
 */
export type Trigger =
  | { type: 'restore' | 'signIn' | 'link' | 'renew' | 'local' | 'cloud' | 'merge' | 'switch'; linked: boolean }
  | { type: 'adopt'; linked: boolean; sameAccount: boolean }
  | { type: 'conflict' | 'close' | 'signOut' | 'end' | 'expire' | 'adoptSignOut'; linked?: boolean };

export type Effect =
  | 'closeConflict'
  | 'overtakeConflict'
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
 * The states and transitions of the interface as one function. Gives null where the trigger has no meaning in the
 * state: it came too late, and nothing may change.
 *
 * | state | trigger | here |
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
 * docs/interface.md#states-and-transitions
 */
export function transition(state: State, trigger: Trigger): Transition | null {
  const { name } = state;
  const isOut = name === 'starting' || name === 'signedOut';
  const isOpen = name === 'conflict';
  const isSettled = !isOut && !isOpen;
  const account = trigger.linked ? 'linked' : 'guest';
  /** The state where the account stays the same, and so does an open conflict. */
  const same: State = isOpen ? { name, from: account } : { name: account };
  const arrive = (reason: InitializedReason = name === 'starting' ? 'start' : 'switch'): Effect[] => [
    'reload',
    `raiseInitialized:${reason}`,
  ];
  const go = (to: State | StateName, ...effects: Effect[]): Transition => ({
    state: typeof to === 'string' ? ({ name: to } as State) : to,
    effects,
  });

  switch (trigger.type) {
    case 'restore':
      return name === 'starting' ? go(account, ...arrive()) : null;
    case 'signIn':
      return isOut ? go(account, 'save', ...arrive()) : null;
    case 'link':
      return isSettled ? go(account, 'save') : null;
    case 'renew':
      return isOut ? null : go(same, 'save');
    case 'conflict':
      return isSettled ? go({ name: 'conflict', from: name }, 'save', 'raiseConflict') : null;
    case 'local':
      return isOpen ? go(account, 'save') : null;
    case 'cloud':
    case 'merge':
      return isOpen ? go(account, 'save', ...arrive(trigger.type)) : null;
    case 'close':
      return isOpen ? go(state.from, 'save') : null;
    case 'signOut':
      return go('signedOut', 'closeConflict', 'revoke', 'save', 'reload');
    case 'end':
      return isOut ? null : go('signedOut', 'closeConflict', 'save', 'reload');
    case 'expire':
      return isOut ? null : go('signedOut', 'closeConflict', 'save', 'reload', 'raiseExpired');
    case 'switch':
      return isOut ? null : go(account, 'closeConflict', 'save', ...arrive());
    case 'adopt':
      return trigger.sameAccount ? go(same) : go(account, 'overtakeConflict', ...arrive());
    case 'adoptSignOut':
      return isOut ? null : go('signedOut', 'overtakeConflict', 'reload');
  }
}
