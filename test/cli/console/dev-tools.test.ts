import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from 'savepoint';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { demoGame } from '../../../src/cli/demo.js';
import { failures } from '../../../src/protocol/failures.js';
import { type DevInProcess, startInProcess } from '../in-process.js';
import { type ConsolePage, openPage, pageFolder } from './page.js';

const folder = mkdtempSync(join(tmpdir(), 'savepoint-dev-tools-'));
const consoleFolder = pageFolder();
let started: DevInProcess;
let url: string;
let page: ConsolePage;

async function dev(...args: string[]): Promise<void> {
  started = await startInProcess(['dev', '--port', '0', '--json', ...args], { consoleFolder });
  url = started.ready.url;
  page = openPage(url);
  await page.session();
}

afterAll(() => rmSync(folder, { recursive: true }));

function post(path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
}
const guest = (device = 'device-one') => post('/v2/auth/guest', { game_id: demoGame.id, env: 0, device_id: device });
const signInAda = () =>
  post('/v2/auth/name', {
    game_id: demoGame.id,
    env: 0,
    device_id: 'device-two',
    username: 'ada',
    password: 'correct horse',
  });

describe('the faults of the console', () => {
  beforeAll(() => dev());
  afterEach(async () => void (await plan([])));
  afterAll(() => started.stop());

  const plan = (plans: object[]) => page.change('dev/faults', { method: 'PUT', body: { plans } });
  const everything = { route: null, player: null, share: 1 };

  it('are none at first, and are those that were set last', async () => {
    expect((await page.ask('dev/faults')).json()).toEqual({ plans: [], codes: Object.keys(failures) });
    const slow = { ...everything, fault: 'slow', ms: 20, share: 0.5 };
    expect((await plan([slow])).json()).toMatchObject({ plans: [slow] });
    expect((await page.ask('dev/faults')).json()).toMatchObject({ plans: [slow] });
  });

  it.each([
    ['signInAsGuest', 429, 200],
    ['/v2/auth/guest', 429, 200],
    [null, 429, 429],
  ])('are for the route %s', async (route, ofGuest, ofDocument) => {
    await plan([{ ...everything, route, fault: 'code', code: 'rate_limited' }]);
    const refused = await guest();
    expect([refused.status, (await fetch(`${url}/openapi.json`)).status]).toEqual([ofGuest, ofDocument]);
    expect([refused.headers.get('retry-after'), (await refused.json()).code]).toEqual(['1', 'rate_limited']);
    expect((await page.ask('api/v2/admin/games')).status).toBe(200);
  });

  it('are for one player', async () => {
    const [mine, others] = await Promise.all(
      [guest('device-mine'), guest('device-others')].map(async (one) => (await one).json()),
    );
    await plan([{ ...everything, player: mine.userId, fault: 'code', code: 'internal' }]);
    const ask = async ({ accessToken }: { accessToken: string }) =>
      (await fetch(`${url}/v2/auth/account`, { headers: { authorization: `Bearer ${accessToken}` } })).status;
    expect([await ask(mine), await ask(others)]).toEqual([500, 200]);
    const ofBackEnd = async (userId: string) => {
      const headers = { authorization: `Bearer ${demoGame.privateKey}` };
      return (await fetch(`${url}/v2/pr/games/${demoGame.id}/saves/${userId}/usage?env=0`, { headers })).status;
    };
    expect([await ofBackEnd(mine.userId), await ofBackEnd(others.userId)]).toEqual([500, 200]);
  });

  it('are a captive portal, a lost answer, no connection, and a slow one', async () => {
    await plan([{ ...everything, fault: 'malformed' }]);
    expect((await guest()).headers.get('content-type')).toBe('text/html');
    for (const fault of ['offline', 'lost_answer']) {
      await plan([{ ...everything, fault }]);
      await expect(guest()).rejects.toThrow(TypeError);
    }
    await plan([{ ...everything, fault: 'slow', ms: 50 }]);
    const begun = performance.now();
    expect((await guest()).status).toBe(200);
    expect(performance.now() - begun).toBeGreaterThan(45);
    await plan([{ ...everything, fault: 'slow', ms: 60_000 }]);
    const held = guest();
    await expect.poll(async () => (await page.ask('dev/faults')).status).toBe(200);
    await plan([]);
    expect((await held).status).toBe(200);
  });

  it('are met by a real client, which goes on once they are over', async () => {
    const client = createClient({ gameId: demoGame.id, environment: 0, baseUrl: url });
    expect(await client.init()).toMatchObject({ success: true });
    const progress = client.profile.collection('progress');
    await plan([{ ...everything, route: 'updateEntry', fault: 'code', code: 'unavailable' }]);
    await progress.set('main', { coins: 3 });
    await expect(client.profile.flush({ signal: AbortSignal.timeout(1_500) })).rejects.toThrow();
    await plan([]);
    await client.profile.flush();
    expect(progress.get('main')).toEqual({ coins: 3 });
    client.dispose();
  });

  it.each([
    [{ plans: 'all' }, 'plans must be a list'],
    [{ plans: [null] }, 'plans[0] must be a plan'],
    [{ plans: [{ fault: 'fire' }] }, 'plans[0].fault must be one of'],
    [{ plans: [{ fault: 'offline', share: 2 }] }, 'plans[0].share'],
    [{ plans: [{ fault: 'slow', ms: -1 }] }, 'plans[0].ms'],
    [{ plans: [{ fault: 'code', code: '__proto__' }] }, 'plans[0].code'],
    [{ plans: [{ fault: 'offline', route: 'nothing' }] }, 'route must be the name of an operation'],
    [{ plans: [{ fault: 'offline', player: 'ada' }] }, 'player must be a user id'],
    [{ plans: Array.from({ length: 51 }, () => ({ fault: 'offline' })) }, 'at most 50'],
  ])('refuses %j, and leaves all as it was', async (body, detail) => {
    const planned = { ...everything, fault: 'code', code: 'internal' };
    await plan([planned]);
    const refused = await page.change('dev/faults', { method: 'PUT', body });
    expect([refused.status, refused.json().code]).toEqual([400, 'invalid_request']);
    expect(refused.json().detail).toContain(detail);
    expect((await page.ask('dev/faults')).json()).toMatchObject({ plans: [planned] });
    expect((await guest()).status).toBe(500);
  });

  it('are set by nobody without the token', async () => {
    expect((await page.ask('dev/faults', { method: 'PUT', body: { plans: [] } })).status).toBe(403);
    expect((await page.ask('dev/clock', { method: 'POST', body: { moveMs: 1 } })).status).toBe(403);
    expect((await page.ask('dev/reset', { method: 'POST', body: {} })).status).toBe(403);
  });
});

describe('the faults that --faults asks for', () => {
  afterAll(() => started.stop());

  it('are shown, and can be taken away', async () => {
    await dev('--faults', 'slow=0.25,503=0.5');
    expect((await page.ask('dev/faults')).json().plans).toEqual([
      { route: null, player: null, fault: 'slow', ms: 2_000, share: 0.25 },
      { route: null, player: null, fault: 'code', code: 'unavailable', share: 0.5 },
    ]);
    await page.change('dev/faults', { method: 'PUT', body: { plans: [] } });
    expect((await guest()).status).toBe(200);
  });
});

describe('the clock of the console', () => {
  beforeAll(() => dev());
  afterAll(() => started.stop());

  const move = (moveMs: unknown) => page.change('dev/clock', { method: 'POST', body: { moveMs } });

  it('goes forward, and tokens expire by it', async () => {
    const { accessToken } = await (await guest()).json();
    const ask = async () =>
      (await fetch(`${url}/v2/auth/account`, { headers: { authorization: `Bearer ${accessToken}` } })).json();
    expect((await ask()).code).toBeUndefined();
    const before = (await page.ask('dev/clock')).json();
    expect(before.offsetMs).toBe(0);
    const after = (await move(2 * 60 * 60 * 1000)).json();
    expect(after.offsetMs).toBe(2 * 60 * 60 * 1000);
    expect(after.now - before.now).toBeGreaterThanOrEqual(after.offsetMs);
    expect((await ask()).code).toBe('token_expired');
  });

  it.each([[-1], [1.5], ['1'], [null], [Number.MAX_SAFE_INTEGER]])('does not move by %j', async (moveMs) => {
    const { offsetMs } = (await page.ask('dev/clock')).json();
    expect((await move(moveMs)).status).toBe(400);
    expect((await page.ask('dev/clock')).json().offsetMs).toBe(offsetMs);
  });
});

describe.each([
  ['memory', () => []],
  ['a file', () => ['--store', join(folder, 'saves.db')]],
])('to begin anew, on %s,', (kind, store) => {
  beforeAll(() => dev('--seed-demo', ...store()));
  afterAll(() => started.stop());

  const reset = (body: object) => page.change('dev/reset', { method: 'POST', body });
  const players = async () =>
    (await page.ask(`api/v2/admin/games/${demoGame.id}/players?env=0`)).json().players.length as number;

  it('empties the store, and the players to try things out with are there again', async () => {
    const { accessToken } = await (await guest()).json();
    expect(await players()).toBe(4);
    await page.change('dev/clock', { method: 'POST', body: { moveMs: 1_000 } });
    if (kind !== 'memory') {
      expect((await reset({})).status).toBe(400);
      expect((await reset({ confirm: 'yes' })).status).toBe(400);
      expect(await players()).toBe(4);
    }
    expect((await reset({ confirm: 'reset' })).status).toBe(204);
    expect(await players()).toBe(3);
    expect((await signInAda()).status).toBe(200);
    expect((await page.ask('dev/clock')).json().offsetMs).toBe(0);
    const headers = { authorization: `Bearer ${accessToken}` };
    expect((await fetch(`${url}/v2/auth/account`, { headers })).status).toBe(401);
  });
});
