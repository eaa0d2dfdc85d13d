import { createMemoryStore } from 'savepoint/backend';
import { describe, expect, it } from 'vitest';
import { platformPresets } from '../../../src/backend/platforms/presets.js';
import { adminOf, createOperatedService, here } from '../../support/operators.js';
import {
  addWave,
  createServiceWithPlatforms,
  issuer,
  presets,
  sealingKey,
  secret,
  signInWithIdentity,
  signInWithSocial,
  wave,
} from '../../support/platforms.js';
import { post, signInGuest } from '../../support/service.js';

const token = `ada:${secret}`;
const off = { name: 'wave', preset: 'wave', isOn: false, version: 1 } as const;
const addTide = (service: ReturnType<typeof createServiceWithPlatforms>, more = {}) =>
  adminOf(service).savePlatform({
    ...here,
    name: 'tide',
    preset: 'tide',
    settings: { issuer, client: 'game' },
    ...more,
  });

describe('a player', () => {
  it('signs in with a platform that was registered while the service runs, by its sealed secret', async () => {
    const service = createServiceWithPlatforms();
    const before = await signInWithSocial(service, token, 'wave');
    expect(before.body).toMatchObject({ code: 'platform_not_registered', platforms: [] });
    await addWave(service);
    const { status, body } = await signInWithSocial(service, token, 'wave');
    expect([status, body.userId]).toEqual([200, expect.any(String)]);
    expect((await signInWithSocial(service, token)).body.userId).toBe(body.userId);
    expect((await signInWithSocial(service, 'ada:another', 'wave')).body.code).toBe('invalid_credentials');
  });

  it('finds in one environment what was registered for it, and not for another one', async () => {
    const service = createServiceWithPlatforms();
    await addWave(service);
    expect((await signInWithSocial(service, token, 'wave', 2)).body).toMatchObject({
      code: 'platform_not_registered',
      platforms: [],
    });
  });

  it('is told the names that there are, those of the configuration first, and none that is off', async () => {
    const service = createServiceWithPlatforms({ game: { socialPlatforms: { zoo: () => null } } });
    await addWave(service);
    await addWave(service, { name: 'away', isOn: false });
    const { status, body } = await signInWithSocial(service, token, 'constructor');
    expect([status, body.code, body.platforms]).toEqual([400, 'platform_not_registered', ['zoo', 'wave']]);
    expect((await signInWithSocial(service, token)).body.platforms).toEqual(['zoo', 'wave']);
  });

  it('does not get in by a platform that is off or was removed, and keeps the link', async () => {
    const service = createServiceWithPlatforms();
    const admin = adminOf(service);
    await addWave(service);
    const { body: ada } = await signInWithSocial(service, token, 'wave');
    const kept = { settings: { app: 'one' } };
    await admin.savePlatform({ ...here, ...off, ...kept });
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe('platform_not_registered');
    expect((await admin.players(here).get(ada.userId)).methods).toMatchObject([{ method: 'social' }]);
    await admin.savePlatform({ ...here, ...off, ...kept, isOn: true, version: 2 });
    expect((await signInWithSocial(service, token, 'wave')).body.userId).toBe(ada.userId);
    await admin.removePlatform({ ...here, name: 'wave', version: 3 });
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe('platform_not_registered');
    expect((await admin.players(here).get(ada.userId)).methods).toMatchObject([{ method: 'social' }]);
    await addWave(service);
    expect((await signInWithSocial(service, token, 'wave')).body.userId).toBe(ada.userId);
  });

  it('whose check is under way goes on with what it began with', async () => {
    const asked: (() => void)[] = [];
    const service = createServiceWithPlatforms({
      platformFetch: () =>
        new Promise((resolve) => {
          asked.push(() => resolve(new Response('yes')));
        }),
    });
    const settings = { app: 'one', appSecret: secret, server: 'https://wave.example/ask' };
    await addWave(service, { settings });
    const signedIn = signInWithSocial(service, token, 'wave');
    while (asked.length === 0) await new Promise(setImmediate);
    await adminOf(service).removePlatform({ ...here, name: 'wave', version: 1 });
    asked[0]?.();
    expect((await signedIn).status).toBe(200);
    expect((await signInWithSocial(service, token, 'wave')).body.code).toBe('platform_not_registered');
  });

  it('signs in with an identity provider that was registered, found by the issuer of the token', async () => {
    const service = createServiceWithPlatforms();
    expect((await signInWithIdentity(service)).body.code).toBe('invalid_credentials');
    await addTide(service);
    const { status, body } = await signInWithIdentity(service);
    expect(status).toBe(200);
    const [found] = await adminOf(service).players(here).find({ method: 'identity', provider: issuer, subject: 'ada' });
    expect(found?.userId).toBe(body.userId);
    expect((await signInWithIdentity(service, { aud: 'another' })).body.code).toBe('invalid_credentials');
    expect((await signInWithIdentity(service, { iss: 'https://evil.example' })).body.code).toBe('invalid_credentials');
    expect((await signInWithIdentity(service, { sub: 'trouble' })).body.code).toBe('unavailable');
    expect((await signInWithIdentity(service, { sub: '' })).body.code).toBe('invalid_credentials');
    await addTide(service, { isOn: false, version: 1 });
    expect((await signInWithIdentity(service)).body.code).toBe('invalid_credentials');
  });

  it('is checked by a provider that does not say its issuers, where no other has the issuer', async () => {
    const open = { ...presets[1], name: 'open' } as (typeof presets)[number];
    const { create } = open;
    open.create = (...given) => {
      const { verify, explain } = create(...given);
      return { verify, explain };
    };
    const service = createServiceWithPlatforms({ platformPresets: [...presets, open] });
    const settings = { issuer, client: 'game' };
    await adminOf(service).savePlatform({ ...here, name: 'open', preset: 'open', settings });
    const again = adminOf(service).savePlatform({ ...here, name: 'other', preset: 'open', settings });
    await expect(again).rejects.toMatchObject({ code: 'issuer_taken' });
    expect((await signInWithIdentity(service)).status).toBe(200);
    await addTide(service, { settings: { issuer, client: 'another' } });
    expect((await signInWithIdentity(service)).body.code).toBe('invalid_credentials');
  });

  it('links a platform that was registered to an account, and can take it away when it is no longer', async () => {
    const service = createServiceWithPlatforms();
    const guest = await signInGuest(service);
    await addWave(service);
    const linked = await post(service, '/v2/auth/social', { token, platform: 'wave' }, { token: guest.accessToken });
    expect(linked.body.userId).toBe(guest.userId);
    await adminOf(service).removePlatform({ ...here, name: 'wave', version: 1 });
    await adminOf(service).players(here).unlink(guest.userId, 'social');
    expect((await adminOf(service).players(here).get(guest.userId)).methods).toEqual([]);
  });
});

describe('a platform of the configuration', () => {
  const platforms = { surf: { preset: 'wave', settings: { app: 'two', appSecret: 'of the file' } } };

  it('works by its preset in every environment, and its secret is shown to nobody', async () => {
    const service = createServiceWithPlatforms({ game: { platforms } });
    for (const environment of [0, 1, 2]) {
      expect((await signInWithSocial(service, 'ada:of the file', 'surf', environment)).status).toBe(200);
    }
    const listed = await adminOf(service).platforms(here);
    expect(listed).toEqual([
      {
        name: 'surf',
        preset: 'wave',
        kind: 'social',
        isOn: true,
        source: 'configuration',
        settings: { app: 'two' },
        secrets: ['appSecret'],
        version: 0,
      },
    ]);
  });

  it('counts before a registered one of its name or issuer, and the list says so', async () => {
    const store = createMemoryStore();
    const first = createServiceWithPlatforms({ store });
    await addWave(first, { name: 'surf' });
    await addTide(first);
    const provider = { preset: 'tide', settings: { issuer, client: 'of the file' } };
    const service = createServiceWithPlatforms({ store, game: { platforms: { ...platforms, of: provider } } });
    expect((await signInWithSocial(service, 'ada:of the file', 'surf')).status).toBe(200);
    expect((await signInWithSocial(service, `ada:${secret}`, 'surf')).body.code).toBe('invalid_credentials');
    expect((await signInWithIdentity(service, { aud: 'of the file' })).status).toBe(200);
    expect((await signInWithIdentity(service)).body.code).toBe('invalid_credentials');
    const listed = await adminOf(service).platforms(here);
    expect(listed.map(({ name, source, problem }) => [name, source, problem])).toEqual([
      ['surf', 'configuration', undefined],
      ['of', 'configuration', undefined],
      ['surf', 'store', 'overridden'],
      ['tide', 'store', 'overridden'],
    ]);
  });

  it('counts also for players who name no platform, where it is the only one', async () => {
    const store = createMemoryStore();
    await addWave(createServiceWithPlatforms({ store }));
    const game = { socialPlatforms: { wave: () => ({ id: 'of the code' }) } };
    const service = createServiceWithPlatforms({ store, game });
    const { status, body } = await signInWithSocial(service, 'anything');
    expect(status).toBe(200);
    const [found] = await adminOf(service)
      .players(here)
      .find({ method: 'social', provider: 'wave', subject: 'of the code' });
    expect(found?.userId).toBe(body.userId);
  });

  it.each([
    [{ surf: { preset: 'none', settings: {} } }, 'games[0].platforms.surf.preset must be one of wave, tide'],
    [{ surf: { preset: 'wave', settings: {} } }, 'games[0].platforms.surf.settings: "app" must be given'],
    [{ surf: { preset: 'wave', settings: { app: 'x', color: 'y' } } }, 'has no field "color"'],
    [{ surf: { preset: 'wave', settings: { app: 'wrong' } } }, 'games[0].platforms.surf.settings: app must be'],
    [{ surf: { preset: 'wave', settings: null } }, 'games[0].platforms.surf.settings must be an object'],
    [{ 'Surf!': { preset: 'wave', settings: { app: 'x' } } }, 'games[0].platforms must have names of'],
    [{ zoo: { preset: 'wave', settings: { app: 'x' } } }, 'must have a name that none of socialPlatforms has'],
    [
      {
        one: { preset: 'tide', settings: { issuer, client: 'a' } },
        two: { preset: 'tide', settings: { issuer, client: 'b' } },
      },
      'games[0].platforms.two must have an issuer of its own',
    ],
  ])('that cannot work is refused at the start: %j', (given, said) => {
    const game = { platforms: given as typeof platforms, socialPlatforms: { zoo: () => null } };
    expect(() => createServiceWithPlatforms({ game })).toThrow(said);
  });
});

describe('a platform by a preset of this package', () => {
  it('is registered by those that there are, and two Googles are one issuer', async () => {
    const service = createOperatedService({ sealingKey });
    const admin = adminOf(service);
    expect((await admin.platformPresets()).map(({ name }) => name)).toEqual(platformPresets.map(({ name }) => name));
    const google = { ...here, preset: 'google', settings: { clientId: ['a-client.apps.googleusercontent.com'] } };
    expect(await admin.savePlatform({ ...google, name: 'google' })).toMatchObject({ kind: 'identity', version: 1 });
    for (const issuer of ['https://accounts.google.com', 'https://other.example']) {
      const settings = { issuer, clientId: ['game'] };
      const saved = admin.savePlatform({ ...here, name: 'other', preset: 'oidc', settings });
      if (issuer.endsWith('google.com')) await expect(saved).rejects.toMatchObject({ code: 'issuer_taken' });
      else expect(await saved).toMatchObject({ settings });
    }
    const discord = { ...here, name: 'discord', preset: 'discord' };
    const settings = { clientId: '159799960412356608', accepts: 'code', clientSecret: secret };
    expect(await admin.savePlatform({ ...discord, settings })).toMatchObject({ secrets: ['clientSecret'] });
    const wrong = admin.savePlatform({ ...discord, settings: { ...settings, accepts: 'cookies' }, version: 3 });
    await expect(wrong).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a reload of the configuration', () => {
  it('keeps what is prepared for platforms that did not change', async () => {
    const service = createServiceWithPlatforms();
    await addWave(service);
    expect((await signInWithSocial(service, 'count', 'wave')).body.userId).toBeDefined();
    const { id: gameId } = { id: service.gameId };
    const options = {
      games: [{ id: gameId, privateKeys: [service.privateKey] }],
      platformPresets: [wave],
      sealingKey,
      insecureFastPasswordsForTests: true,
    };
    const next = { ...service, backend: service.backend.reconfigured(options) };
    const second = await signInWithSocial(next, 'count', 'wave');
    const other = await signInWithSocial(service, 'count', 'wave');
    // The check counts how often it was asked: it is one and the same.
    expect(new Set([second.body.userId, other.body.userId]).size).toBe(2);
    const [found] = await adminOf(service).players(here).find({ method: 'social', provider: 'wave', subject: '2' });
    expect(found?.userId).toBe(second.body.userId);
  });
});
