import type { Report } from './remote.js';
import { progressText } from './texts.js';

export interface Scene {
  /** What the player can do next; `lost` is for devices whose accounts the service no longer has. */
  step: 'wait' | 'link' | 'sign-in' | 'choose' | 'done' | 'lost';
  story: string;
}

/** Without an account yet, or without the little progress that each device begins with. */
const isNew = ({ state, isReady, coins, level }: Report): boolean =>
  !isReady || (state === 'guest' && coins === 0 && level === 1);

/** Where the two devices stand, from what they say about themselves. */
export function sceneOf(a: Report | null, b: Report | null, name: string): Scene {
  if (a?.state === 'signedOut' || b?.state === 'signedOut') {
    return { step: 'lost', story: 'A device is signed out. Start over to see the conflict again.' };
  }
  if (a === null || b === null || isNew(a) || isNew(b)) {
    return { step: 'wait', story: 'Both devices sign in as guests and play a little.' };
  }
  if (b.state === 'conflict') {
    return {
      step: 'choose',
      story: `“${name}” belongs to the save of device A, and device B plays another one. Nothing has changed yet: choose in the dialog on B.`,
    };
  }
  if (b.state === 'linked') return { step: 'done', story: outcomeOf(b, name) };
  if (a.state !== 'linked') {
    return {
      step: 'link',
      story: `Two guests: A has ${progressText(a)}; B has ${progressText(b)}. Give the save on A a name.`,
    };
  }
  if (b.happened === 'cancel') {
    return {
      step: 'sign-in',
      story: 'Not now: nothing has changed, and B plays its own save. Sign in again to choose.',
    };
  }
  return {
    step: 'sign-in',
    story: `“${name}” now opens the save of device A (${progressText(a)}). Nothing moved: the guest account only got a name.`,
  };
}

function outcomeOf(b: Report, name: string): string {
  switch (b.happened) {
    case 'local':
      return `Device B kept its own save (${progressText(b)}), and “${name}” opens that one now. Device A plays on, but its save has lost the name. Undo is on B.`;
    case 'cloud':
      return `Device B continues the save of device A (${progressText(b)}). What it had before is set aside for 30 days: undo is on B.`;
    case 'merge':
      return `Both saves are one (${progressText(b)}), and both devices play it as “${name}”. Each save as it was is set aside: undo is on B.`;
    case 'undone':
      return `Undone: the save of “${name}” is as it was (${progressText(b)}). Even that can be taken back, in the history.`;
    default:
      return `Device B plays the save of “${name}” (${progressText(b)}).`;
  }
}
