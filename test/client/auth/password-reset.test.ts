import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { adminOf } from '../../support/operators.js';
import { testGameId } from '../../support/service.js';
import { createWorld, ok, type World } from '../world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const makeCode = async (userId: string) =>
  (await adminOf(world.service).players({ gameId: testGameId, environment: 0 }).makeResetCode(userId)).code;

describe('a player who has forgotten the password', () => {
  it('sets a new one on another device, and signs in by it', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    const { userId } = first.auth;
    const second = await world.player({ autoLogin: false });
    for (const name of ['ada', 'nobody']) expect(await second.auth.requestReset(name)).toEqual({ success: true });
    const code = await makeCode(userId as string);
    expect(await second.auth.reset('ada', '000000', 'battery staple')).toMatchObject({
      success: false,
      error: { code: 'invalid_credentials' },
    });
    expect(await second.auth.reset('ada', code, 'short')).toMatchObject({ error: { code: 'password_too_short' } });
    expect(await second.auth.reset('ada', code, 'battery staple')).toEqual({ success: true });
    expect(second.auth.isAuthorized).toBe(false);
    expect(await second.auth.withName('ada', 'battery staple')).toEqual({ success: true, userId });
  });

  it('is answered once more where the answer got lost', async () => {
    const client = await world.player();
    ok(await client.auth.withName('ada', 'correct horse'));
    const code = await makeCode(client.auth.userId as string);
    world.backend.control.fail({ route: 'resetPassword', with: 'lost-answer' });
    expect(await client.auth.reset('ada', code, 'battery staple')).toEqual({ success: true });
  });

  it('throws TypeError for what is no text, and needs a client that was started', async () => {
    const client = world.client();
    expect(await client.auth.requestReset('ada')).toMatchObject({ error: { code: 'not_initialised' } });
    expect(() => client.auth.requestReset('')).toThrow(/^username/);
    expect(() => client.auth.reset('ada', '', 'new password')).toThrow(/^code/);
    expect(() => client.auth.reset('ada', '123456', 7 as never)).toThrow(/^newPassword/);
  });
});
