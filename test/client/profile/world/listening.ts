import type { Collection, Conflict } from 'savepoint';
import type { Device, Page } from './device.js';
import type { GameWorld } from './game-parts.js';
import type { Write } from './truth.js';
import { marksOf, type Name, optionsOf, type Value } from './values.js';

/** What a game has been told. */
export interface Listening {
  /** Who plays, as far as the game has heard: what it sets before is whoever's that comes. */
  account(): string | null;
  /** A write that was made while nobody was here: the account that comes has it. */
  wroteEarly(write: Write): void;
  /** The player leaves: whoever comes is told of from the start. */
  forget(): void;
  /** Looks who is here. */
  look(): void;
  /** Holds what is shown against what was told last. */
  compare(get: (name: Name, key: string) => Value | undefined): void;
}

/** Who hears of those that come on the pages of a device: what was set early on any of them may be theirs. */
const hearers = new WeakMap<Device, Set<(userId: string) => void>>();

/** Listens as a game does, and holds what it is told against what it was told before. */
export function listen(page: Page, where: string, { truth, turns, names, expired, service }: GameWorld): Listening {
  const { client } = page;
  /** Another account, or the same again, is told of from the start. */
  const told = new Map<string, string>();
  const last = new Map<string, string>();
  const early: Write[] = [];
  /**
   * Those who were seen here since, and may have left before the game was told: what was set early may be theirs. Null for
   * one who was gone before anybody looked.
   */
  const passed = new Set<string | null>();
  const beside = hearers.get(page.device) ?? new Set();
  const hear = (userId: string): void => void (early.length > 0 && passed.add(userId));
  hearers.set(page.device, beside.add(hear));
  client.events.on('stateChanged', ({ state }) => {
    told.clear();
    if (state === 'signedOut' && early.length > 0) passed.add(null);
  });
  let isStarted = false;
  client.events.on('initialized', ({ userId }) => {
    isStarted = true;
    page.firstAccount ??= userId;
    if (userId === null) return;
    for (const other of beside) other(userId);
    // Whoever has signed in on a page beside this one may have what was set early, and be gone before any game is told.
    for (const one of early.length > 0 ? service.signedIn : []) {
      const by = one.by as Page | undefined;
      if (by?.device === page.device && by !== page && by.isAlive) passed.add(one.userId);
    }
    const isFirst = [...passed].every((one) => one === userId);
    for (const one of passed) if (one !== null) truth.arrived(one, page.device, []);
    truth.arrived(userId, page.device, isFirst ? early : []);
    early.splice(0);
    passed.clear();
  });
  client.events.on('sessionExpired', () => expired(page.device));
  for (const name of names) {
    const options = optionsOf(name, async ({ local, cloud }) => {
      const isKnown = marksOf(local).every((mark) => marksOf(cloud).includes(mark));
      if (isKnown) truth.wrong(`asked about its own write in ${where}: ${JSON.stringify({ local, cloud })}`);
      await turns.pause(4);
    });
    const room = client.profile.collection(name, options as object) as Collection<Value>;
    room.onChange(({ key, value, by }) => {
      if (!page.isAlive) return;
      const place = `${name}/${key}`;
      const text = JSON.stringify([client.auth.userId, value]);
      if (told.get(place) === text) truth.wrong(`told twice in ${where}, by ${by}: ${place} ${text}`);
      told.set(place, text);
      last.set(place, JSON.stringify(value));
      truth.seen(name, client.auth.userId, value, `what ${where} is told`);
    });
  }
  const met = new Set<Conflict>();
  client.events.on('conflict', (conflict) => {
    if (met.has(conflict)) truth.wrong(`the conflict is raised twice in ${where}`);
    met.add(conflict);
  });
  return {
    account: () => (isStarted ? client.auth.userId : null),
    wroteEarly: (write) => {
      early.push(write);
      // Who is stored here is offered it first, even where the service ends that session before the game is told of it.
      for (const text of page.device.texts()) {
        const [, stored] = /"session":\{"userId":"([^"]+)"/.exec(text) ?? [];
        if (stored !== undefined) passed.add(stored);
      }
      // Nor is the tab beside it another player's: where the storage stalls, it may be the only one that knows who plays.
      for (const other of page.device.pages) {
        const userId = other?.client.auth.userId ?? null;
        if (userId !== null) passed.add(userId);
      }
    },
    forget: () => told.clear(),
    look: () => {
      page.firstAccount ??= client.auth.userId;
      const { userId } = client.auth;
      if (early.length === 0 || userId === null) return;
      passed.add(userId);
      // It may be gone before the game is told of it.
      truth.arrived(userId, page.device, []);
    },
    compare: (get: (name: Name, key: string) => Value | undefined): void => {
      for (const [place, text] of last) {
        const [name, key] = place.split('/') as [Name, string];
        const value = get(name, key);
        if (value === undefined || JSON.stringify(value) === text) continue;
        truth.wrong(`${where} shows ${JSON.stringify(value)} in ${place}, and was told ${text} last`);
      }
    },
  };
}
