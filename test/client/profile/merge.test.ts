import { type Client, type CollectionOptions, highestProgress } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, ok, quiet, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

type Value = { [field: string]: unknown };

const progress = (client: Client, options?: CollectionOptions) => client.profile.collection('progress', options);
const snapshots = () =>
  world.sent
    .filter(({ path, body }) => path.endsWith('/snapshots') && body !== '')
    .map(({ body }) => (JSON.parse(body) as { value: unknown }).value);

/** Devices of one account. */
async function devices(count: number, options?: CollectionOptions): Promise<Client[]> {
  const clients = await Promise.all(
    Array.from({ length: count }, () => world.player({ storage: createMemoryStorage() })),
  );
  for (const client of clients) {
    ok(await client.auth.signOut());
    ok(await client.auth.withName('ada', 'correct horse'));
    progress(client, options);
  }
  return clients;
}

async function save(client: Client, value: Value): Promise<void> {
  await progress(client).set('main', value);
  await client.profile.flush();
}

const stored = async (client: Client): Promise<Value | undefined> => (await progress(client).load())[0]?.value;

/** Both have written on what the other did not know. */
async function diverge(options: CollectionOptions, mine: Value, theirs: Value): Promise<[Client, Client]> {
  const [one, two] = (await devices(2, options)) as [Client, Client];
  await save(one, theirs);
  await progress(two).set('main', mine);
  return [one, two];
}

describe('rules', () => {
  it('count what every device has added, and lose nothing that they gathered', async () => {
    const clients = await devices(3, { merge: { coins: 'sum', best: 'max', items: 'union' } });
    for (let round = 1; round <= 4; round += 1) {
      await Promise.all(
        clients.map(async (client, index) => {
          const value = progress(client).get('main') ?? {};
          await save(client, {
            coins: Number(value['coins'] ?? 0) + index + 1,
            best: Math.max(Number(value['best'] ?? 0), round * index),
            items: [...((value['items'] as string[] | undefined) ?? []), `${index}-${round}`],
          });
        }),
      );
    }
    const [first] = clients as [Client];
    const value = await stored(first);
    expect(value).toMatchObject({ coins: 24, best: 8 });
    expect(new Set(value?.['items'] as string[]).size).toBe(12);
    expect(snapshots()).toEqual([]);
  });

  it('count once what was written though its answer was lost, and another device has gone on since', async () => {
    const [one, two] = (await devices(2, { merge: { coins: 'sum' } })) as [Client, Client];
    await save(one, { coins: 1 });
    await progress(two).load();
    world.backend.control.fail({ route: 'updateEntry', with: 'lost-answer', times: 3 });
    await expect(save(two, { coins: 11 })).rejects.toMatchObject({ code: 'network' });
    await progress(one).load();
    await save(one, { coins: 111 });
    await two.profile.flush();
    expect(await stored(two)).toEqual({ coins: 111 });
  });

  it('ask the game only for the fields that none decides', async () => {
    const asked: unknown[] = [];
    const [, two] = await diverge(
      {
        merge: { coins: 'sum' },
        onConflict: (conflict) => {
          asked.push(conflict);
          return { ...conflict.cloud, coins: 3, name: 'both' };
        },
      },
      { coins: 1, name: 'mine' },
      { coins: 2, name: 'theirs' },
    );
    await two.profile.flush();
    expect(asked).toEqual([
      { key: 'main', base: undefined, local: { coins: 1, name: 'mine' }, cloud: { coins: 2, name: 'theirs' } },
    ]);
    expect(await stored(two)).toEqual({ coins: 3, name: 'both' });
  });

  it('leave what a policy does not take in the snapshots', async () => {
    const [, two] = await diverge({ merge: highestProgress('level') }, { level: 3 }, { level: 2 });
    await two.profile.flush();
    expect(await stored(two)).toEqual({ level: 3 });
    expect(snapshots()).toEqual([{ level: 2 }]);
  });
});

describe('onConflict', () => {
  it('decides in its own time, and what loses is kept', async () => {
    const [, two] = await diverge(
      { onConflict: async ({ local, cloud }) => ({ level: Number(local['level']) + Number(cloud['level']) }) },
      { level: 1 },
      { level: 2 },
    );
    await two.profile.flush();
    expect(await stored(two)).toEqual({ level: 3 });
    expect(snapshots()).toEqual([{ level: 1 }, { level: 2 }]);
  });

  it.each([
    ['throws', () => Promise.reject(new Error('a bug'))],
    ['gives what is no plain object', async () => 7 as never],
    ['gives what cannot be stored', async () => ({ level: Number.NaN })],
  ])('leaves both sides as they are where it %s, and says so', async (_, onConflict) => {
    const [one, two] = await diverge({ onConflict }, { level: 1 }, { level: 2 });
    await expect(two.profile.flush()).rejects.toMatchObject({ code: 'entry_conflict' });
    expect(two.profile.status).toBe('conflict');
    expect(progress(two).get('main')).toEqual({ level: 1 });
    expect(await stored(one)).toEqual({ level: 2 });
    expect(world.reported).toHaveLength(1);
    expect(snapshots()).toEqual([]);
  });

  it.each([
    ['makes what cannot be stored', () => Number.NaN, 'entry_conflict'],
    ['makes too much', () => 'x'.repeat(200_000), 'too_large'],
  ])("says what is wrong where a rule's function %s", async (_, level, code) => {
    const [one, two] = await diverge({ merge: { level } }, { level: 1 }, { level: 2 });
    await expect(two.profile.flush()).rejects.toMatchObject({ code });
    expect(progress(two).held()).toMatchObject([{ key: 'main', code }]);
    expect(progress(two).get('main')).toEqual({ level: 1 });
    expect(await stored(one)).toEqual({ level: 2 });
  });

  it('holds up no other entry while it waits', async () => {
    const [one, two] = await diverge(
      { onConflict: () => Promise.reject(new Error('a bug')) },
      { level: 1 },
      { level: 2 },
    );
    await progress(two).set('other', { level: 9 });
    await expect(two.profile.flush()).rejects.toMatchObject({ code: 'entry_conflict' });
    await quiet();
    expect(await progress(one).load()).toMatchObject([{ key: 'main' }, { key: 'other', value: { level: 9 } }]);
  });

  it('is asked anew about what was set while it decided', async () => {
    const asked: unknown[] = [];
    const [, two] = await diverge(
      {
        onConflict: async ({ local }) => {
          asked.push(local);
          if (asked.length === 1) await progress(two).set('main', { level: 5 });
          return local;
        },
      },
      { level: 1 },
      { level: 2 },
    );
    await two.profile.flush();
    expect(asked).toEqual([{ level: 1 }, { level: 5 }]);
    expect(await stored(two)).toEqual({ level: 5 });
  });
});

it('makes no update again that was stored, though nobody heard of it', async () => {
  const [one, two] = (await devices(2)) as [Client, Client];
  const add = (item: string) => (value: Value | undefined) => ({
    items: [...((value?.['items'] as string[] | undefined) ?? []), item],
  });
  await progress(one).update('main', add('sword'));
  world.backend.control.fail({ route: 'updateEntry', with: 'lost-answer', times: 3 });
  await expect(one.profile.flush()).rejects.toMatchObject({ code: 'network' });
  await progress(two).load();
  await progress(two).update('main', add('bow'));
  await two.profile.flush();
  await one.profile.flush();
  expect(await stored(one)).toEqual({ items: ['sword', 'bow'] });
  expect(snapshots()).toEqual([]);
});

it('waits with a clash until the game has opened the collection', async () => {
  const [one, two] = (await devices(2, { merge: { coins: 'sum' } })) as [Client, Client];
  await save(one, { coins: 1 });
  const storage = createMemoryStorage();
  const before = await world.player({ storage });
  ok(await before.auth.signOut());
  ok(await before.auth.withName('ada', 'correct horse'));
  world.backend.control.fail({ with: 'offline', times: Number.POSITIVE_INFINITY });
  await progress(before, { merge: { coins: 'sum' } }).set('main', { coins: 2 });
  before.dispose();
  world.backend.control.restore();
  const later = await world.player({ storage });
  await quiet();
  expect(later.profile.status).toBe('conflict');
  expect(await stored(two)).toEqual({ coins: 1 });
  progress(later, { merge: { coins: 'sum' } });
  await later.profile.flush();
  expect(await stored(two)).toEqual({ coins: 3 });
});
