import type { Client, CollectionOptions } from 'savepoint';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, ok, quiet, until, type World } from '../world.js';

let world: World;
let one: Client;
let two: Client;
beforeEach(async () => {
  world = createWorld();
  const storage = createMemoryStorage();
  one = await world.player({ storage });
  two = await world.player({ storage });
});
afterEach(() => world.end());

const progress = (client: Client, options?: CollectionOptions) => client.profile.collection('progress', options);
const writes = () => world.sent.filter(({ path }) => path.endsWith('/progress/main'));
const values = () => writes().map(({ body }) => (JSON.parse(body) as { value: unknown }).value);
const stored = async () => (await progress(one).load())[0]?.value;

it('shows in one tab what the other has set, and tells of it', async () => {
  const changes: unknown[] = [];
  progress(two).onChange((change) => changes.push(change));
  await progress(one).set('main', { level: 1 });
  await until(() => changes.length > 0);
  expect(progress(two).get('main')).toEqual({ level: 1 });
  expect(changes).toEqual([{ key: 'main', value: { level: 1 }, by: 'tab' }]);
});

it('sends once what one tab has set, though both are told of it', async () => {
  await progress(one).set('main', { level: 1 });
  await Promise.all([one.profile.flush(), two.profile.flush()]);
  await quiet();
  expect(values()).toEqual([{ level: 1 }]);
  expect([one.profile.status, two.profile.status]).toEqual(['synced', 'synced']);
});

it('lets the last one win where both set at once and there are no rules', async () => {
  await Promise.all([progress(one).set('main', { of: 'one' }), progress(two).set('main', { of: 'two' })]);
  await quiet();
  expect(progress(one).get('main')).toEqual(progress(two).get('main'));
  await one.profile.flush();
  expect(await stored()).toEqual(progress(two).get('main'));
});

it('counts both where both set at once and there are rules', async () => {
  const merge = { coins: 'sum', best: 'max', items: 'union' } as const;
  for (const client of [one, two]) progress(client, { merge });
  await progress(one).set('main', { coins: 1, best: 1, items: ['map'] });
  await quiet();
  await Promise.all([
    progress(one).set('main', { coins: 3, best: 3, items: ['map', 'sword'] }),
    progress(two).set('main', { coins: 6, best: 6, items: ['map', 'bow'] }),
  ]);
  await quiet();
  expect(progress(one).get('main')).toEqual(progress(two).get('main'));
  await one.profile.flush();
  expect(await stored()).toMatchObject({ coins: 8, best: 6 });
  expect(new Set((await stored())?.['items'] as string[])).toEqual(new Set(['map', 'sword', 'bow']));
});

it('makes an update again on what the other tab has just written', async () => {
  const add = (item: string) => (value: { [field: string]: unknown } | undefined) => ({
    items: [...((value?.['items'] as string[] | undefined) ?? []), item],
  });
  await progress(one).set('main', { items: [] });
  await quiet();
  await Promise.all([progress(one).update('main', add('a')), progress(two).update('main', add('b'))]);
  await one.profile.flush();
  expect(new Set((await stored())?.['items'] as string[])).toEqual(new Set(['a', 'b']));
});

it('sends from one tab what the other has left, which is gone', async () => {
  await progress(one).set('main', { level: 1 });
  one.dispose();
  await quiet();
  await two.profile.flush();
  expect(values()).toEqual([{ level: 1 }]);
});

it('shows nothing in a tab once the other has signed out', async () => {
  await progress(one).set('main', { level: 1 });
  await quiet();
  ok(await one.auth.signOut());
  await until(() => two.auth.userId === null);
  await quiet();
  expect(progress(two).get('main')).toBeUndefined();
});

it('holds up no other tab while the game is asked', async () => {
  ok(await one.auth.withName('ada', 'correct horse'));
  const other = await world.player();
  ok(await other.auth.signOut());
  ok(await other.auth.withName('ada', 'correct horse'));
  await progress(other).set('main', { of: 'other' });
  await other.profile.flush();
  let decide = (_: { [field: string]: unknown }): void => {};
  const asked = new Promise<void>((met) => {
    const onConflict = () => {
      met();
      return new Promise<{ [field: string]: unknown }>((resolve) => {
        decide = resolve;
      });
    };
    progress(one, { onConflict });
  });
  await progress(one).set('main', { of: 'one' });
  const flushing = one.profile.flush();
  await asked;
  await two.profile.collection('settings').set('main', { sound: false });
  await two.profile
    .collection('settings')
    .flush()
    .catch(() => {});
  expect(await other.profile.collection('settings').load()).toMatchObject([{ value: { sound: false } }]);
  decide({ of: 'both' });
  await flushing;
  expect(await stored()).toEqual({ of: 'both' });
});

it('loses no write of many in both', async () => {
  for (const client of [one, two]) progress(client, { merge: { coins: 'sum' } });
  for (let round = 0; round < 20; round += 1) {
    await Promise.all(
      [one, two].map((client) =>
        progress(client).update('main', (value) => ({ coins: Number(value?.['coins'] ?? 0) + 1 })),
      ),
    );
  }
  await one.profile.flush();
  expect(await stored()).toEqual({ coins: 40 });
});

it('refuses the same value set twice where another tab was faster and both are too large, each time', async () => {
  const options = { merge: { items: 'union' } } as const;
  for (const client of [one, two]) progress(client, options);
  const [first, second] = ['a', 'b'].map((letter) => ({ items: [letter.repeat(100 * 1024)] }));
  const setting = [
    progress(one).set('main', first ?? {}),
    progress(two).set('main', second ?? {}),
    progress(two).set('main', second ?? {}),
  ];
  const results = await Promise.allSettled(setting);
  const tooLarge = { status: 'rejected', reason: { code: 'too_large' } };
  expect(results).toMatchObject([{ status: 'fulfilled' }, tooLarge, tooLarge]);
  expect(progress(two).get('main')).toEqual(first);
});
