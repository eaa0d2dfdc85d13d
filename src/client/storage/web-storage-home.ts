import { startTimer } from '../../http/timers.js';
import type { Lock } from '../platform/locks.js';
import type { Change, RawHome } from './home.js';
import type { StoragePort } from './storage-port.js';

/**
 * How long a tab says what it has written, and how often one that has its turn looks whether it reads that. The tabs of
 * a browser are processes of their own, and read what another one has written only some milliseconds later; on a busy
 * machine, where WebKit's storage is a process, too, more than 100 ms. Which locks are held, they all know at once.
 */
const signs = { keptMs: 5_000, lookMs: 10 };

/** Makes a home of localStorage, whose tabs take turns at each text. */
export function createWebStorageHome(storage: Storage, lock: Lock): RawHome {
  return {
    readAll: async (prefix) => {
      const texts = new Map<string, string>();
      for (let index = 0; index < storage.length; index += 1) {
        const key = storage.key(index);
        const text = key?.startsWith(prefix) ? storage.getItem(key) : null;
        if (key !== null && text !== null) texts.set(key, text);
      }
      return texts;
    },
    update: (key, change) => updateWebStorage(storage, lock, key, change),
  };
}

/** Changes a text of localStorage, as the only tab that does. */
export function updateWebStorage(storage: Storage, lock: Lock, key: string, change: Change): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const turn = async (): Promise<void> => {
      const latest = await hearLatest(storage, lock, key);
      const text = storage.getItem(key);
      const next = change(text);
      if (next === null) storage.removeItem(key);
      else if (next !== text) storage.setItem(key, next);
      resolve(next);
      if (next !== text) await putSign(lock, key, { turn: latest + 1, text: next });
    };
    lock(key, turn, { isNeeded: true }).catch(reject);
  });
}

/**
 * Waits until this tab reads what the last one in turn has written. Gives which turn that was; 0 where nobody says so.
 * The game may have changed the text by itself, and a tab that is closed takes its sign with it: so nobody waits for
 * longer than a sign stays.
 */
async function hearLatest(storage: Storage, lock: Lock, key: string): Promise<number> {
  let isOver = false;
  const stopTimer = startTimer(signs.keptMs, () => {
    isOver = true;
  });
  for (;;) {
    const { turn, digest } = await latestSign(lock, key);
    if (isOver || digest === undefined || digest === digestOf(storage.getItem(key))) {
      stopTimer();
      return turn;
    }
    await pause(signs.lookMs);
  }
}

async function latestSign(lock: Lock, key: string): Promise<{ turn: number; digest?: string }> {
  const prefix = signPrefixOf(key);
  let latest: { turn: number; digest?: string } = { turn: 0 };
  for (const name of (await lock.held?.()) ?? []) {
    if (!name.startsWith(prefix)) continue;
    const [turn, digest = ''] = name.slice(prefix.length).split(' ');
    if (Number(turn) > latest.turn) latest = { turn: Number(turn), digest };
  }
  return latest;
}

/** Says for a while what was written, by the name of a lock. Settles when every tab can see it. */
function putSign(lock: Lock, key: string, { turn, text }: { turn: number; text: string | null }): Promise<void> {
  return new Promise((seen) => {
    const show = (): Promise<void> => {
      seen();
      return pause(signs.keptMs);
    };
    lock(`${signPrefixOf(key)}${turn} ${digestOf(text)}`, show, { isNeeded: true }).catch(seen);
  });
}

const signPrefixOf = (key: string): string => `${key} is `;

/** Tells one text from another, as well as a tab needs that waits for one of two (FNV-1a, 32 bits, and the length). */
function digestOf(text: string | null): string {
  if (text === null) return 'none';
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return `${text.length}-${hash >>> 0}`;
}

function pause(ms: number): Promise<void> {
  return new Promise((end) => void startTimer(ms, end));
}

/** Whether it is localStorage, or one like it: it can name its keys. */
export function isWebStorage(storage: StoragePort): storage is Storage {
  return typeof (storage as Partial<Storage>).key === 'function';
}
