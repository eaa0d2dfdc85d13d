import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMemoryStore, type MemoryStore } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { testOperatorKey } from '../support/operators.js';
import { createServiceWithPlatforms, otherSealingKey, sealingKey, secret } from '../support/platforms.js';
import { testGameId } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { runCommand } from './in-process.js';

let served: ServedBackend;
let store: MemoryStore;
let env: { [name: string]: string };

async function start(more: Parameters<typeof createServiceWithPlatforms>[0] = {}): Promise<void> {
  served = await serve(createServiceWithPlatforms({ store, ...more }).backend, { port: 0 });
  env = {
    SAVEPOINT_URL: served.url,
    SAVEPOINT_OPERATOR_KEY: testOperatorKey,
    SAVEPOINT_GAME_ID: testGameId,
    SAVEPOINT_ENV: 'production',
    WAVE_SECRET: secret,
  };
}

beforeEach(async () => {
  store = createMemoryStore();
  await start();
});
afterEach(() => served.close());

const platforms = (...args: string[]) => runCommand(['platforms', ...args], { env });
const json = async (...args: string[]) => JSON.parse((await platforms(...args, '--json')).out);
const add = ['add', '--name', 'wave', '--preset', 'wave', '--set', 'app=one', '--secret-env', 'appSecret=WAVE_SECRET'];

describe('savepoint platforms', () => {
  it('lists the presets and their fields', async () => {
    const { code, out } = await platforms('presets');
    expect(code).toBe(0);
    expect(out).toMatch(/^PRESET +PLATFORM +KIND +FIELDS$/m);
    expect(out).toMatch(/^wave +Wave +social +app, \[appSecret \(secret\)\], \[server\], \[origins\], \[mode\]$/m);
    expect((await json('presets')).presets).toMatchObject([{ name: 'wave' }, { name: 'tide' }]);
  });

  it('adds one, lists and shows it, and shows its secret nowhere', async () => {
    const { code, out, err } = await platforms(...add, '--set', 'origins=a', '--set', 'origins=b', '--off');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^state +off$/m);
    expect(out).toMatch(/^origins +a, b$/m);
    expect(out).toMatch(/^appSecret +\(secret\)$/m);
    const list = await platforms('list');
    expect(list.out).toMatch(/^NAME +PRESET +KIND +STATE +SOURCE +SECRETS +VERSION +CHANGED$/m);
    expect(list.out).toMatch(/^wave +wave +social +off +store +appSecret +1 +2026-01-15 12:00:00$/m);
    const show = await json('show', '--name', 'wave');
    expect(show).toMatchObject({ settings: { app: 'one', origins: ['a', 'b'] }, secrets: ['appSecret'], version: 1 });
    expect(JSON.stringify([out, list, show])).not.toContain(secret);
  });

  it('switches it on and off, changes a setting and keeps the secret', async () => {
    await platforms(...add);
    expect((await platforms('off', '--name', 'wave')).out).toMatch(/^state +off$/m);
    expect((await platforms('on', '--name', 'wave')).out).toMatch(/^state +on$/m);
    await platforms('set', '--name', 'wave', '--set', 'app=two');
    expect(await json('show', '--name', 'wave')).toMatchObject({ settings: { app: 'two' }, isOn: true, version: 4 });
    env['SAVEPOINT_TOKEN'] = `ada:${secret}`;
    expect((await platforms('test', '--name', 'wave')).out).toMatch(/^player {2}ada$/m);
    await platforms('set', '--name', 'wave', '--unset', 'appSecret');
    expect(await json('show', '--name', 'wave')).toMatchObject({ secrets: [], version: 5 });
  });

  it('tries a token from stdin or the environment, and tells of each step', async () => {
    await platforms(...add);
    const args = ['platforms', 'test', '--name', 'wave', '--token-file', '-'];
    const { code, out } = await runCommand(args, { env, input: 'ada:wrong\n' });
    expect(code).toBe(0);
    expect(out).toMatch(/^player {2}none$/m);
    expect(out).toMatch(/^failed +The secret is that of the app +It does not\.$/m);
    expect(out).not.toContain('wrong');
    env['SAVEPOINT_TOKEN'] = `ada:${secret}`;
    expect(await json('test', '--name', 'wave')).toMatchObject({ player: { id: 'ada' }, steps: [{}] });
  });

  it('removes one', async () => {
    await platforms(...add);
    expect((await platforms('remove', '--name', 'wave')).out).toContain('no longer');
    expect(await json('list')).toEqual({ platforms: [] });
    await platforms(...add);
    expect(await json('remove', '--name', 'wave')).toEqual({ name: 'wave', removed: true });
    expect(await platforms('remove', '--name', 'wave')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no such'),
    });
  });

  it('takes a secret from a file and from stdin', async () => {
    const folder = temporaryFolder();
    const file = join(folder, 'secret');
    writeFileSync(file, `${secret}\n`);
    const given = [...add.slice(0, -2), '--secret-file', `appSecret=${file}`];
    expect((await platforms(...given)).code).toBe(0);
    rmSync(folder, { recursive: true });
    const piped = ['platforms', 'set', '--name', 'wave', '--secret-file', 'appSecret=-'];
    expect((await runCommand(piped, { env, input: 'another\n' })).code).toBe(0);
    env['SAVEPOINT_TOKEN'] = 'ada:another';
    expect(await json('test', '--name', 'wave')).toMatchObject({ player: { id: 'ada' } });
  });

  it('seals all anew by the present key, so that the former one is needed no longer', async () => {
    await platforms(...add);
    await served.close();
    await start({ sealingKey: otherSealingKey, formerSealingKeys: [sealingKey] });
    expect(await json('reseal')).toEqual({ resealed: ['wave'], left: [] });
    await served.close();
    await start({ sealingKey: otherSealingKey });
    env['SAVEPOINT_TOKEN'] = `ada:${secret}`;
    expect(await json('test', '--name', 'wave')).toMatchObject({ player: { id: 'ada' } });
  });

  it('says which secrets nobody can open, and why', async () => {
    await platforms(...add);
    await served.close();
    await start({ sealingKey: otherSealingKey });
    expect((await platforms('list')).out).toMatch(/^wave .* key_missing /m);
    expect((await platforms('show', '--name', 'wave')).out).toContain('SAVEPOINT_FORMER_SEALING_KEYS');
    const { out, err } = await platforms('reseal');
    expect([out, err]).toEqual(['0 sealed by the present key\n', expect.stringContaining('wave')]);
    expect((await platforms('off', '--name', 'wave')).out).toMatch(/^state +off$/m);
    expect((await platforms('set', '--name', 'wave', '--secret-env', 'appSecret=WAVE_SECRET')).code).toBe(0);
    expect((await platforms('list')).out).not.toContain('key_missing');
  });

  it('changes nothing of the configuration', async () => {
    await served.close();
    const game = { platforms: { surf: { preset: 'wave', settings: { app: 'two' } } } };
    await start({ game });
    expect((await platforms('list')).out).toMatch(/^surf +wave +social +on +configuration +- +- +-$/m);
    for (const action of ['on', 'off', 'remove', 'set']) {
      const { code, err } = await platforms(action, '--name', 'surf');
      expect([code, err]).toEqual([2, expect.stringContaining('comes from the configuration')]);
    }
    const added = await platforms('add', '--name', 'surf', '--preset', 'wave', '--set', 'app=one');
    expect([added.code, added.err]).toEqual([2, expect.stringContaining('platform_configured')]);
  });

  it('says what to do where the service has no key that seals', async () => {
    await served.close();
    await start({ sealingKey: undefined } as never);
    const { code, err } = await platforms(...add);
    expect([code, err]).toEqual([2, expect.stringContaining('SAVEPOINT_SEALING_KEY')]);
    expect((await platforms(...add.slice(0, -2))).code).toBe(0);
  });

  it.each([
    [['add', '--name', 'wave', '--preset', 'wave', '--set', `appSecret=${secret}`], '--secret-env appSecret='],
    [['add', '--name', 'wave', '--preset', 'wave', '--set', 'ap=one'], 'did you mean app?'],
    [['add', '--name', 'wave', '--preset', 'wave', '--set', secret], 'give --set <field>=<value>'],
    [['add', '--name', 'wave', '--preset', 'wave', '--secret-env', 'appSecret=NONE'], 'appSecret is not set'],
    [['add', '--name', 'wave', '--preset', 'surf'], 'there are wave, tide'],
    [['add', '--name', 'wave', '--preset', 'wave'], '"app" must be given'],
    [['add', '--name', 'Wave!', '--preset', 'wave', '--set', 'app=one'], 'The name must be'],
    [['add', '--name', 'wave'], '--preset'],
    [['show'], '--name'],
    [['rename'], 'presets|list'],
    [['test', '--name', 'wave'], 'the token is missing'],
  ])('says what is wrong with %j, and shows no secret', async (args, said) => {
    const { code, out, err } = await platforms(...args);
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(said)]);
    expect(err).not.toContain(secret);
  });
});
