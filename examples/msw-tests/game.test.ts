import { setupServer } from 'msw/node';
import { createBackend } from 'savepoint/backend';
import { createHandlers } from 'savepoint/backend/msw';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Choice, finishLevel, type Game, signIn, startGame } from './game.js';

// The game talks to https://saves.example.com as it does for its players. MSW catches that, and the whole save
// service answers from memory: nothing is faked in the game, and every test has a service of its own.
const network = setupServer();
let service: ReturnType<typeof createBackend>;

beforeAll(() => network.listen({ onUnhandledRequest: 'error' }));
afterAll(() => network.close());
beforeEach(() => {
  service = createBackend({
    games: [{ id: '3b0f0f4e-6a55-4c8a-9a7c-5d1f2e3a4b5c', privateKeys: ['only-for-tests'] }],
    insecureFastPasswordsForTests: true,
  });
  network.resetHandlers(...createHandlers(service, { baseUrl: 'https://saves.example.com' }));
});

/** A device is what it remembers. */
function device() {
  const kept = new Map<string, string>();
  return {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, text: string) => void kept.set(name, text),
    removeItem: (name: string) => void kept.delete(name),
  };
}

async function play({ on, levels }: { on: ReturnType<typeof device>; levels: number }): Promise<Game> {
  const game = await startGame(on);
  for (let level = 0; level < levels; level += 1) await finishLevel(game);
  return game;
}

const never = (): Choice => {
  throw new Error('nobody should be asked');
};

describe('a guest', () => {
  it('plays at once and is at the same level after a restart', async () => {
    const phone = device();
    const game = await play({ on: phone, levels: 2 });
    expect(game.progress).toEqual({ level: 3, coins: 20 });
    const guest = game.client.auth.userId;
    game.client.dispose();

    const again = await startGame(phone);
    expect(again.client.auth.userId).toBe(guest);
    expect(again.progress).toEqual({ level: 3, coins: 20 });
  });

  it('keeps the level when a name is linked', async () => {
    const game = await play({ on: device(), levels: 2 });
    expect(await signIn(game, 'ada', 'analytical engine', never)).toBe('signed in');
    expect(game.progress.level).toBe(3);
    expect(game.client.auth.state).toBe('linked');
  });

  it('keeps session and save when the password is wrong', async () => {
    const owner = await startGame(device());
    await signIn(owner, 'ada', 'analytical engine', never);

    const game = await play({ on: device(), levels: 2 });
    const guest = game.client.auth.userId;
    expect(await signIn(game, 'ada', 'difference engine', never)).toBe('invalid_credentials');
    expect(game.client.auth.userId).toBe(guest);
    expect(game.progress.level).toBe(3);
  });
});

describe('a second device, on which ada signs in after she has played there', () => {
  let laptop: Game;
  let phone: Game;

  beforeEach(async () => {
    laptop = await play({ on: device(), levels: 5 });
    await signIn(laptop, 'ada', 'analytical engine', never);
    phone = await play({ on: device(), levels: 1 });
  });

  it('asks her which save counts', async () => {
    const asked: unknown[] = [];
    await signIn(phone, 'ada', 'analytical engine', (sides) => {
      asked.push(sides);
      return 'cancel';
    });
    expect(asked).toEqual([{ local: 1, cloud: 1 }]);
  });

  it('goes on with the first save when she chooses Cloud', async () => {
    expect(await signIn(phone, 'ada', 'analytical engine', () => 'cloud')).toBe('signed in');
    expect(phone.client.auth.userId).toBe(laptop.client.auth.userId);
    expect(phone.progress.level).toBe(6);
  });

  it('keeps its own save, and the name leads to it, when she chooses Local', async () => {
    const before = phone.client.auth.userId;
    expect(await signIn(phone, 'ada', 'analytical engine', () => 'local')).toBe('signed in');
    expect(phone.client.auth.userId).toBe(before);
    expect(phone.progress.level).toBe(2);

    const tablet = await startGame(device());
    await signIn(tablet, 'ada', 'analytical engine', () => 'cloud');
    expect(tablet.client.auth.userId).toBe(before);
  });

  it('changes nothing when she does not choose', async () => {
    const before = phone.client.auth.userId;
    expect(await signIn(phone, 'ada', 'analytical engine', () => 'cancel')).toBe('conflict_cancelled');
    expect(phone.client.auth.userId).toBe(before);
    expect(phone.progress.level).toBe(2);
  });
});

describe('without a network', () => {
  it('a player who was here before is signed in, and the save is there when the network is back', async () => {
    const phone = device();
    const yesterday = await play({ on: phone, levels: 2 });
    const guest = yesterday.client.auth.userId;
    yesterday.client.dispose();

    service.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const today = await startGame(phone);
    expect(today.online).toBe(false);
    expect(today.client.auth.isAuthorized).toBe(true);
    expect(today.client.auth.userId).toBe(guest);

    service.control.restore();
    await finishLevel(today);
    expect(today.progress).toEqual({ level: 4, coins: 30 });
  });

  it('a new player is nobody yet, and becomes a guest when the network is back', async () => {
    service.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
    const game = await startGame(device());
    expect(game.online).toBe(false);
    expect(game.client.auth.isAuthorized).toBe(false);

    service.control.restore();
    expect((await game.client.auth.asGuest()).success).toBe(true);
    await finishLevel(game);
    expect(game.progress.level).toBe(2);
  });

  it('a level whose answer got lost is counted once', async () => {
    const game = await play({ on: device(), levels: 1 });
    service.control.fail({ route: 'updateEntry', with: 'lost-answer' });
    await finishLevel(game);
    expect(game.progress).toEqual({ level: 3, coins: 20 });
  });
});
