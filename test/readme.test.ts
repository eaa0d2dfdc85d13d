import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { demoGame } from '../src/cli/demo.js';
import { cacheFolder } from './support/cache-folder.js';
import { problemsOf } from './support/compile.js';
import { codeBlocks } from './support/markdown.js';
import { createTestService, type TestService } from './support/service.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = cacheFolder('readme');
const blocks = codeBlocks(readFileSync(`${root}README.md`, 'utf8'), 'ts');

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The one block that holds a text. */
function blockWith(part: string): string {
  const found = blocks.filter((block) => block.includes(part));
  expect(found).toHaveLength(1);
  return found[0] ?? '';
}

describe('the TypeScript of the README', () => {
  it('compiles, each block as it stands in an empty file', { timeout: 120_000 }, () => {
    expect(blocks.length).toBeGreaterThanOrEqual(1);
    expect(problemsOf(blocks.map((text, index) => ({ name: `block ${index + 1}`, text })))).toEqual([]);
  });

  it('would be found out: a name that nobody declares is a problem', { timeout: 120_000 }, () => {
    const text = "import { Main } from 'savepoint';\nMain.Init(askThePlayer());";
    expect(problemsOf([{ name: 'README.md', text }])).toEqual([
      "README.md, line 2 of the block: Cannot find name 'askThePlayer'.",
    ]);
  });
});

describe('run as it stands', () => {
  let service: TestService;
  let runs = 0;

  beforeEach(() => {
    // What is pasted has the machine's clock, and a signature has to be of about the same time.
    const game = { id: demoGame.id, privateKeys: [demoGame.privateKey] };
    service = createTestService({ game, clock: Date.now });
    vi.stubGlobal('fetch', service.fetch);
    vi.stubGlobal('confirm', vi.fn().mockReturnValue(true));
    vi.spyOn(console, 'log').mockImplementation(() => {});
    vi.spyOn(console, 'warn').mockImplementation(() => {});
  });
  afterEach(async () => {
    const { Main } = await import('savepoint');
    Main.Dispose();
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  /** In a file of its own, as somebody pastes it. */
  async function runBlock(text: string): Promise<void> {
    runs += 1;
    mkdirSync(folder, { recursive: true });
    const file = `${folder}block-${runs}.ts`;
    writeFileSync(file, text);
    await import(file);
  }

  /** Another device: nothing of the first one is left. */
  async function quickStartOnNewDevice() {
    vi.resetModules();
    await runBlock(blockWith('Auth.WithName('));
    const { Main } = await import('savepoint');
    await Main.Client().profile.flush();
    return Main;
  }

  const requests = () => service.backend.control.requests.map(({ path, status }) => `${status} ${path}`);

  it('the quick start signs a guest in, links a name, and saves', async () => {
    await quickStartOnNewDevice();
    expect(vi.mocked(console.log).mock.calls).toEqual([
      ['a guest already, by the device alone:', expect.any(String)],
      ['the game starts at level', 1],
    ]);
    expect(console.warn).not.toHaveBeenCalled();
    expect(confirm).not.toHaveBeenCalled();
    expect(requests()).toEqual(
      expect.arrayContaining([
        '200 /v2/auth/guest',
        '200 /v2/auth/name',
        expect.stringMatching(/^200 \/v2\/cl\/.*\/progress\/main\?env=0$/),
      ]),
    );
  });

  it('the quick start asks on a second device, and has the account there', async () => {
    const first = await quickStartOnNewDevice();
    const userId = first.Client().auth.userId;
    first.Dispose();
    const second = await quickStartOnNewDevice();
    expect(vi.mocked(confirm).mock.calls).toEqual([["Take the account's 1 saves in place of the 0 of this device?"]]);
    expect(second.Client().auth.userId).toBe(userId);
    // Level 2 was the account's; the last line of the quick start counts on from there.
    expect(second.Client().profile.collection('progress').get('main')).toEqual({ coins: 0, level: 3 });
    expect(console.warn).not.toHaveBeenCalled();
  });
});
