import type { Client, StandardSchema } from 'savepoint';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createMemoryStorage, createWorld, ok, quiet, type World } from '../world.js';

let world: World;
let client: Client;
beforeEach(async () => {
  world = createWorld();
  client = await world.player();
});
afterEach(() => world.end());

const schema = z.object({ level: z.number(), name: z.string().default('nobody') });
const writes = () => world.sent.filter(({ path }) => path.includes('/progress/'));

describe('a schema', () => {
  it('refuses what does not fit, at once, and names the field without its value', () => {
    const progress = client.profile.collection('progress', { schema });
    expect(() => progress.set('main', { level: 'secret' } as never)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/"level"(?!.*secret)/) }),
    );
    expect(progress.get('main')).toBeUndefined();
  });

  it('is what a game sees a value through, and what is stored stays as it was set', async () => {
    const progress = client.profile.collection('progress', { schema });
    await progress.set('main', { level: 1 });
    expect(progress.get('main')).toEqual({ level: 1, name: 'nobody' });
    await client.profile.flush();
    expect(writes().map(({ body }) => JSON.parse(body))).toEqual([{ value: { level: 1 }, version: -1 }]);
  });

  it('says of a stored value that it does not fit, and leaves it alone', async () => {
    await client.profile.collection('progress').set('main', { level: 'high' });
    await client.profile.flush();
    const progress = client.profile.collection('progress', { schema });
    expect(() => progress.get('main')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
    expect(progress.entries()).toEqual([]);
    expect(await progress.load()).toEqual([]);
    expect(progress.held()).toMatchObject([{ key: 'main', code: 'invalid_value' }]);
    await expect(progress.update('main', () => ({ level: 1 }))).rejects.toMatchObject({ code: 'invalid_value' });
    expect(writes()).toHaveLength(1);
    await progress.set('main', { level: 1 });
    expect(progress.get('main')).toMatchObject({ level: 1 });
  });

  it('must check at once', () => {
    const slow: StandardSchema<{ level: number }> = {
      '~standard': { version: 1, vendor: 'slow', validate: async () => ({ value: { level: 1 } }) },
    };
    expect(() => client.profile.collection('progress', { schema: slow }).set('main', { level: 1 })).toThrow(TypeError);
  });

  it('holds what an update makes', async () => {
    const progress = client.profile.collection('progress', { schema });
    await expect(progress.update('main', () => ({ level: 'high' }) as never)).rejects.toBeInstanceOf(TypeError);
    expect(await progress.update('main', () => ({ level: 2 }))).toEqual({ level: 2, name: 'nobody' });
  });
});

describe('migrate', () => {
  const migrate = ({ level, lvl, ...rest }: { [field: string]: unknown }) => ({ ...rest, level: level ?? lvl });

  it('shows an old value in the form of today, and writes it so at the next set', async () => {
    await client.profile.collection('progress').set('main', { lvl: 4 });
    await client.profile.flush();
    const progress = client.profile.collection('progress', { schema, migrate });
    expect(progress.get('main')).toEqual({ level: 4, name: 'nobody' });
    await progress.update('main', (value) => ({ ...value, level: (value?.level ?? 0) + 1 }));
    await client.profile.flush();
    expect(JSON.parse(writes()[1]?.body ?? '')).toEqual({ value: { level: 5, name: 'nobody' }, version: 0 });
  });

  it('lifts both sides before they are merged', async () => {
    const options = { migrate, merge: { level: 'max', coins: 'sum' } } as const;
    ok(await client.auth.withName('ada', 'correct horse'));
    const other = await world.player({ storage: createMemoryStorage() });
    ok(await other.auth.signOut());
    ok(await other.auth.withName('ada', 'correct horse'));
    await client.profile.collection('progress').set('main', { lvl: 7, coins: 1 });
    await client.profile.flush();
    await other.profile.collection('progress', options).set('main', { level: 3, coins: 2 });
    await other.profile.flush();
    await quiet();
    expect(other.profile.collection('progress').get('main')).toEqual({ level: 7, coins: 3 });
  });

  it.each([
    ['gives nothing', (): never => undefined as never],
    ['gives a promise', async () => ({ level: 1 })],
    [
      'throws',
      (): never => {
        throw new Error('secret');
      },
    ],
  ])('is never taken for a player without a save where it %s', async (_, broken) => {
    const plain = client.profile.collection('progress');
    await plain.set('main', { lvl: 4 });
    await client.profile.flush();
    const progress = client.profile.collection('progress', { migrate: broken as never });
    expect(() => progress.get('main')).toThrow(
      expect.objectContaining({ code: 'invalid_value', message: expect.not.stringContaining('secret') }),
    );
    expect(progress.held()).toMatchObject([{ key: 'main', code: 'invalid_value' }]);
    expect(await progress.load()).toEqual([]);
    await expect(progress.update('main', () => ({ level: 1 }))).rejects.toMatchObject({ code: 'invalid_value' });
    expect(client.profile.collection('progress', {}).get('main')).toEqual({ lvl: 4 });
  });
});

describe('what is no option of a collection', () => {
  it.each([
    ['no object', 5, 'options must be an object'],
    ['null', null, 'options must be an object'],
    ['a rule in the place of rules', { merge: 'max' }, 'merge must be a function or an object of rules'],
    ['no rules', { merge: null }, 'merge must be a function or an object of rules'],
    ['a list of rules', { merge: ['max'] }, 'merge must be a function or an object of rules'],
    ['a misspelt rule', { merge: { coins: 'Sum' } }, 'merge.coins must be one of the rules max, min, sum'],
    ['a misspelt rule further in', { merge: { a: { b: 'most' } } }, 'merge.a.b must be one of the rules'],
    ['a name that JavaScript has', { merge: { coins: 'toString' } }, 'merge.coins must be one of the rules'],
    ['a number for a rule', { merge: { coins: 1 } }, 'merge.coins must be a function or an object of rules'],
    ['no schema', { schema: {} }, 'schema must be a Standard Schema'],
    ['null for a schema', { schema: null }, 'schema must be a Standard Schema'],
    ['no function', { migrate: 'x' }, 'migrate must be a function'],
    ['no function to ask', { onConflict: {} }, 'onConflict must be a function'],
  ])('is refused where it is declared, and changes nothing: %s', async (_, options, message) => {
    const declared = client.profile.collection('progress', { merge: { coins: 'sum' } });
    expect(() => client.profile.collection('progress', options as never)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(message) }),
    );
    await declared.set('main', { coins: 1 });
    expect(declared.get('main')).toEqual({ coins: 1 });
  });

  it('is no rule that is undefined, nor a function of any kind', () => {
    const merge = { coins: undefined, level: () => 1, stats: { best: 'max', name: async () => 'a' } };
    expect(() => client.profile.collection('progress', { merge: merge as never })).not.toThrow();
  });
});
