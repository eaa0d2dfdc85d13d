import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readSettings } from '../../src/cli/serve/settings.js';
import { testOperatorKey } from '../support/operators.js';
import { otherSealingKey, sealingKey, secret } from '../support/platforms.js';
import { testGameId } from '../support/service.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { type DevInProcess, runCommand, startInProcess } from './in-process.js';

let folder: string;
let running: DevInProcess | undefined;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(async () => {
  await running?.stop();
  running = undefined;
  rmSync(folder, { recursive: true });
});

const file = (name: string, content: string): string => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
};
const discord = (clientSecret: unknown) => ({
  preset: 'discord',
  settings: { clientId: '159799960412356608', accepts: 'code', clientSecret },
});
const configOf = (clientSecret: unknown) => ({
  operatorKey: testOperatorKey,
  games: [{ id: testGameId, privateKeys: ['a-private-key'], platforms: { discord: discord(clientSecret) } }],
});
const io = (env: { [name: string]: string }) =>
  ({ env, input: async () => null, out: () => {}, err: () => {} }) as unknown as Parameters<typeof readSettings>[2];

describe('platforms of a configuration in JSON', () => {
  it('take their secrets from a file, are listed without them, and others are registered beside them', async () => {
    const config = file('savepoint.config.json', JSON.stringify(configOf({ file: file('secret', `${secret}\n`) })));
    running = await startInProcess(['dev', '--port', '0', '--json', '--config', config]);
    const env = {
      SAVEPOINT_URL: running.ready.url,
      SAVEPOINT_OPERATOR_KEY: testOperatorKey,
      SAVEPOINT_GAME_ID: testGameId,
      SAVEPOINT_ENV: 'development',
      DISCORD_SECRET: 'another secret of Discord',
    };
    const list = await runCommand(['platforms', 'list'], { env });
    expect(list.out).toMatch(/^discord +discord +social +on +configuration +clientSecret +- +-$/m);
    const args = ['--set', 'clientId=159799960412356608', '--secret-env', 'clientSecret=DISCORD_SECRET'];
    const added = await runCommand(['platforms', 'add', '--name', 'd2', '--preset', 'discord', ...args], { env });
    expect([added.code, added.err]).toEqual([0, '']);
    expect(added.out).toMatch(/^clientSecret +\(secret\)$/m);
    expect(list.out + added.out).not.toMatch(new RegExp(`${secret}|another secret`));
  });

  it('take their secrets from the environment, and the service its sealing keys', async () => {
    const env = {
      DISCORD_SECRET: secret,
      SAVEPOINT_SEALING_KEY: sealingKey,
      SAVEPOINT_FORMER_SEALING_KEYS: otherSealingKey,
      SAVEPOINT_SIGNING_KEY: '{}',
      SAVEPOINT_STORE: 'memory',
    };
    const config = configOf({ env: 'DISCORD_SECRET' }) as never;
    const { backend } = await readSettings({}, config, io(env));
    expect(backend.games[0]?.platforms).toEqual({ discord: discord(secret) });
    expect(backend).toMatchObject({ sealingKey, formerSealingKeys: [otherSealingKey] });
    const byFile = { ...(config as object), sealingKey: { file: file('key', otherSealingKey) } } as never;
    const { DISCORD_SECRET, SAVEPOINT_SIGNING_KEY, SAVEPOINT_STORE } = env;
    const rest = { DISCORD_SECRET, SAVEPOINT_SIGNING_KEY, SAVEPOINT_STORE };
    expect((await readSettings({}, byFile, io(rest))).backend.sealingKey).toBe(otherSealingKey);
    expect((await readSettings({}, config, io(rest))).backend).not.toHaveProperty('sealingKey');
  });

  it.each<[string, unknown, string]>([
    ['a variable that is not set', { env: 'NONE' }, 'discord.settings.clientSecret: the variable NONE is not set'],
    ['a file that is not there', { file: '/nowhere/secret' }, 'there is no such file'],
  ])('say what is missing for %s', async (_, reference, said) => {
    const env = { SAVEPOINT_SIGNING_KEY: '{}', SAVEPOINT_STORE: 'memory' };
    await expect(readSettings({}, configOf(reference) as never, io(env))).rejects.toThrow(said);
  });
});
