import { createMemoryStore } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { platformDefaults } from '../../../src/protocol/gaps/platforms.js';
import { adminOf, here, operatorOf, otherGame, testOperatorKey, twoGames } from '../../support/operators.js';
import {
  addWave,
  createServiceWithPlatforms,
  issuer,
  otherSealingKey,
  presets,
  sealingKey,
  secret,
  signInWithSocial,
  wave,
} from '../../support/platforms.js';
import { send, type TestService, testGameId, testStart } from '../../support/service.js';

const server = 'https://wave.example.com/ask';
const kept = { ...here, name: 'wave', preset: 'wave' } as const;
const token = `ada:${secret}`;

/** What the store has of the platforms, which is changed behind the service. */
function tamperedWith(
  store: ReturnType<typeof createMemoryStore>,
  change: (platform: { [name: string]: unknown }) => void,
) {
  const dump = store.dump();
  for (const { platforms } of dump.platforms ?? []) for (const platform of platforms) change(platform as never);
  store.load(dump);
}

describe('an operator who registers a platform', () => {
  it('sees it in the list, without its secret', async () => {
    const service = createServiceWithPlatforms();
    const saved = await addWave(service, { settings: { app: 'one', appSecret: secret, origins: ['a'], mode: 'live' } });
    expect(saved).toEqual({
      name: 'wave',
      preset: 'wave',
      kind: 'social',
      isOn: true,
      source: 'store',
      settings: { app: 'one', origins: ['a'], mode: 'live' },
      secrets: ['appSecret'],
      version: 1,
      createdAt: testStart,
      changedAt: testStart,
    });
    expect(await adminOf(service).platforms(here)).toEqual([saved]);
    expect(await adminOf(service).platforms({ ...here, environment: 1 })).toEqual([]);
  });

  it('finds the secret nowhere: not in the store, the log of changes, an answer or the log', async () => {
    const store = createMemoryStore();
    const logged: unknown[] = [];
    const service = createServiceWithPlatforms({ store, log: (record) => logged.push(record) });
    await addWave(service);
    await adminOf(service).savePlatform({ ...kept, settings: { app: 'two' }, version: 1 });
    const wrong = adminOf(service).savePlatform({ ...kept, settings: { app: 'wrong', appSecret: secret }, version: 2 });
    const { message } = await wrong.then(
      () => ({ message: '' }),
      (error: Error) => error,
    );
    expect(message).toContain('A secret field does not have the right form.');
    await adminOf(service).tryPlatform({ ...kept, token });
    await adminOf(service).removePlatform({ ...kept, version: 2 });
    const { entries } = await adminOf(service).audit();
    expect(entries.map(({ action }) => action)).toEqual(['removePlatform', 'savePlatform', 'savePlatform']);
    expect(JSON.stringify([store.dump(), logged, entries, message])).not.toContain(secret);
  });

  it('keeps a secret that is left out, replaces one that is given, and takes one away by null', async () => {
    const service = createServiceWithPlatforms();
    const admin = adminOf(service);
    const player = async (shown: string) => (await admin.tryPlatform({ ...kept, token: `ada:${shown}` })).player;
    await addWave(service);
    await admin.savePlatform({ ...kept, settings: { app: 'two' }, version: 1 });
    expect(await player(secret)).toEqual({ id: 'ada' });
    await admin.savePlatform({ ...kept, settings: { app: 'two', appSecret: 'new' }, version: 2 });
    expect([await player(secret), await player('new')]).toEqual([null, { id: 'ada' }]);
    const without = await admin.savePlatform({ ...kept, settings: { app: 'two', appSecret: null }, version: 3 });
    expect(without.secrets).toEqual([]);
    expect(await player('none')).toEqual({ id: 'ada' });
  });

  it('gives the secrets again where an address or the preset changes: they would be sent elsewhere', async () => {
    const asked: string[] = [];
    const platformFetch = async ({ url }: Request) => {
      asked.push(url);
      return new Response('yes');
    };
    const other = { ...wave, name: 'other' };
    const service = createServiceWithPlatforms({ platformFetch, platformPresets: [...presets, other] });
    const admin = adminOf(service);
    const settings = { app: 'one', server };
    await addWave(service, { settings: { ...settings, appSecret: secret } });
    const moved = { app: 'one', server: 'https://evil.example.com/' };
    for (const ask of [
      () => admin.savePlatform({ ...kept, settings: moved, version: 1 }),
      () => admin.savePlatform({ ...kept, settings: { app: 'one' }, version: 1 }),
      () => admin.tryPlatform({ ...kept, token, unsaved: { preset: 'wave', settings: moved } }),
    ]) {
      await expect(ask()).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('"appSecret" must be given again, because an address has changed'),
      });
    }
    const replacing = { ...kept, preset: 'other', settings, version: 1 };
    await expect(admin.savePlatform(replacing)).rejects.toMatchObject({ code: 'platform_name_in_use', status: 409 });
    const changed = await admin.savePlatform({ ...replacing, takesOver: true });
    expect(changed.secrets).toEqual([]);
    await admin.savePlatform({ ...kept, settings: { ...moved, appSecret: 'new' }, version: 2, takesOver: true });
    expect(asked).toEqual([]);
  });

  it.each<[string, object, string]>([
    ['of a preset that is none', { preset: 'none' }, 'there are wave, tide'],
    ['with a field that is none', { settings: { app: 'one', color: 'red' } }, 'no field "color"'],
    ['with a field whose name is text', { settings: { app: 'one', 'a b\u0007': 'red' } }, 'no field of this name'],
    ['with the prototype as a field', { settings: JSON.parse('{"app":"one","__proto__":"x"}') }, 'no field'],
    ['without what it needs', { settings: {} }, '"app" must be given'],
    ['with nothing in a field', { settings: { app: ' ' } }, '"app" must be a text'],
    ['with a number', { settings: { app: 1 } }, '"app" must be a text'],
    ['with half of a character', { settings: { app: '\ud800' } }, '"app" must be a text'],
    ['with a text for a list', { settings: { app: 'one', origins: 'a' } }, '"origins" must be a list'],
    ['with a list for a text', { settings: { app: ['one'] } }, '"app" must be a text'],
    ['with another choice', { settings: { app: 'one', mode: 'dead' } }, '"mode" must be one of live, test'],
    [
      'with an address that is private',
      { settings: { app: 'one', server: 'https://10.0.0.1/' } },
      '"server" must not be',
    ],
    [
      'with an address by http',
      { settings: { app: 'one', server: 'http://wave.example.com/' } },
      '"server" must be an https',
    ],
    ['that the preset does not take', { settings: { app: 'wrong' } }, 'app must be another one'],
    [
      'with too much in it',
      { settings: { app: 'one', origins: Array.from({ length: 60 }, () => 'x'.repeat(1_000)) } },
      'bytes together',
    ],
    ['by a name in capitals', { name: 'Wave' }, 'The name must be'],
    ['by a name that is too long', { name: 'w'.repeat(65) }, 'The name must be'],
    ['by a name that turns the writing around', { name: 'wave\u202e' }, 'The name must be'],
    ['by a name with a slash', { name: 'a/b' }, 'The name must be'],
    ['by the name of the prototype', { name: '__proto__' }, 'The name must be'],
  ])('%s is told what is wrong, and nothing is kept', async (_, more, said) => {
    const service = createServiceWithPlatforms();
    const asked = adminOf(service).savePlatform({ ...kept, settings: { app: 'one' }, ...more } as never);
    await expect(asked).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(said) });
    expect(await adminOf(service).platforms(here)).toEqual([]);
    expect((await adminOf(service).audit()).entries).toEqual([]);
  });

  it.each(['constructor', 'tostring', 'hasownproperty', '0', 'a.b_c-d'])('may call it %j', async (name) => {
    const service = createServiceWithPlatforms();
    await addWave(service, { name });
    expect((await signInWithSocial(service, token, name)).status).toBe(200);
    expect((await signInWithSocial(service, token, 'valueof')).body.platforms).toEqual([name]);
  });

  it('of two at once one is first, and the other is told', async () => {
    const service = createServiceWithPlatforms();
    await addWave(service);
    const change = (app: string) => adminOf(service).savePlatform({ ...kept, settings: { app }, version: 1 });
    const done = await Promise.allSettled([change('two'), change('three'), change('four')]);
    expect(done.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of done) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'version_mismatch', currentVersion: 2 });
    }
    const late = adminOf(service).removePlatform({ ...kept, version: 1 });
    await expect(late).rejects.toMatchObject({ code: 'version_mismatch', currentVersion: 2 });
    expect((await adminOf(service).audit()).entries).toHaveLength(2);
  });

  it('is refused a second provider with one issuer, and more platforms than there may be', async () => {
    const service = createServiceWithPlatforms({
      game: { identityProviders: [{ issuer: 'https://of.the.file', audience: 'game' }] },
    });
    const tide = (name: string, of: string) =>
      adminOf(service).savePlatform({ ...here, name, preset: 'tide', settings: { issuer: of, client: 'game' } });
    await tide('tide', issuer);
    await expect(tide('other', issuer)).rejects.toMatchObject({ code: 'issuer_taken', status: 409 });
    await expect(tide('other', 'https://of.the.file')).rejects.toMatchObject({ code: 'issuer_taken' });
    const { platformsPerGame } = platformDefaults;
    for (let n = 1; n < platformsPerGame; n += 1) await addWave(service, { name: `wave-${n}` });
    await expect(addWave(service)).rejects.toMatchObject({ code: 'too_many_platforms', status: 409 });
  });

  it('cannot change what the configuration has, and sees where it is from', async () => {
    const service = createServiceWithPlatforms({
      game: { socialPlatforms: { zoo: () => null }, platforms: { surf: { preset: 'wave', settings: { app: 'two' } } } },
    });
    for (const name of ['zoo', 'surf']) {
      const refused = { code: 'platform_configured', status: 409 };
      await expect(addWave(service, { name })).rejects.toMatchObject(refused);
      await expect(adminOf(service).removePlatform({ ...here, name, version: 1 })).rejects.toMatchObject(refused);
    }
    expect((await adminOf(service).platforms(here)).map(({ name, preset, source }) => [name, preset, source])).toEqual([
      ['zoo', null, 'configuration'],
      ['surf', 'wave', 'configuration'],
    ]);
  });

  it('can remove a registered platform that the configuration has overridden', async () => {
    const store = createMemoryStore();
    await addWave(createServiceWithPlatforms({ store }));
    const service = createServiceWithPlatforms({ store, game: { socialPlatforms: { wave: () => null } } });
    await adminOf(service).removePlatform({ ...kept, version: 1 });
    expect((await adminOf(service).platforms(here)).map(({ source }) => source)).toEqual(['configuration']);
  });

  it.each(['read', 'support'] as const)(
    'by a key with the scope %s may look, and change and try nothing',
    async (scope) => {
      const service = createServiceWithPlatforms();
      await addWave(service);
      const admin = await operatorOf(service, scope);
      expect(await admin.platformPresets()).toHaveLength(2);
      expect(await admin.platforms(here)).toHaveLength(1);
      for (const asks of [
        admin.savePlatform({ ...kept, settings: { app: 'two' }, version: 1 }),
        admin.removePlatform({ ...kept, version: 1 }),
        admin.tryPlatform({ ...kept, token }),
      ]) {
        await expect(asks).rejects.toMatchObject({ code: 'insufficient_scope' });
      }
    },
  );

  it('of one game changes nothing of another one', async () => {
    const service = createServiceWithPlatforms({ games: twoGames });
    await addWave(service);
    expect(await adminOf(service).platforms({ ...here, gameId: otherGame.id })).toEqual([]);
    await expect(adminOf(service).platforms({ ...here, gameId: testGameId.replace('5', '6') })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it.each(['', '?env=0', '?env=0&version=', '?env=0&version=x', '?env=0&version=0', '?env=0&version=1&version=1'])(
    'and asks to remove %j is told what is missing',
    async (query) => {
      const service = createServiceWithPlatforms();
      await addWave(service);
      const path = `/v2/admin/games/${testGameId}/platforms/wave${query}`;
      const { status, body } = await send(service, path, { method: 'DELETE', token: testOperatorKey });
      expect([status, body.code]).toEqual([400, query === '' ? 'invalid_env' : 'invalid_request']);
      expect(await adminOf(service).platforms(here)).toHaveLength(1);
    },
  );
});

describe('sealed secrets', () => {
  const states = async (service: TestService) =>
    (await adminOf(service).platforms(here)).map(({ name, problem }) => [name, problem]);
  const filled = async () => {
    const store = createMemoryStore();
    const service = createServiceWithPlatforms({ store });
    await addWave(service);
    await adminOf(service).savePlatform({ ...kept, name: 'free', settings: { app: 'one' } });
    return { store, service };
  };

  it('without a key are refused with the way out, and platforms without secrets are not', async () => {
    const { store } = await filled();
    const service = createServiceWithPlatforms({ store, sealingKey: undefined } as never);
    const refused = {
      code: 'sealing_key_missing',
      status: 409,
      message: expect.stringContaining('SAVEPOINT_SEALING_KEY'),
    };
    await expect(addWave(service, { name: 'new' })).rejects.toMatchObject(refused);
    await adminOf(service).savePlatform({ ...kept, name: 'open', settings: { app: 'one' } });
    expect((await signInWithSocial(service, 'ada:none', 'open')).status).toBe(200);
  });

  it.each<[string, object]>([
    ['that is gone', { sealingKey: undefined }],
    ['that is another one', { sealingKey: otherSealingKey }],
  ])('of a key %s make their platform unavailable, the list says why, and the others go on', async (_, keys) => {
    const { store } = await filled();
    const service = createServiceWithPlatforms({ store, ...keys } as never);
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe('unavailable');
    expect((await signInWithSocial(service, 'ada:none', 'free')).status).toBe(200);
    expect(await states(service)).toEqual([
      ['free', undefined],
      ['wave', 'key_missing'],
    ]);
    const trial = await adminOf(service).tryPlatform({ ...kept, token });
    expect(trial).toMatchObject({ player: null, steps: [{ result: 'failed', detail: 'It cannot: key_missing.' }] });
    // It can be switched off all the same, and the secret is there for whoever has the key again.
    const found = (await adminOf(service).platforms(here)).find(({ name }) => name === 'wave');
    const off = { ...kept, settings: { app: 'one' }, isOn: false, version: found?.version };
    const { version } = await adminOf(service).savePlatform(off);
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe('platform_not_registered');
    const again = adminOf(service).savePlatform({ ...kept, settings: { app: 'two' }, version });
    await expect(again).rejects.toMatchObject({ message: expect.stringContaining('"appSecret" must be given again') });
    const withKey = createServiceWithPlatforms({ store });
    await adminOf(withKey).savePlatform({ ...kept, settings: { app: 'one' }, version });
    expect((await signInWithSocial(withKey, token, 'wave')).status).toBe(200);
  });

  it('of a former key are opened, and sealed by the present one with the next change', async () => {
    const { store } = await filled();
    const rotated = createServiceWithPlatforms({ store, sealingKey: otherSealingKey, formerSealingKeys: [sealingKey] });
    expect((await signInWithSocial(rotated, token, 'wave')).status).toBe(200);
    await adminOf(rotated).savePlatform({ ...kept, settings: { app: 'one' }, version: 1 });
    const service = createServiceWithPlatforms({ store, sealingKey: otherSealingKey });
    expect((await signInWithSocial(service, token, 'wave')).status).toBe(200);
  });

  it.each<[string, { [name: string]: unknown }, string]>([
    ['nothing', {}, 'wave'],
    ['the address that they are sent to', { settings: { app: 'one', server } }, 'wave'],
    ['the preset', { preset: 'other' }, 'wave'],
    ['the name', { name: 'wave' }, 'weve'],
    ['themselves', { sealed: null }, 'wave'],
  ])('are opened no more where somebody has changed %s in the store', async (what, change, name) => {
    const store = createMemoryStore();
    const platformPresets = [...presets, { ...wave, name: 'other' }];
    await addWave(createServiceWithPlatforms({ store, platformPresets }), { name });
    tamperedWith(store, (platform) => {
      const sealed = String(platform['sealed']);
      const last = sealed.endsWith('AAAA') ? 'BBBB' : 'AAAA';
      Object.assign(platform, change, change['sealed'] === null ? { sealed: `${sealed.slice(0, -4)}${last}` } : {});
    });
    const service = createServiceWithPlatforms({ store, platformPresets });
    const isRead = what === 'nothing';
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe(isRead ? undefined : 'unavailable');
    expect(await states(service)).toEqual([['wave', isRead ? undefined : 'unreadable']]);
  });

  it('of a platform whose preset the service does not know are left alone, and the list says so', async () => {
    const { store } = await filled();
    const service = createServiceWithPlatforms({ store, platformPresets: [presets[1] as (typeof presets)[number]] });
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe('unavailable');
    expect(await states(service)).toEqual([
      ['free', 'unknown_preset'],
      ['wave', 'unknown_preset'],
    ]);
    await adminOf(service).savePlatform({ ...kept, settings: { app: 'one' }, isOn: false, version: 1 });
    expect((await signInWithSocial(service, token, 'wave')).body.platforms).toEqual(['free']);
  });
});

describe('a token that an operator tries', () => {
  it('is checked with settings that are not saved yet, and changes nothing', async () => {
    const service = createServiceWithPlatforms();
    const unsaved = { preset: 'wave', settings: { app: 'one', appSecret: 'new' } };
    const trial = await adminOf(service).tryPlatform({ ...kept, token: 'ada:new', unsaved });
    expect(trial).toEqual({
      player: { id: 'ada' },
      steps: [{ step: 'The secret is that of the app', result: 'passed' }],
    });
    expect(await adminOf(service).platforms(here)).toEqual([]);
    expect((await adminOf(service).players(here).list()).players).toEqual([]);
    await addWave(service);
    const same = { preset: 'wave', settings: { app: 'two' } };
    expect((await adminOf(service).tryPlatform({ ...kept, token, unsaved: same })).player).toEqual({ id: 'ada' });
  });

  it('is checked by the code of the configuration, which tells no more than whose it is', async () => {
    const service = createServiceWithPlatforms({
      game: {
        socialPlatforms: { zoo: (given) => (given === 'ada' ? { id: 'ada' } : null) },
        platforms: { surf: { preset: 'wave', settings: { app: 'two' } } },
      },
    });
    const tried = (name: string, given: string) => adminOf(service).tryPlatform({ ...here, name, token: given });
    expect(await tried('zoo', 'ada')).toMatchObject({ player: { id: 'ada' }, steps: [{ result: 'passed' }] });
    expect(await tried('zoo', 'bob')).toMatchObject({ player: null, steps: [{ result: 'failed' }] });
    expect(await tried('surf', 'ada:none')).toMatchObject({ player: { id: 'ada' } });
    await expect(tried('none', 'x')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not waited for longer than a player waits, and tells that', async () => {
    const service = createServiceWithPlatforms({
      limits: { verifierMs: 20 },
      platformFetch: () => new Promise(() => {}),
    });
    await addWave(service, { settings: { app: 'one', server } });
    const trial = await adminOf(service).tryPlatform({ ...kept, token });
    expect(trial).toMatchObject({ player: null, steps: [{ result: 'failed', detail: 'It took too long.' }] });
  });

  it.each(['wave', 'tried'])('takes places of its own: those of players of %s stay free', async (name) => {
    const asked: (() => void)[] = [];
    const service = createServiceWithPlatforms({
      limits: { tokenChecksAtOnce: 1 },
      platformFetch: () =>
        new Promise((resolve) => {
          asked.push(() => resolve(new Response('yes')));
        }),
    });
    await addWave(service, { name, settings: { app: 'one', server } });
    const tries = [1, 2].map(() => adminOf(service).tryPlatform({ ...kept, name, token: 'ada:none' }));
    while (asked.length < 1) await new Promise(setImmediate);
    const player = signInWithSocial(service, 'ada:none', name);
    while (asked.length < 2) await new Promise(setImmediate);
    asked[1]?.();
    expect((await player).status).toBe(200);
    asked[0]?.();
    while (asked.length < 3) await new Promise(setImmediate);
    asked[2]?.();
    for (const trial of await Promise.all(tries)) expect(trial.player).toEqual({ id: 'ada' });
  });

  it.each([
    {},
    { token: '' },
    { token: 'x', preset: 'wave' },
    { token: 'x', settings: {} },
    { token: 'x'.repeat(20_000) },
  ])('has to have the right form: %j', async (body) => {
    const service = createServiceWithPlatforms();
    await addWave(service);
    const path = `/v2/admin/games/${testGameId}/platforms/wave/try?env=0`;
    const { status, body: answer } = await send(service, path, { method: 'POST', token: testOperatorKey, body });
    expect([status, answer.code]).toEqual([400, 'invalid_request']);
  });
});
