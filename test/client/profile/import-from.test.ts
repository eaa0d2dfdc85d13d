import type { Client, TextStorage } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, ok, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

/** A game's former storage, with what else there is in the same one. */
function formerStorage(texts: { [key: string]: string }): TextStorage {
  const held = new Map(Object.entries({ 'savepoint:mine': '{}', other: 'x', ...texts }));
  return {
    length: held.size,
    key: (index) => [...held.keys()][index] ?? null,
    getItem: (key) => held.get(key) ?? null,
  };
}

const slots = (key: string) => (key.startsWith('slot.') ? { collection: 'progress', key: key.slice(5) } : null);
const importFrom = (client: Client, texts: { [key: string]: string }) =>
  client.profile.importFrom(formerStorage(texts), slots);

describe('importFrom', () => {
  it('makes entries of texts, once, and removes and overwrites nothing', async () => {
    const client = await world.player();
    const storage = formerStorage({ 'slot.a': '{"level":3}', 'slot.b': '{"level":4}' });
    const first = await client.profile.importFrom(storage, slots);
    expect(first).toEqual({ taken: ['slot.a', 'slot.b'], skipped: [], refused: [] });
    const progress = client.profile.collection('progress');
    await progress.set('a', { level: 9 });
    const second = await client.profile.importFrom(storage, slots);
    expect(second).toEqual({ taken: [], skipped: ['slot.a', 'slot.b'], refused: [] });
    expect(progress.entries().map(({ key, value }) => [key, value])).toEqual([
      ['a', { level: 9 }],
      ['b', { level: 4 }],
    ]);
    await client.profile.flush();
    expect(await progress.load()).toHaveLength(2);
  });

  it('throws TypeError for what is no storage, and without a map', async () => {
    const { profile } = await world.player();
    for (const none of [undefined, null, {}, 'x']) {
      expect(() => profile.importFrom(none as never, slots)).toThrow(/^storage must be/);
    }
    expect(() => profile.importFrom(formerStorage({}), undefined as never)).toThrow(/^map must be/);
  });

  it('counts once what two tabs take over at the same time, of which neither hears of the other', async () => {
    const { tabs } = world.platform;
    world.platform.tabs = (prefix) => ({ ...tabs(prefix), notify: () => {} });
    const storage = createMemoryStorage();
    const both = [await world.player({ storage }), await world.player({ storage })];
    for (const { profile } of both) profile.collection('progress', { merge: { coins: 'sum' } });
    await Promise.all(both.map((client) => importFrom(client, { 'slot.a': '{"coins":100}' })));
    for (const { profile } of both) await profile.flush();
    const [one] = await Promise.all(both.map(({ profile }) => profile.collection('progress').load()));
    expect(one?.map(({ value }) => value)).toEqual([{ coins: 100 }]);
  });

  it('leaves what another device has saved as it is, though this one has not seen it', async () => {
    const [one, two] = [await world.player(), await world.player()];
    ok(await one.auth.withName('ada', 'correct horse'));
    await one.profile.collection('progress').set('a', { level: 7 });
    await one.profile.flush();
    ok(await two.auth.signOut());
    ok(await two.auth.withName('ada', 'correct horse'));
    expect(await importFrom(two, { 'slot.a': '{"level":1}' })).toMatchObject({ taken: [], skipped: ['slot.a'] });
    expect(two.profile.collection('progress').get('a')).toEqual({ level: 7 });
  });

  it('refuses what cannot be stored, each by itself, with the reason', async () => {
    const client = await world.player();
    const { taken, refused } = await importFrom(client, {
      'slot.': '{}',
      'slot.a': 'no',
      'slot.b': '[1]',
      'slot.c': '{}',
    });
    expect(taken).toEqual(['slot.c']);
    expect(refused.map(({ from, error }) => [from, (error as Error).name])).toEqual([
      ['slot.', 'TypeError'],
      ['slot.a', 'SyntaxError'],
      ['slot.b', 'TypeError'],
    ]);
    const told = await client.profile.importFrom(formerStorage({ s: '1,2' }), (key) =>
      key === 's' ? { collection: 'progress', key, read: (text) => ({ list: text.split(',') }) } : undefined,
    );
    expect([told.taken, client.profile.collection('progress').get('s')]).toEqual([['s'], { list: ['1', '2'] }]);
  });

  it('takes nothing while the service cannot be asked, and all of it the next time', async () => {
    const client = await world.player();
    const { control } = world.backend;
    control.fail({ route: 'readCollection', with: 'offline', times: Number.POSITIVE_INFINITY });
    const texts = { 'slot.a': '{"level":3}', 'slot.b': '{}' };
    const { taken, refused } = await importFrom(client, texts);
    expect([taken, refused.map(({ error }) => (error as { code?: string }).code)]).toEqual([
      [],
      ['network', 'network'],
    ]);
    control.restore();
    expect((await importFrom(client, texts)).taken).toEqual(['slot.a', 'slot.b']);
    expect(client.profile.collection('progress').get('a')).toEqual({ level: 3 });
  });
});
