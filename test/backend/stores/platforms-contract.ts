import { beforeEach, describe, expect, it } from 'vitest';
import type { OperatorMark } from '../../../src/backend/stores/operator-requests.js';
import type { SavePlatformRequest } from '../../../src/backend/stores/platform-requests.js';
import type { Store } from '../../../src/backend/stores/store.js';
import { gameId, scope } from './contract-records.js';
import { mark, operatorKey } from './operators-contract.js';

type Given = Partial<SavePlatformRequest['platform']>;

const sealed = 'sealed-0123456789';
const elsewhere = { ...scope, environment: 2 as const };

/** Platforms that operators register, and the log of it. */
export function describePlatforms(create: () => Store | Promise<Store>): void {
  let store: Store;
  const request = (name: string, version: number, given: Given = {}, takesOver = false): SavePlatformRequest => ({
    scope,
    platform: {
      name,
      preset: 'wave',
      isOn: true,
      settings: { app: 'one', origins: ['a', 'b'] },
      sealed,
      secrets: ['appSecret'],
      issuer: null,
      ...given,
    },
    version,
    takesOver,
    max: 3,
    now: 7 + version,
  });
  const save = (asked: SavePlatformRequest, by: Partial<OperatorMark> = {}) =>
    store.changeAsOperator({ change: 'savePlatform', request: asked, mark: mark({ action: 'savePlatform', ...by }) });
  const remove = (name: string, version: number, by: Partial<OperatorMark> = {}) =>
    store.changeAsOperator({
      change: 'removePlatform',
      request: { scope, name, version },
      mark: mark({ action: 'removePlatform', ...by }),
    });
  const names = async () => (await store.readPlatforms(scope)).platforms.map(({ name }) => name);
  const audit = () => store.readAudit({ owner: null, after: null, max: 100 });

  beforeEach(async () => {
    store = await create();
  });

  it('has none where none was registered', async () => {
    expect(await store.readPlatforms(scope)).toEqual({ revision: 0, platforms: [], former: [] });
    expect(await store.readPlatformsRevision(scope)).toBe(0);
  });

  it('keeps a platform as it was given, by name, and for its game and environment alone', async () => {
    await save(request('wave', 0));
    const provider = { sealed: null, secrets: [], issuer: 'https://tide.example', isOn: false };
    await save(request('tide', 0, provider));
    const made = { version: 1, createdAt: 7, changedAt: 7 };
    expect(await store.readPlatforms(scope)).toEqual({
      revision: 2,
      platforms: [
        { ...request('tide', 0).platform, ...provider, ...made, version: 2 },
        { ...request('wave', 0).platform, ...made },
      ],
      former: [],
    });
    expect(await store.readPlatformsRevision(scope)).toBe(2);
    for (const place of [elsewhere, { ...scope, gameId: gameId.replace('5', '6') }]) {
      expect(await store.readPlatforms(place)).toEqual({ revision: 0, platforms: [], former: [] });
    }
  });

  it.each(['__proto__', 'constructor', 'quote"\'\\', 'nul\u0000', 'half\ud800', '$1', '@platforms'])(
    'keeps %j as a name and as a setting, letter for letter',
    async (odd) => {
      await save(request(odd, 0, { settings: { [`field ${odd}`]: odd } }));
      const { platforms } = await store.readPlatforms(scope);
      expect(platforms).toMatchObject([{ name: odd, settings: { [`field ${odd}`]: odd } }]);
      expect(await save(request(odd, 1))).toMatchObject({ outcome: 'saved', platform: { version: 2 } });
      expect(await remove(odd, 2)).toMatchObject({ outcome: 'removed' });
    },
  );

  it('changes a platform of the version that the change rests on, and no other one', async () => {
    await save(request('wave', 0));
    expect(await save(request('wave', 0))).toEqual({ outcome: 'version_mismatch', version: 1 });
    expect(await save(request('wave', 2))).toEqual({ outcome: 'version_mismatch', version: 1 });
    expect(await save(request('tide', 1))).toEqual({ outcome: 'version_mismatch', version: 0 });
    expect(await store.readPlatformsRevision(scope)).toBe(1);
    expect(await save(request('wave', 1, { isOn: false }))).toMatchObject({
      outcome: 'saved',
      platform: { isOn: false, version: 2, createdAt: 7, changedAt: 8 },
      before: { isOn: true, version: 1 },
    });
    expect(await store.readPlatforms(scope)).toMatchObject({ revision: 2, platforms: [{ version: 2, isOn: false }] });
  });

  it('removes a platform of this version, and its name is free again', async () => {
    await save(request('wave', 0));
    expect(await remove('wave', 2)).toEqual({ outcome: 'version_mismatch', version: 1 });
    expect(await remove('tide', 1)).toEqual({ outcome: 'version_mismatch', version: 0 });
    expect(await names()).toEqual(['wave']);
    expect(await remove('wave', 1)).toMatchObject({ outcome: 'removed', before: { name: 'wave', version: 1 } });
    expect(await remove('wave', 1)).toEqual({ outcome: 'version_mismatch', version: 0 });
    expect(await store.readPlatforms(scope)).toMatchObject({ revision: 2, platforms: [] });
    await save(request('wave', 0));
    // What has read the first one notices that this is another one.
    expect(await store.readPlatformsRevision(scope)).toBe(3);
  });

  it('gives a platform no version that another one of its name has had, so that no old form changes or removes it', async () => {
    await save(request('wave', 0));
    await remove('wave', 1);
    expect(await save(request('wave', 0))).toMatchObject({ outcome: 'saved', platform: { version: 3 } });
    expect(await save(request('wave', 1))).toEqual({ outcome: 'version_mismatch', version: 3 });
    expect(await remove('wave', 1)).toEqual({ outcome: 'version_mismatch', version: 3 });
    expect(await save(request('wave', 3))).toMatchObject({ outcome: 'saved', platform: { version: 4 } });
  });

  it('gives the name of a social platform to no other preset, also when it is gone, unless that takes it over', async () => {
    const other = { preset: 'surf' };
    const inUse = (preset: string) => ({ outcome: 'name_in_use', preset });
    await save(request('wave', 0));
    expect(await save(request('wave', 1, other))).toEqual(inUse('wave'));
    await remove('wave', 1);
    expect((await store.readPlatforms(scope)).former).toEqual([{ name: 'wave', preset: 'wave' }]);
    expect(await save(request('wave', 0, other))).toEqual(inUse('wave'));
    expect(await store.readPlatforms(scope)).toMatchObject({ revision: 2, platforms: [] });
    // An identity provider has its players by the issuer, and not by the name.
    await save(request('wave', 0, { ...other, issuer: 'https://surf.example' }));
    expect(await save(request('wave', 3, other))).toEqual(inUse('wave'));
    expect(await save(request('wave', 3, other, true))).toMatchObject({
      outcome: 'saved',
      platform: { preset: 'surf' },
    });
    expect((await store.readPlatforms(scope)).former).toEqual([]);
    expect(await save(request('wave', 4))).toEqual(inUse('surf'));
    await remove('wave', 4);
    expect(await save(request('wave', 0, other))).toMatchObject({ outcome: 'saved' });
    expect(await save({ ...request('wave', 0), scope: elsewhere })).toMatchObject({ outcome: 'saved' });
  });

  it('knows the names of the two hundred that went last', async () => {
    for (let n = 0; n < 201; n += 1) {
      await save(request(`wave-${n}`, 0));
      await remove(`wave-${n}`, 2 * n + 1);
    }
    const { former } = await store.readPlatforms(scope);
    expect([former.length, former[0]?.name, former.at(-1)?.name]).toEqual([200, 'wave-1', 'wave-200']);
  });

  it('has no two with one issuer, and any number without one', async () => {
    await save(request('tide', 0, { issuer: 'https://tide.example' }));
    await save(request('wave', 0));
    expect(await save(request('surf', 0, { issuer: 'https://tide.example' }))).toEqual({ outcome: 'issuer_taken' });
    expect(await save(request('wave', 2, { issuer: 'https://tide.example' }))).toEqual({ outcome: 'issuer_taken' });
    expect(await names()).toEqual(['tide', 'wave']);
    expect(await save(request('tide', 1, { issuer: 'https://tide.example' }))).toMatchObject({ outcome: 'saved' });
    const same = { ...request('surf', 0, { issuer: 'https://tide.example' }), scope: elsewhere };
    expect(await save(same)).toMatchObject({ outcome: 'saved' });
  });

  it('takes so many and no more, and goes on to change those', async () => {
    for (const name of ['a', 'b', 'c']) await save(request(name, 0));
    expect(await save(request('d', 0))).toEqual({ outcome: 'too_many' });
    expect(await save(request('c', 3))).toMatchObject({ outcome: 'saved' });
    await remove('a', 1);
    expect(await save(request('d', 0))).toMatchObject({ outcome: 'saved' });
  });

  it('of many operators who change one platform at once lets one be first, and tells the others', async () => {
    await save(request('wave', 0));
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => save(request('wave', 1, { settings: { app: `p${n}` } }))),
    );
    expect(outcomes.filter((one) => one !== 'no_key' && one.outcome === 'saved')).toHaveLength(1);
    expect(outcomes.filter((one) => one !== 'no_key' && one.outcome === 'version_mismatch')).toHaveLength(7);
    expect(await store.readPlatforms(scope)).toMatchObject({ revision: 2, platforms: [{ version: 2 }] });
    expect(await audit()).toHaveLength(2);
  });

  it('of many who register platforms at once loses none, and takes no issuer twice', async () => {
    await Promise.all(['a', 'b', 'c'].map((name) => save(request(name, 0))));
    expect(await store.readPlatforms(scope)).toMatchObject({ revision: 3, platforms: [{}, {}, {}] });
    for (const { name, version } of (await store.readPlatforms(scope)).platforms) await remove(name, version);
    await Promise.all(['a', 'b', 'c'].map((name) => save(request(name, 0, { issuer: 'https://tide.example' }))));
    expect(await names()).toHaveLength(1);
  });

  it('notes what was changed, before and after, and nothing that is secret or sealed', async () => {
    await save(request('wave', 0));
    await save(request('wave', 1, { isOn: false, settings: { app: 'two' } }));
    await remove('wave', 2);
    const what = { game: gameId, env: 0, platform: 'wave' };
    const first = {
      preset: 'wave',
      isOn: true,
      settings: { app: 'one', origins: ['a', 'b'] },
      secrets: ['appSecret'],
      version: 1,
    };
    const second = { ...first, isOn: false, settings: { app: 'two' }, version: 2 };
    const noted = (await audit()).map(({ action, owner, what: changed, before, after }) => {
      return { action, owner, what: changed, before, after };
    });
    expect(
      noted.sort((one, other) => Number(one.before?.['version'] ?? 0) - Number(other.before?.['version'] ?? 0)),
    ).toEqual([
      { action: 'savePlatform', owner: null, what, before: undefined, after: first },
      { action: 'savePlatform', owner: null, what, before: first, after: second },
      { action: 'removePlatform', owner: null, what, before: second, after: undefined },
    ]);
    expect(JSON.stringify(await audit())).not.toContain(sealed);
  });

  it('notes nothing where nothing was changed', async () => {
    await save(request('wave', 1));
    await remove('wave', 1);
    expect(await audit()).toEqual([]);
  });

  it('changes nothing for an operator whose key was taken away', async () => {
    await store.changeAsOperator({ change: 'addOperatorKey', request: operatorKey('k'), mark: mark() });
    await save(request('wave', 0), { keyId: 'k' });
    await store.changeAsOperator({ change: 'removeOperatorKey', request: 'k', mark: mark() });
    expect(await save(request('wave', 1), { keyId: 'k' })).toBe('no_key');
    expect(await remove('wave', 1, { keyId: 'k' })).toBe('no_key');
    expect(await store.readPlatforms(scope)).toMatchObject({ revision: 1, platforms: [{ version: 1 }] });
  });

  describe('a picture of them', () => {
    it('stays as it was when they are changed', async () => {
      await save(request('wave', 0));
      const picture = await store.readPlatforms(scope);
      const copy = structuredClone(picture);
      await save(request('wave', 1, { settings: {} }));
      expect(picture).toEqual(copy);
    });
  });
}
