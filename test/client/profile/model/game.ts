import type { Collection, Conflict } from 'savepoint';
import type { Device, Page } from './device.js';
import type { Truth } from './truth.js';
import type { Turns } from './turns.js';
import { type CollectionName, collections, key, marksOf, optionsOf, type Value, withMark } from './values.js';

/** A game on a page: it does what games do, and holds all that it is told against the truth. */
export interface Game {
  readonly page: Page;
  write(name: CollectionName, amount: number): void;
  /** Sets what is there already. */
  writeAgain(name: CollectionName): void;
  flush(): void;
  load(): void;
  signOut(): void;
  /** By a name, or as the device's guest. */
  signIn(username: string | null): void;
  choose(choice: string): void;
  undo(): void;
  /** What is seen must hold together, and belong to the account. */
  look(): void;
  /** The calls that are not settled. */
  waiting(): string[];
}

export type Choice = 'local' | 'cloud' | 'merge' | 'cancel';

export function openGame(device: Device, tab: number, { truth, turns }: { truth: Truth; turns: Turns }): Game {
  const page = device.open(tab);
  const { client } = page;
  const where = `${device.name}, tab ${tab}`;
  const calls = new Set<{ name: string }>();
  const of = (name: CollectionName): Collection<Value> => client.profile.collection(name) as Collection<Value>;
  const get = (name: CollectionName): Value | undefined => of(name).get(key);

  /** Every call settles, once; what a dead page's calls do is nobody's matter. */
  function track<T>(name: string, call: Promise<T>, then: (result: T) => void = () => {}): void {
    const one = { name };
    calls.add(one);
    call.then(
      (result) => {
        calls.delete(one);
        if (page.isAlive) then(result);
      },
      (error: unknown) => {
        calls.delete(one);
        const { code } = error as { code?: string };
        if (page.isAlive && (code === undefined || code === 'internal')) truth.wrong(`${name} in ${where}: ${error}`);
      },
    );
  }

  /** A result is a value, and a failure of the SDK itself is none. */
  function trackResult(
    name: string,
    call: Promise<{ success: boolean; error?: { code: string; cause?: unknown } }>,
  ): void {
    track(name, call, ({ error }) => {
      if (error?.code === 'sdk_failed') truth.wrong(`${name} in ${where}: ${error.cause}`);
    });
  }

  /** Another account, or the same again, is told of from the start. */
  const told = new Map<CollectionName, string>();
  client.events.on('stateChanged', () => told.clear());
  for (const name of collections) {
    const room = client.profile.collection(
      name,
      optionsOf(name, () => turns.pause(4)),
    ) as Collection<Value>;
    room.onChange(({ value, by }) => {
      if (!page.isAlive) return;
      const text = JSON.stringify([client.auth.userId, value]);
      if (told.get(name) === text) truth.wrong(`told twice in ${where}, by ${by}: ${text}`);
      told.set(name, text);
      truth.seen(name, client.auth.userId, value, `what ${where} is told`);
    });
  }
  const met = new Set<Conflict>();
  client.events.on('conflict', (conflict) => {
    if (met.has(conflict)) truth.wrong(`the conflict is raised twice in ${where}`);
    met.add(conflict);
  });
  trackResult('init', client.init());

  return {
    page,
    write: (name, amount) => {
      const write = truth.begin({ amount, collection: name, device, account: client.auth.userId });
      const { mark } = write;
      const keep = (): void => truth.kept(write);
      if (name === 'log') {
        const change = (value: Value | undefined): Value => {
          truth.seen(name, write.account, value, `what ${where} updates`);
          return withMark(name, value, mark);
        };
        track(`update ${mark}`, of(name).update(key, change), keep);
      } else track(`set ${mark}`, of(name).set(key, withMark(name, get(name), mark)), keep);
    },
    writeAgain: (name) => {
      const value = get(name);
      if (value !== undefined)
        track('set again', of(name).set(key, value), () => truth.keptAgain(device, marksOf(value)));
    },
    flush: () => {
      const account = client.auth.userId;
      const marks = collections.flatMap((name) => marksOf(get(name)));
      track('flush', client.profile.flush(), () => account !== null && truth.flushed(marks));
    },
    load: () => {
      for (const name of collections) track(`load ${name}`, of(name).load());
    },
    signOut: () => {
      told.clear();
      trackResult('sign out', client.auth.signOut());
    },
    signIn: (username) =>
      trackResult(
        `sign in as ${username}`,
        username === null ? client.auth.asGuest() : client.auth.withName(username, 'correct horse'),
      ),
    choose: (choice) => {
      const { conflict } = client;
      if (conflict !== null) trackResult(`choose ${choice}`, conflict.resolve(choice as 'local'));
    },
    undo: () => {
      const { account } = client as unknown as { account?: Account };
      if (account === undefined) return;
      const undone = account.snapshots().then(async ([snapshot]) => {
        if (snapshot !== undefined) await account.restore(snapshot.id);
      });
      track('undo', undone);
    },
    look: () => {
      for (const error of page.reported.splice(0)) truth.wrong(`reported in ${where}: ${(error as Error).stack}`);
      for (const name of collections) truth.seen(name, client.auth.userId, get(name), `what ${where} shows`);
    },
    waiting: () => [...calls].map(({ name }) => `${name} in ${where}`),
  };
}

interface Account {
  snapshots(): Promise<{ id: string }[]>;
  restore(id: string): Promise<unknown>;
}
