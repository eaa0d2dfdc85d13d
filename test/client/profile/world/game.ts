import type { Collection } from 'savepoint';
import { type Calls, createCalls } from './calls.js';
import type { Device, Page } from './device.js';
import { accountActions } from './game-account.js';
import { type GameWorld, type Holding, type Parts, peek } from './game-parts.js';
import { look, readable, tolerate, writeCounter, writeMark } from './game-saves.js';
import { listen } from './listening.js';
import { isCounter, keysOf, marksOf, type Name, type Value } from './values.js';

export type Choice = 'local' | 'cloud' | 'merge' | 'cancel';

/** A game on a page: it does what games do, and holds all that it is told against the truth. */
export interface Game {
  readonly page: Page;
  readonly calls: Calls;
  /** Writes an entry: by `set`, or by `update` where that is how the collection is written, or where it is asked for. */
  write(name: Name, options?: { key?: string; amount?: number; isUpdate?: boolean }): void;
  /** Sets what is there already. */
  writeAgain(name: Name): void;
  flush(): void;
  load(): void;
  signOut(): void;
  /** By a name, or as the device's guest. */
  signIn(username: string | null): void;
  choose(choice: Choice): void;
  undo(): void;
  remove(): void;
  /** Takes the deletion of an account back. */
  restore(code: string): void;
  switchNetwork(network: 'on' | 'off'): void;
  dispose(): void;
  readonly isDisposed: boolean;
  shown(name: Name): Value | undefined;
  /** What is seen must hold together, and belong to the account. */
  look(): void;
  /** The same where nothing is under way: what was told is what is. */
  lookAtRest(): void;
  /** What waits and says why; nothing where the game is not told. */
  held(): { name: Name; key: string }[];
  retry(name: Name, key: string): void;
  discard(name: Name, key: string): void;
}

export function openGame(device: Device, tab: number, world: GameWorld): Game {
  const { truth, turns, names } = world;
  const page = device.open(tab);
  const where = `${device.name}, ${page.isWorker ? 'worker' : `tab ${tab}`}`;
  const calls = createCalls(page, where, truth);
  const inPage = (task: () => void): void => turns.act(page, task);
  const read = <T>(task: () => T): T => turns.read(page, task);
  const { client } = page;
  const of = (name: Name): Collection<Value> & Holding => client.profile.collection(name) as Collection<Value>;
  const listening = read(() => listen(page, where, world));
  inPage(() => calls.trackResult('init', () => client.init()));
  let isDisposed = false;
  const parts: Parts = { page, where, calls, world, of, listening, choices: new Map() };

  const game: Game = {
    page,
    calls,
    ...accountActions(parts, inPage),
    write: (name, { key = 'main', amount = 1, isUpdate = false } = {}) =>
      inPage(() => (isCounter(name) ? writeCounter(parts, name) : writeMark(parts, name, { key, amount, isUpdate }))),
    writeAgain: (name) =>
      inPage(() => {
        for (const key of keysOf(name)) {
          const value = peek(() => of(name).get(key));
          if (value === undefined) continue;
          const keep = (): void => truth.keptAgain(device, marksOf(value));
          calls.track('set again', () => of(name).set(key, value), keep, tolerate(name, calls, truth, where));
        }
      }),
    flush: () =>
      inPage(() => {
        const account = client.auth.userId;
        const marks = names.flatMap((name) => (isCounter(name) ? [] : marksOf(peek(() => of(name).get('main')))));
        calls.track(
          'flush',
          () => client.profile.flush(),
          () => account !== null && truth.flushed(marks),
        );
      }),
    load: () =>
      inPage(() => {
        for (const name of names)
          calls.track(`load ${name}`, () => of(name).load(), undefined, readable(name, truth, where));
      }),
    dispose: () =>
      inPage(() => {
        isDisposed = true;
        client.dispose();
      }),
    get isDisposed() {
      return isDisposed;
    },
    shown: (name) => read(() => peek(() => of(name).get('main'))),
    look: () => read(() => look(parts)),
    lookAtRest: () => read(() => listening.compare((name, key) => peek(() => of(name).get(key)))),
    held: () =>
      read(() =>
        names.flatMap((name) => {
          const holding = of(name);
          return holding.held === undefined ? [] : holding.held().map(({ key }) => ({ name, key }));
        }),
      ),
    retry: (name, key) => inPage(() => calls.track(`retry ${name}`, async () => of(name).retry?.(key))),
    discard: (name, key) => inPage(() => calls.track(`discard ${name}`, async () => of(name).discard?.(key))),
  };
  return game;
}
