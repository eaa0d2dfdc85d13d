import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { createAdminClient } from '../../src/server/index.js';
import { testOperatorKey } from '../support/operators.js';
import { runCommand } from './in-process.js';
import { gameId, privateKey, type Served, setUpServe } from './served.js';

const { serve, whole, fileWith, folder, endAll } = setUpServe();
const appSecret = 'the-geheim-of-the-app';
const here = { gameId, environment: 0 } as const;
const newSealingKey = async (): Promise<string> => (await runCommand(['new-key', 'sealing'])).out.trim();
let store: string;
let number = 0;

beforeEach(() => {
  number += 1;
  store = join(folder(), `saves-${number}.db`);
});

/** Writes the configuration, whose sealing keys stand in files of their own; the first one seals. */
function configure([key = '', ...former]: readonly string[]): string {
  fileWith('sealing', key);
  fileWith('former', former.join('\n'));
  const config = {
    games: [{ id: gameId, privateKeys: [privateKey] }],
    sealingKey: { file: 'sealing' },
    formerSealingKeys: former.length === 0 ? [] : [{ file: 'former' }],
    limits: { rates: false },
  };
  return fileWith('sealed.config.json', JSON.stringify(config));
}

function serveOn(file: string, keys: readonly string[]): Promise<Served> {
  const env = { ...whole(), SAVEPOINT_OPERATOR_KEY: testOperatorKey, SAVEPOINT_STORE: file };
  return serve(['--config', configure(keys)], { env });
}

const adminOf = ({ url }: Served) => createAdminClient({ key: testOperatorKey, baseUrl: url });

async function register(served: Served, version = 0): Promise<void> {
  const settings = { appSecret, maxAgeSeconds: '604800' };
  await adminOf(served).savePlatform({ ...here, name: 'instant', preset: 'facebookInstant', settings, version });
}

/** Signs in as the platform's SDK would have it. */
async function signIn({ url }: Served): Promise<number> {
  const info = { algorithm: 'HMAC-SHA256', issued_at: Math.floor(Date.now() / 1000), player_id: '4' };
  const payload = Buffer.from(JSON.stringify(info)).toString('base64url');
  const token = `${createHmac('sha256', appSecret).update(payload).digest('base64url')}.${payload}`;
  const body = JSON.stringify({ game_id: gameId, env: 0, device_id: 'device', platform: 'instant', token });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v2/auth/social`, { method: 'POST', headers, body });
  await answer.arrayBuffer();
  return answer.status;
}

async function reload({ child, lines }: Served): Promise<string> {
  const told = () => lines().filter(({ kind }) => kind === 'reloaded' || kind === 'reload_refused');
  const before = told().length;
  child.kill('SIGHUP');
  await expect.poll(() => told().length, { timeout: 10_000, interval: 5 }).toBeGreaterThan(before);
  return told().at(-1).kind;
}

/** Windows knows no SIGHUP that a program could send. */
describe.each(process.platform === 'win32' ? [] : ['SIGHUP'])('another sealing key, taken on %s', () => {
  it('opens what the former one has sealed, and no request fails meanwhile', async () => {
    const keys = [await newSealingKey()];
    const served = await serveOn(store, keys);
    await register(served);
    const statuses = new Set<number>();
    let isOver = false;
    const asking = Array.from({ length: 4 }, async () => {
      while (!isOver) statuses.add(await signIn(served));
    });
    for (let turn = 0; turn < 4; turn += 1) {
      keys.unshift(await newSealingKey());
      configure(keys);
      expect(await reload(served)).toBe('reloaded');
    }
    isOver = true;
    await Promise.all(asking);
    expect([...statuses]).toEqual([200]);
    // What is saved anew is sealed by the new key alone.
    await register(served, 1);
    configure(keys.slice(0, 1));
    expect([await reload(served), await signIn(served)]).toEqual(['reloaded', 200]);
    for (const key of keys) expect(served.stdout()).not.toContain(key);
    expect(served.stdout()).not.toContain(appSecret);
  });

  it('without the one that has sealed a secret, its platform signs nobody in, and the others go on', async () => {
    const served = await serveOn(store, [await newSealingKey()]);
    await register(served);
    expect(await signIn(served)).toBe(200);
    configure([await newSealingKey()]);
    expect(await reload(served)).toBe('reloaded');
    expect(await signIn(served)).toBeGreaterThanOrEqual(400);
    const [platform] = await adminOf(served).platforms(here);
    expect(platform).toMatchObject({ name: 'instant', secrets: ['appSecret'] });
    const guest = await fetch(`${served.url}/v2/auth/guest`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ game_id: gameId, env: 0, device_id: 'another' }),
    });
    expect(guest.status).toBe(200);
  });
});

describe.each(process.platform === 'win32' ? [] : ['SIGHUP'])(
  'a platform of the configuration, read again on %s',
  () => {
    it('lets players in, changes its secret and is gone, and no request fails meanwhile', async () => {
      const withPlatforms = (platforms: object): string => {
        const games = [{ id: gameId, privateKeys: [privateKey], platforms }];
        return fileWith('platforms.config.json', JSON.stringify({ games, limits: { rates: false } }));
      };
      const instant = (secret: object) => ({
        instant: { preset: 'facebookInstant', settings: { appSecret: secret, maxAgeSeconds: '604800' } },
      });
      const served = await serve(['--config', withPlatforms({})], { env: { ...whole(), SAVEPOINT_STORE: store } });
      const statuses = new Set<number>();
      let isOver = false;
      const asking = Array.from({ length: 4 }, async () => {
        while (!isOver) {
          const answer = await fetch(`${served.url}/.well-known/jwks.json`);
          await answer.arrayBuffer();
          statuses.add(answer.status);
        }
      });
      const taken = async (platforms: object): Promise<[string, number]> => {
        withPlatforms(platforms);
        return [await reload(served), await signIn(served)];
      };
      const secret = { file: 'app-secret' };
      fileWith('app-secret', appSecret);
      const before = await signIn(served);
      expect(before).toBeGreaterThanOrEqual(400);
      expect(await taken(instant(secret))).toEqual(['reloaded', 200]);
      fileWith('app-secret', 'another-secret-of-the-app');
      expect(await taken(instant(secret))).toEqual(['reloaded', 401]);
      expect(await taken(instant({ file: 'gone' }))).toEqual(['reload_refused', 401]);
      fileWith('app-secret', appSecret);
      expect(await taken(instant(secret))).toEqual(['reloaded', 200]);
      expect(await taken({})).toEqual(['reloaded', before]);
      isOver = true;
      await Promise.all(asking);
      expect([...statuses]).toEqual([200]);
      expect(served.stdout()).not.toContain(appSecret);
    });
  },
);

describe('a platform that operators have registered', () => {
  it.each([
    [
      'backup and restore',
      (target: string, copy: string) => [
        ['backup', '--store', store, '--out', copy],
        ['restore', '--store', target, '--from', copy],
      ],
    ],
    ['move', (target: string) => [['move', '--from', store, '--to', target]]],
  ] as const)('comes along with %s, its secret sealed', async (_, commandsTo) => {
    const keys = [await newSealingKey()];
    const served = await serveOn(store, keys);
    await register(served);
    await endAll();
    const [copy, target] = [join(folder(), `copy-${number}`), join(folder(), `target-${number}.db`)];
    for (const command of commandsTo(target, copy)) expect(await runCommand(command)).toMatchObject({ code: 0 });
    const again = await serveOn(target, keys);
    expect(await adminOf(again).platforms(here)).toMatchObject([{ name: 'instant', preset: 'facebookInstant' }]);
    expect(await signIn(again)).toBe(200);
  });
});
