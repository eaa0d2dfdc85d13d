import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { demoGame } from '../../src/cli/demo.js';
import { cacheFolder } from '../support/cache-folder.js';
import { codeBlocks } from '../support/markdown.js';
import { createTestService, type TestService } from '../support/service.js';

const folder = cacheFolder('pages');
mkdirSync(folder, { recursive: true });
let files = 0;

function blocksOf(page: string): string[] {
  return codeBlocks(readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8'), 'ts');
}

/** A module of its own of this text, as somebody pastes it. */
async function run(text: string): Promise<void> {
  files += 1;
  const file = `${folder}block-${files}.ts`;
  writeFileSync(file, text);
  await import(file);
}

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the test of docs/guides/testing.md', async () => {
  // It declares a test, which passes or fails here.
  await run(blocksOf('guides/testing.md')[0] ?? '');
});

describe('run as they stand', () => {
  let service: TestService;

  beforeEach(() => {
    service = createTestService({ game: { id: demoGame.id, privateKeys: [demoGame.privateKey] }, clock: Date.now });
    vi.stubGlobal('fetch', service.fetch);
    vi.stubGlobal('confirm', vi.fn().mockReturnValue(true));
    vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  const requests = () => service.backend.control.requests.map(({ path, status }) => `${status} ${path}`);

  it('the blocks of docs/start.md sign a guest in, save, and bring the player to another device', async () => {
    const [start = '', name = '', conflict = ''] = blocksOf('start.md');
    const device = [start, conflict, name, 'await client.profile.flush();', 'client.dispose();'].join('\n');
    await run(device);
    expect(vi.mocked(console.log).mock.calls).toEqual([[expect.stringMatching(/^hello [\da-f-]{36}$/)], ['level', 1]]);
    expect(confirm).not.toHaveBeenCalled();
    await run(device);
    expect(vi.mocked(confirm).mock.calls).toEqual([["Take the account's 1 saves in place of the 1 of this device?"]]);
    expect(console.warn).not.toHaveBeenCalled();
    expect(requests().filter((text) => text.startsWith('409'))).toEqual(['409 /v2/auth/name']);
  });

  it('the block of docs/migrate/localstorage.md takes a save over once', async () => {
    const kept = new Map([
      ['mygame.save', '{"level":7}'],
      ['other', 'x'],
    ]);
    vi.stubGlobal('localStorage', {
      length: kept.size,
      key: (index: number) => [...kept.keys()][index] ?? null,
      getItem: (key: string) => kept.get(key) ?? null,
    });
    await run(`${blocksOf('migrate/localstorage.md')[0]}\nclient.dispose();`);
    expect(vi.mocked(console.log).mock.calls).toEqual([['1 taken, 0 are there already', { level: 7 }]]);
    expect(console.warn).not.toHaveBeenCalled();
  });

  it('the collection with a schema of docs/guides/offline.md takes saves', async () => {
    const block = blocksOf('guides/offline.md').find((text) => text.includes('z.object(')) ?? '';
    await run(`${block}\nawait client.profile.flush();\nclient.dispose();`);
    expect(requests().filter((text) => text.includes('/collections/progress/main'))).not.toEqual([]);
    expect(console.log).toHaveBeenCalledWith('synced');
  });

  it("the game's back end of docs/guides/back-end.md signs its player in, knows the token again, and writes", async () => {
    vi.stubEnv('SAVEPOINT_GAME_ID', demoGame.id);
    vi.stubEnv('SAVEPOINT_PRIVATE_KEY', demoGame.privateKey);
    vi.stubEnv('SAVEPOINT_URL', 'http://127.0.0.1:4873');
    await run(blocksOf('guides/back-end.md')[0] ?? '');
    expect(requests()).toEqual([
      '200 /v2/auth/server',
      '200 /.well-known/jwks.json',
      expect.stringMatching(/^200 \/v2\/pr\/.*\/collections\/progress\?env=0$/),
      expect.stringMatching(/^200 \/v2\/pr\/.*\/collections\/progress\/main\?env=0$/),
    ]);
  });
});
