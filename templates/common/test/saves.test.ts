import type { Conflict } from 'savepoint';
import { type Backend, createBackend } from 'savepoint/backend';
import { beforeEach, expect, it } from 'vitest';
import { openSaves, type Saves } from '../src/saves';

// The whole service answers from memory, and every test has one of its own. Nothing is faked in the game.
const gameId = '0e2b9c64-7d1f-4a53-9c80-5f6a7b8c9d0e';
let service: Backend;

beforeEach(() => {
  service = createBackend({
    games: [{ id: gameId, privateKeys: ['only for tests'] }],
    insecureFastPasswordsForTests: true,
  });
});

/** A device is what it remembers. */
async function open(kept = new Map<string, string>()): Promise<Saves> {
  const saves = openSaves({
    gameId,
    baseUrl: 'https://saves.test',
    fetch: (request) => service.fetch(request),
    storage: {
      getItem: (name) => kept.get(name) ?? null,
      setItem: (name, text) => void kept.set(name, text),
      removeItem: (name) => void kept.delete(name),
    },
  });
  await saves.client.init();
  return saves;
}

async function play(saves: Saves, fireflies: number): Promise<void> {
  for (let caught = 0; caught < fireflies; caught += 1) await saves.catchOne();
  await saves.progress.flush();
}

it('a guest plays at once, and has the same save after a restart', async () => {
  const phone = new Map<string, string>();
  const first = await open(phone);
  await play(first, 3);
  const guest = first.client.auth.userId;
  first.client.dispose();
  const again = await open(phone);
  expect(again.client.auth.userId).toBe(guest);
  expect(again.progress.get('main')).toEqual({ caught: 3, best: 3 });
});

it('a firefly whose answer got lost is counted once', async () => {
  const saves = await open();
  await play(saves, 2);
  service.control.fail({ route: 'updateEntry', with: 'lost-answer' });
  await play(saves, 1);
  await saves.progress.load();
  expect(saves.progress.get('main')).toEqual({ caught: 3, best: 3 });
});

it('what is caught without a network is sent when there is one again', async () => {
  const saves = await open();
  service.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
  await saves.catchOne();
  await saves.progress.flush().catch(() => {});
  expect(saves.client.profile.status).toBe('offline');
  service.control.restore();
  await saves.progress.flush();
  expect(saves.client.profile.status).toBe('synced');
});

/** Ada has played on one device, and signs in on another one, on which a guest has played. */
async function adaOnTwoDevices(choose: (conflict: Conflict) => 'local' | 'cloud' | 'merge' | 'cancel') {
  const first = await open();
  await play(first, 5);
  await first.client.auth.withName('ada', 'correct horse');
  const second = await open();
  await play(second, 2);
  second.client.events.on('conflict', (conflict) => void conflict.resolve(choose(conflict)));
  const result = await second.client.auth.withName('ada', 'correct horse');
  await second.progress.load();
  return { first, second, result };
}

it('a conflict shows both saves, and a merge counts all fireflies of both', async () => {
  const shown: unknown[] = [];
  const { first, second, result } = await adaOnTwoDevices(({ local, cloud }) => {
    shown.push(...[local, cloud].map(({ fields }) => fields.map(({ value }) => value)));
    return 'merge';
  });
  expect(shown).toEqual([
    [2, 2],
    [5, 5],
  ]);
  expect(result.success).toBe(true);
  expect(second.client.auth.userId).toBe(first.client.auth.userId);
  expect(second.progress.get('main')).toEqual({ caught: 7, best: 5 });
});

it('a conflict that is put off changes nothing', async () => {
  const { first, second, result } = await adaOnTwoDevices(() => 'cancel');
  expect(result.success).toBe(false);
  expect(second.client.auth.userId).not.toBe(first.client.auth.userId);
  expect(second.progress.get('main')).toEqual({ caught: 2, best: 2 });
});
