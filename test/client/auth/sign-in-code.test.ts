import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminOf, here } from '../../support/operators.js';
import { createMemoryStorage, createWorld, ok, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const makeCode = async (userId: string | null) =>
  (
    await adminOf(world.service)
      .players(here)
      .makeSignInCode(userId as string)
  ).code;

/** A guest with a save, whose device nobody has any more. */
async function lost() {
  const client = await world.player({ storage: createMemoryStorage() });
  await client.profile.collection('progress').set('main', { level: 3 });
  await client.profile.flush();
  const { userId } = client.auth;
  client.dispose();
  return { userId };
}

describe('a guest whose device is gone', () => {
  it('comes back by a code of the support, and links a name by which a third device signs in', async () => {
    const { userId } = await lost();
    const second = await world.player({ storage: createMemoryStorage() });
    const own = second.auth.userId;
    const code = await makeCode(userId);
    expect(await second.auth.switchTo({ method: 'recovery', code })).toEqual({ success: true, userId });
    const progress = second.profile.collection('progress');
    await progress.load();
    expect(progress.get('main')).toEqual({ level: 3 });
    ok(await second.auth.link({ method: 'name', username: 'ada', password: 'correct horse' }));
    const third = await world.player({ storage: createMemoryStorage(), autoLogin: false });
    expect(await third.auth.withName('ada', 'correct horse')).toEqual({ success: true, userId });
    ok(await second.auth.signOut());
    expect(await second.auth.asGuest()).toEqual({ success: true, userId: own });
  });

  it('is signed in by the device from then on, where that was free', async () => {
    const { userId } = await lost();
    const second = await world.player({ storage: createMemoryStorage(), autoLogin: false });
    ok(await second.auth.switchTo({ method: 'recovery', code: await makeCode(userId) }));
    ok(await second.auth.signOut());
    expect(await second.auth.asGuest()).toEqual({ success: true, userId });
  });

  it('is signed in once more where the answer got lost, and nobody else is', async () => {
    const { userId } = await lost();
    const second = await world.player({ storage: createMemoryStorage() });
    const third = await world.player({ storage: createMemoryStorage() });
    const code = await makeCode(userId);
    world.backend.control.fail({ route: 'signInWithRecoveryCode', with: 'lost-answer' });
    const first = await second.auth.switchTo({ method: 'recovery', code });
    const again = first.success ? first : await second.auth.switchTo({ method: 'recovery', code });
    expect(again).toEqual({ success: true, userId });
    expect(await third.auth.switchTo({ method: 'recovery', code })).toMatchObject({
      error: { code: 'invalid_credentials' },
    });
  });
});
