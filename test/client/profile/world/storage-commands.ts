import fc from 'fast-check';
import type { Device } from './device.js';
import { none, onDevice, type Weighted } from './steps.js';
import type { Condition } from './storages.js';

const isBrowser = ({ kind }: Device): boolean => kind.storage === 'browser';

/** A storage that answers at once cannot stall; and without a `swap` a late write would land over a newer one. */
const canStall = ({ kind }: Device): boolean => kind.storage === 'browser' || kind.storage === 'with swap';

/** What happens to the storages of a device. One of a browser's two fails at a time: where both do, nothing can be promised. */
export const storageCommands: Weighted[] = [
  [
    3,
    onDevice(
      'storage',
      fc.record({ condition: fc.constantFrom<Condition>('fails', 'full', 'stalls') }),
      ({ shelf, localShelf }, { condition }) => {
        shelf.condition = condition;
        // A full disk is full for both of a browser's storages.
        if (condition === 'full') localShelf.condition = condition;
      },
      (device, { condition }) => device.isWell && (condition !== 'stalls' || canStall(device)),
    ),
  ],
  [
    3,
    onDevice(
      'failing writes',
      fc.record({ count: fc.integer({ min: 1, max: 3 }) }),
      ({ shelf }, { count }) => {
        shelf.failing = count;
      },
      (device) => device.isWell,
    ),
  ],
  [
    1,
    onDevice(
      'localStorage',
      fc.record({ condition: fc.constantFrom<Condition>('fails', 'full') }),
      ({ localShelf }, { condition }) => {
        localShelf.condition = condition;
      },
      (device) => isBrowser(device) && device.isWell,
    ),
  ],
  [
    2,
    onDevice(
      'no way to',
      fc.record({ shelf: fc.constantFrom('shelf', 'localShelf', 'localShelf') }),
      (device, { shelf }) => {
        device[shelf as 'shelf'].isBlocked = true;
      },
      (device) => isBrowser(device) && device.isWell,
    ),
  ],
  [
    1,
    onDevice(
      'disconnect',
      none,
      ({ pages, databases }) => {
        const page = pages.find((one) => one !== undefined);
        if (page !== undefined) databases.disconnect(page);
      },
      (device) => isBrowser(device) && device.isWell,
    ),
  ],
  [
    1,
    onDevice(
      'steal the locks',
      none,
      ({ origin }) => origin.steal(),
      ({ kind }) => kind.hasLocks && kind.storage !== 'in promises',
    ),
  ],
  [
    6,
    onDevice(
      'mend',
      none,
      (device) => device.mend(),
      (device) => !device.isWell,
    ),
  ],
];
