import type { Report } from './remote.js';
import { coinCount } from './texts.js';

export interface Scene {
  /** What the player can do next; `lost` is for devices whose accounts the service no longer has. */
  step: 'wait' | 'link' | 'sign-in' | 'choose' | 'done' | 'lost';
  story: string;
}

const held = ({ coins, level }: Report): string => `${coinCount(coins)}, level ${level}`;

/** Not signed in yet, or without the little progress that each device begins with. */
const isNew = ({ state, coins, level }: Report): boolean =>
  state === 'starting' || (state === 'guest' && coins === 0 && level === 1);

/** Where the two devices stand, from what they say about themselves. */
export function sceneOf(a: Report | null, b: Report | null, name: string): Scene {
  if (a === null || b === null || isNew(a) || isNew(b)) {
    return { step: 'wait', story: 'Both devices sign in as guests and play a little.' };
  }
  if (a.state === 'signedOut' || b.state === 'signedOut') {
    return { step: 'lost', story: 'A device is signed out. Start over to see the conflict again.' };
  }
  if (b.state === 'conflict') {
    return {
      step: 'choose',
      story: `“${name}” belongs to the save of device A, and device B plays another one. Nothing has changed yet: choose in the dialog on B.`,
    };
  }
  if (b.state === 'linked' && b.choice === 'local') {
    return {
      step: 'done',
      story: `Device B kept its own save (${held(b)}), and “${name}” opens that one now. Device A plays on, but its save has lost the name.`,
    };
  }
  if (b.state === 'linked' && b.choice === 'cloud') {
    return {
      step: 'done',
      story: `Device B continues the save of device A (${held(b)}). The guest save it had before is left behind.`,
    };
  }
  if (b.state === 'linked') return { step: 'done', story: `Device B plays the save of “${name}” (${held(b)}).` };
  if (a.state !== 'linked') {
    return {
      step: 'link',
      story: `Two guests: A has ${held(a)}; B has ${held(b)}. Give the save on A a name.`,
    };
  }
  if (b.choice === 'cancel') {
    return {
      step: 'sign-in',
      story: 'Not now: nothing has changed, and B plays its own save. Sign in again to choose.',
    };
  }
  return {
    step: 'sign-in',
    story: `“${name}” now opens the save of device A (${held(a)}). Nothing moved: the guest account only got a name.`,
  };
}
