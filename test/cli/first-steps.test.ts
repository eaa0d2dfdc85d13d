import { execFile, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { createClient } from 'savepoint';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import { clientCode, guestCommand, readCommand, shortClientCode } from '../../src/cli/dev/first-steps.js';
import { cacheFolder } from '../support/cache-folder.js';
import { problemsOf } from '../support/compile.js';
import { createTestService } from '../support/service.js';

const folder = cacheFolder('first-steps');
let served: ServedBackend;
let files = 0;
const place = () => ({ url: served.url, gameId: demoGame.id });

beforeAll(async () => {
  const game = { id: demoGame.id, privateKeys: [demoGame.privateKey] };
  served = await serve(createTestService({ game, clock: Date.now }).backend, { port: 0 });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});
afterAll(async () => {
  await served.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the lines on a device that was never here, and gives what they have logged. */
async function paste(lines: string): Promise<unknown[][]> {
  vi.resetModules();
  vi.restoreAllMocks();
  vi.stubGlobal('confirm', vi.fn().mockReturnValue(true));
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  files += 1;
  mkdirSync(folder, { recursive: true });
  const file = `${folder}pasted-${files}.ts`;
  // The test has to see how it ends: in a page nobody waits for that.
  writeFileSync(file, `${lines}\nawait client.profile.flush();\nclient.dispose();\n`);
  await import(file);
  expect(warn.mock.calls).toEqual([]);
  return log.mock.calls;
}

/** Runs a line in a shell; the service of this process answers meanwhile. */
async function shell(line: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', line], { timeout: 10_000 })).stdout;
}

describe('the lines to paste', () => {
  it('compile as they stand in an empty file, and are about thirty', { timeout: 120_000 }, () => {
    const texts = [clientCode(place()), shortClientCode(place())];
    expect(problemsOf(texts.map((text, index) => ({ name: `lines ${index + 1}`, text })))).toEqual([]);
    expect(clientCode(place()).split('\n').length).toBeGreaterThanOrEqual(28);
    expect(clientCode(place()).split('\n').length).toBeLessThanOrEqual(32);
  });

  it('sign a guest in, save, link a name, and ask on a second device, which has the account then', async () => {
    const first = await paste(clientCode(place()));
    const userId = String(first[0]?.[0]).replace('a guest already: ', '');
    expect(userId).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.slice(1)).toEqual([
      ['the game starts at level', 1],
      ['level', 2, 'of', userId],
    ]);
    expect(confirm).not.toHaveBeenCalled();
    const second = await paste(clientCode(place()));
    expect(second[2]).toEqual(['level', 2, 'of', userId]);
    expect(vi.mocked(confirm).mock.calls).toEqual([["Take the account's 1 saves in place of the 1 of this device?"]]);
    expect(String(second[0]?.[0])).not.toContain(userId);
  });

  it('save a coin, where they are the few of the terminal', async () => {
    const [[said] = []] = await paste(shortClientCode(place()));
    expect(said).toMatch(/^a guest already: [0-9a-f-]{36}$/);
  });

  const hasCurl = spawnSync('curl', ['--version']).status === 0;

  it(`sign a guest in from a terminal, whom the back end sees${hasCurl ? '' : ': not tried, there is no curl'}`, async ({
    onTestFinished,
  }) => {
    if (!hasCurl) return;
    const guest = JSON.parse(await shell(guestCommand(place()))) as { userId: string };
    const client = createClient({
      gameId: demoGame.id,
      environment: 0,
      baseUrl: served.url,
      deviceId: 'my-first-device',
    });
    onTestFinished(() => client.dispose());
    expect(await client.init()).toMatchObject({ success: true, userId: guest.userId });
    await client.profile.collection('progress').set('main', { coins: 5 });
    await client.profile.flush();
    const seen = await shell(readCommand(place(), demoGame.privateKey).replace('<userId>', guest.userId));
    expect(JSON.parse(seen)).toEqual([{ key: 'main', value: { coins: 5 }, version: 0 }]);
  });
});
