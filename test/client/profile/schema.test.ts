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
});
