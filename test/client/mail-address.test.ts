import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createWorld, ok, until, type World } from './world.js';

let world: World;
beforeEach(() => {
  world = createWorld();
});
afterEach(() => world.end());

const latest = () => world.delivered.at(-1);

describe('the e-mail address of a player', () => {
  it('gets the code for a forgotten password, which sets a new one', async () => {
    const first = await world.player();
    ok(await first.auth.withName('ada', 'correct horse'));
    await first.account.setAddress('ada@mail.example', { language: 'nl' });
    await until(() => latest()?.kind === 'verify');
    expect(latest()).toMatchObject({ address: 'ada@mail.example', language: 'nl' });
    world.backend.control.fail({ route: 'verifyAddress', with: 'lost-answer' });
    await first.account.verifyAddress(latest()?.code as string);
    expect((await first.account.methods()).map(({ address }) => address)).toEqual([undefined, 'ada@mail.example']);
    const second = await world.player({ autoLogin: false });
    ok(await second.auth.requestReset('ada'));
    await until(() => latest()?.kind === 'reset');
    expect(latest()).toMatchObject({ address: 'ada@mail.example' });
    ok(await second.auth.reset('ada', latest()?.code as string, 'battery staple'));
    ok(await second.auth.withName('ada', 'battery staple'));
    await second.account.setAddress(null);
    await until(() => latest()?.kind === 'address_changed');
    expect((await second.account.methods()).map(({ address }) => address)).not.toContain('ada@mail.example');
  });

  it('needs a name, and arguments that are texts', async () => {
    const { account } = await world.player();
    await expect(account.setAddress('ada@mail.example')).rejects.toMatchObject({ code: 'not_found' });
    await expect(account.setAddress('ada')).rejects.toMatchObject({ code: 'invalid_request' });
    expect(() => account.setAddress(undefined as never)).toThrow(/^address/);
    expect(() => account.verifyAddress('')).toThrow(/^code/);
  });
});
