import type { Device } from './device.js';
import type { Game } from './game.js';
import type { WatchedService } from './service.js';
import type { Truth } from './truth.js';

/** Who plays on each device, which nobody may change but the player. */
export interface Identities {
  /** The player changes who plays on a device, or the service ends the session there. */
  change(device: Device): void;
  /** Where nothing is under way: looks who plays, and whether that is who it has to be. */
  look(): void;
}

export function createIdentities(
  devices: readonly Device[],
  { alive, playable }: { alive(): Game[]; playable(): Game[] },
  truth: Truth,
  { everDeleted, sources }: Pick<WatchedService, 'everDeleted' | 'sources'>,
): Identities {
  const players = new Map<Device, string>();

  function look(device: Device): void {
    // It is another device as long as that lasts, and who has played there may go on here.
    if (device.isElsewhere) return void players.delete(device);
    // A tab that lives on in the home that has gone goes on there as whom it has played, frozen or not.
    const livesOn = ({ page }: Game): boolean => page.client.storage.kind === 'localStorage';
    const games = playable().filter((game) => game.page.device === device && !livesOn(game));
    const expected = players.get(device);
    const found = games.map(({ page }) => page.client.auth.userId).filter((userId) => userId !== null);
    // Another device may hear late that the sessions of the account, or of the one that it has lost to, have ended, even after
    // that was restored.
    const isGone = [...everDeleted].some((one) => sources(one).has(expected as string));
    if (expected !== undefined && !isGone) {
      // Where a page has died that had chosen, the next one may hear late of the account that came out of the choice.
      for (const userId of found)
        if (!sources(userId).has(expected))
          truth.wrong(`${device.name} is played by ${userId} in place of ${expected}`);
    }
    // A page that is frozen may have begun to sign out, which the others hear once it is stored.
    const isSwitching = alive().some(({ page, calls }) => page.device === device && calls.isSwitching);
    const isSettled =
      device.isWell &&
      // A tab that lives on in localStorage has signed somebody in there: who that is comes here by the next start.
      !device.hasSessionElsewhere &&
      !hasOpenChoice(device) &&
      games.length > 0 &&
      !isSwitching &&
      games.every(({ page }) => page.client.conflict === null);
    const [first] = found;
    const isAgreed = found.length === games.length && found.every((userId) => userId === first);
    if (isSettled && isAgreed && first !== undefined && isStored(device, first)) players.set(device, first);
  }

  /** What could not be stored is tried again after a while: until then a page that starts finds who played before. */
  function isStored(device: Device, userId: string): boolean {
    return device.texts().some((text) => text.includes(`"session":{"userId":"${userId}"`));
  }

  /** The player has chosen, and the page was gone before the outcome was known: the next one asks for it until it knows. */
  function hasOpenChoice(device: Device): boolean {
    return device.texts().some((text) => text.includes('"choice":{"ticket":'));
  }

  return {
    change: (device) => void players.delete(device),
    look: () => {
      for (const device of devices) look(device);
    },
  };
}
