import { type Client, type Collection, createClient, isSdkError, type SyncStatus } from 'savepoint';

declare global {
  /** The bundler puts the game's id in its place. */
  const GAME_ID: string;
}

/** What a player has of one kind; the names of what was collected tell whether each counts once. */
export interface Purse {
  readonly coins: number;
  readonly names: readonly string[];
}

/** How a game stands, as its page knows it. */
export interface Standing {
  readonly userId: string | null;
  readonly state: string;
  readonly kind: string | null;
  readonly isFailing: boolean;
  readonly status: SyncStatus;
  readonly coins: number;
  /** How many coins were collected here, and of how many the promise has settled. */
  readonly started: number;
  readonly acknowledged: number;
  /** With which codes promises have been rejected. */
  readonly refused: readonly string[];
  /** Which events of the device's storage were raised. */
  readonly heard: readonly string[];
  /** What nobody has caught. */
  readonly complaints: readonly string[];
}

/** A game as small as it can be, on the client as a page has it. Tests and the messages of a page play it. */
export interface Game {
  readonly client: Client;
  readonly purse: Collection<Purse>;
  /** Starts the client; gives the failure's code, or null. */
  start(): Promise<string | null>;
  /** Collects a coin; settles when it is acknowledged. The name counts once, whoever writes. */
  collect(name: string, key?: string): Promise<void>;
  /** Collects so many coins, one after the other. */
  collectAll(prefix: string, count: number, key?: string): Promise<void>;
  /**
   * Collects coins as long as the page lives, and tells the test of each before and after; the first is told before it
   * begins, so that the test knows of each that can be there.
   */
  collectForever(prefix: string): Promise<never>;
  look(): Standing;
  /** The keys of all coins that are acknowledged. */
  acknowledgedKeys(): string[];
}

const rules = { coins: 'sum', names: 'union' } as const;

/** Sets the game up, in a page or in a worker. */
export function createGame(): Game {
  const heard: string[] = [];
  const refused: string[] = [];
  const complaints: string[] = [];
  let started = 0;
  const acknowledged: string[] = [];
  addEventListener('unhandledrejection', ({ reason }) => void complaints.push(String(reason)));
  addEventListener('error', ({ message }) => void complaints.push(message));

  const client = createClient({ gameId: GAME_ID, environment: 0, baseUrl: location.origin });
  client.events.on('storageDegraded', ({ from, to }) => void heard.push(`degraded ${from} ${to}`));
  client.events.on('storageRestored', ({ to }) => void heard.push(`restored ${to}`));
  const purse = client.profile.collection<Purse>('purse', { merge: rules });

  async function collect(name: string, key = 'main'): Promise<void> {
    started += 1;
    try {
      await purse.update(key, (had = { coins: 0, names: [] }) => ({
        coins: had.coins + 1,
        names: [...had.names, name],
      }));
      acknowledged.push(key);
    } catch (error) {
      refused.push(isSdkError(error) ? error.code : String(error));
    }
  }

  return {
    client,
    purse,
    acknowledgedKeys: () => acknowledged,
    start: async () => {
      const result = await client.init();
      return result.success ? null : result.error.code;
    },
    collect,
    collectAll: async (prefix, count, key) => {
      for (let index = 0; index < count; index += 1) await collect(`${prefix}${index}`, key);
    },
    collectForever: async (prefix) => {
      for (let index = 0; ; index += 1) {
        const name = `${prefix}${index}`;
        await fetch(`/started?${name}`);
        await collect(name);
        void fetch(`/acknowledged?${name}`);
      }
    },
    look: () => ({
      userId: client.auth.userId,
      state: client.auth.state,
      kind: client.storage.kind,
      isFailing: client.storage.isFailing,
      status: client.profile.status,
      coins: purse.get('main')?.coins ?? 0,
      started,
      acknowledged: acknowledged.length,
      refused,
      heard,
      complaints,
    }),
  };
}
