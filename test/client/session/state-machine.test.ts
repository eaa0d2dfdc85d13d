import { describe, expect, it } from 'vitest';
import { type State, type Trigger, transition } from '../../../src/client/session/state-machine.js';

const starting: State = { name: 'starting' };
const guest: State = { name: 'guest' };
const linked: State = { name: 'linked' };
const signedOut: State = { name: 'signedOut' };
const conflict: State = { name: 'conflict', from: 'guest' };

describe('the state machine (docs/interface.md#states-and-transitions)', () => {
  it('signs a guest in, or restores who was there, as the client starts', () => {
    expect(transition(starting, { type: 'signIn', linked: false })).toEqual({
      state: guest,
      effects: ['save', 'reload', 'raiseInitialized:start'],
    });
    expect(transition(starting, { type: 'restore', linked: true })).toEqual({
      state: linked,
      effects: ['reload', 'raiseInitialized:start'],
    });
  });

  it('links a method that no account has to the current account', () => {
    expect(transition(guest, { type: 'link', linked: true })).toEqual({ state: linked, effects: ['save'] });
  });

  it("opens a conflict where the method is another account's", () => {
    expect(transition(guest, { type: 'conflict' })).toEqual({
      state: conflict,
      effects: ['save', 'raiseConflict'],
    });
    expect(transition(linked, { type: 'conflict' })?.state).toEqual({ name: 'conflict', from: 'linked' });
  });

  it('keeps the current account by the choice Local, and reloads nothing', () => {
    expect(transition(conflict, { type: 'local', linked: true })).toEqual({ state: linked, effects: ['save'] });
  });

  it('goes to the owner by the choice Cloud, reloads, and raises the event', () => {
    expect(transition(conflict, { type: 'cloud', linked: true })).toEqual({
      state: linked,
      effects: ['save', 'reload', 'raiseInitialized:cloud'],
    });
  });

  it('signs out from every state', () => {
    for (const state of [guest, linked, conflict, signedOut, starting]) {
      expect(transition(state, { type: 'signOut' })).toEqual({
        state: signedOut,
        effects: ['closeConflict', 'revoke', 'save', 'reload'],
      });
    }
  });

  it('signs in after a sign-out', () => {
    expect(transition(signedOut, { type: 'signIn', linked: true })).toEqual({
      state: linked,
      effects: ['save', 'reload', 'raiseInitialized:switch'],
    });
  });

  it('signs in by Auth.External where AutoLogin is off', () => {
    expect(transition(starting, { type: 'signIn', linked: false })?.state).toEqual(guest);
  });
});

describe('what the table leaves open', () => {
  it('goes back to what it was where a conflict is closed without a choice', () => {
    expect(transition(conflict, { type: 'close' })).toEqual({ state: guest, effects: ['save'] });
    expect(transition({ name: 'conflict', from: 'linked' }, { type: 'close' })?.state).toEqual(linked);
  });

  it('goes to the owner with both profiles where they are merged', () => {
    expect(transition(conflict, { type: 'merge', linked: true })).toEqual({
      state: linked,
      effects: ['save', 'reload', 'raiseInitialized:merge'],
    });
  });

  it('signs out without a word to the service where the player has ended the session there', () => {
    for (const state of [guest, linked, conflict]) {
      expect(transition(state, { type: 'end' })).toEqual({
        state: signedOut,
        effects: ['closeConflict', 'save', 'reload'],
      });
    }
  });

  it('takes new tokens without leaving an open conflict', () => {
    expect(transition(conflict, { type: 'renew', linked: true })).toEqual({
      state: { name: 'conflict', from: 'linked' },
      effects: ['save'],
    });
  });

  it('raises sessionExpired, and never puts another account in its place', () => {
    expect(transition(linked, { type: 'expire' })).toEqual({
      state: signedOut,
      effects: ['closeConflict', 'save', 'reload', 'raiseExpired'],
    });
  });

  it('adopts what another tab did without writing it again', () => {
    expect(transition(guest, { type: 'adopt', linked: true, sameAccount: false })).toEqual({
      state: linked,
      effects: ['overtakeConflict', 'reload', 'raiseInitialized:switch'],
    });
    expect(transition(guest, { type: 'adopt', linked: true, sameAccount: true })).toEqual({
      state: linked,
      effects: [],
    });
    expect(transition(guest, { type: 'adoptSignOut' })).toEqual({
      state: signedOut,
      effects: ['overtakeConflict', 'reload'],
    });
  });

  it.each<[State, Trigger]>([
    [signedOut, { type: 'link', linked: true }],
    [signedOut, { type: 'conflict' }],
    [signedOut, { type: 'local', linked: true }],
    [signedOut, { type: 'renew', linked: true }],
    [signedOut, { type: 'expire' }],
    [signedOut, { type: 'end' }],
    [signedOut, { type: 'switch', linked: true }],
    [signedOut, { type: 'restore', linked: true }],
    [signedOut, { type: 'adoptSignOut' }],
    [guest, { type: 'cloud', linked: true }],
    [guest, { type: 'merge', linked: true }],
    [guest, { type: 'close' }],
    [guest, { type: 'signIn', linked: true }],
    [conflict, { type: 'signIn', linked: true }],
    [conflict, { type: 'link', linked: true }],
    [conflict, { type: 'conflict' }],
  ])('refuses what comes too late: %o, %o', (state, trigger) => {
    expect(transition(state, trigger)).toBeNull();
  });
});
