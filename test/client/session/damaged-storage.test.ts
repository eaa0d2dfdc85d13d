import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryStorage, createWorld, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

describe('a restart on a damaged storage', () => {
  it.each(['null', '{', '[]', '', 'x'.repeat(200), 'no ne'])(
    'goes on where all that is stored is %j',
    async (damaged) => {
      const storage = createMemoryStorage();
      const before = await world.player({ storage });
      await before.profile.collection('progress').set('main', { level: 1 });
      await before.profile.flush();
      before.dispose();
      for (const key of storage.values.keys()) storage.values.set(key, damaged);
      const after = await world.player({ storage });
      expect(after.auth).toMatchObject({ state: 'guest', isAuthorized: true });
      const progress = after.profile.collection('progress');
      await progress.set('main', { level: 2 });
      await after.profile.flush();
      expect(await progress.load()).toMatchObject([{ key: 'main', value: { level: 2 } }]);
      const { userId } = after.auth;
      after.dispose();
      expect((await world.player({ storage })).auth.userId).toBe(userId);
    },
  );
});
