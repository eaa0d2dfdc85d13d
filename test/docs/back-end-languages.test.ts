import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createBackend } from 'savepoint/backend';
import { type ServedBackend, serve } from 'savepoint/backend/node';
import { createServerClient } from 'savepoint/server';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isOnThisMachine, languages } from '../../scripts/languages.mjs';
import { codeBlocks } from '../support/markdown.js';
import { testGameId, testPrivateKey } from '../support/service.js';

const page = readFileSync(new URL('../../docs/guides/back-end.md', import.meta.url), 'utf8');
const here = languages.filter((language) => isOnThisMachine(language));
const elsewhere = languages.filter((language) => !isOnThisMachine(language));

/** What another device or program writes in the moment in which the program of the page is about to write. */
const rivalsCoins = 100;
/** What a program must hand back as it was: the kinds of values that a language's JSON library may take for others. */
const kept = { name: 'Ada Ümläut ✓', emptyList: [], emptyObject: {}, nothing: null, half: 0.5, big: 9007199254740991 };

/** A service that is asked by anybody, with somebody else who writes before each first update of a program. */
async function serviceWithRival() {
  const backend = createBackend({ games: [{ id: testGameId, privateKeys: [testPrivateKey] }] });
  const game = {
    gameId: testGameId,
    environment: 0,
    privateKey: testPrivateKey,
    baseUrl: 'http://saves.test',
  } as const;
  const saves = createServerClient({ ...game, fetch: (request) => backend.fetch(request) });
  let rivalIsDue = false;
  const served = await serve(
    {
      async fetch(request: Request) {
        const userId = /\/saves\/([^/]+)\//.exec(request.url)?.[1] ?? '';
        if (request.method === 'PATCH' && rivalIsDue) {
          rivalIsDue = false;
          await saves.editEntry({ userId, collection: 'progress', key: 'main' }, (save) => ({
            ...kept,
            ...save,
            coins: Number(save?.['coins'] ?? 0) + rivalsCoins,
          }));
        }
        return backend.fetch(request);
      },
    } as typeof backend,
    { port: 0 },
  );
  return {
    served,
    backend,
    expectRival: () => {
      rivalIsDue = true;
    },
    async saved() {
      const { userId } = await saves.authenticate({
        customUserId: 'player-17',
        deviceId: 'another-one',
        ip: '203.0.113.7',
      });
      const entries = await saves.readCollection({ userId, collection: 'progress' });
      return entries.map(({ value }) => value);
    },
  };
}

let service: Awaited<ReturnType<typeof serviceWithRival>>;
let folder: string;
const open: ServedBackend[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'savepoint-languages-'));
});
afterAll(async () => {
  for (const served of open) await served.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A program was ended by a signal that nobody here sent: its runtime broke, whatever the program had done by then. */
class BrokenRuntime extends Error {
  override name = 'BrokenRuntime';
}

async function run(language: (typeof languages)[number], privateKey = testPrivateKey) {
  const cwd = join(folder, language.fence);
  mkdirSync(cwd, { recursive: true });
  const [program, ...more] = codeBlocks(page, language.fence);
  expect(more).toEqual([]);
  writeFileSync(join(cwd, language.file), program ?? '');
  const env = {
    ...process.env,
    MONO_PATH: (language.files ?? []).map((file) => dirname(file)).join(':'),
    SAVEPOINT_URL: service.served.url,
    SAVEPOINT_GAME_ID: testGameId,
    SAVEPOINT_PRIVATE_KEY: privateKey,
  };
  let last = { exitCode: 0, out: '', err: '' };
  for (const [command = '', ...args] of language.commands) {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [out, err, [exitCode, signal]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'exit'),
    ]);
    if (signal !== null) throw new BrokenRuntime(`${command} ended with ${signal}\n${out}\n${err}`);
    last = { exitCode: Number(exitCode), out, err };
    if (last.exitCode !== 0) break;
  }
  return last;
}

// Debian's Mono aborts now and then while it ends its threads, in the middle of a program or after its last line.
const retry = { count: 2, condition: (error: { name?: string }) => error.name === 'BrokenRuntime' };

describe.each(here)(
  'the program in $title, as docs/guides/back-end.md has it',
  { retry, timeout: 120_000 },
  (language) => {
    beforeEach(async () => {
      service = await serviceWithRival();
      open.push(service.served);
    });

    it('signs in, reads, makes an entry, and adds to it', async () => {
      expect(await run(language)).toMatchObject({ out: 'coins 10\n', exitCode: 0 });
      expect(await run(language)).toMatchObject({ out: 'coins 20\n', exitCode: 0 });
    });

    it('loses nothing of what another one writes meanwhile', async () => {
      expect(await run(language)).toMatchObject({ out: 'coins 10\n', exitCode: 0 });
      service.expectRival();
      expect(await run(language)).toMatchObject({ out: 'coins 120\n', exitCode: 0 });
      expect(await service.saved()).toEqual([{ ...kept, coins: 120 }]);
    });

    it('does not overwrite an entry that appears while it makes one', async () => {
      service.expectRival();
      expect(await run(language)).toMatchObject({ out: 'coins 110\n', exitCode: 0 });
      expect(await service.saved()).toEqual([{ ...kept, coins: 110 }]);
    });

    it('ends with the code where the key is wrong', async () => {
      const { exitCode, out, err } = await run(language, 'another-private-key-0123456789abc');
      expect(exitCode).not.toBe(0);
      expect(out + err).toContain('invalid_signature');
    });
  },
);

it(
  elsewhere.length === 0
    ? 'every language of the page is on this machine'
    : `not run, because this machine lacks them: ${elsewhere.map(({ title }) => title).join(', ')}`,
  () => {
    for (const { title, packages } of elsewhere) {
      console.warn(`The program in ${title} was not run. On Debian: apt-get install ${packages.join(' ')}.`);
    }
    // In CI all of them have to be there.
    if (process.env['CI'] !== undefined) expect(elsewhere.map(({ title }) => title)).toEqual([]);
  },
);

it('the page has a program for each language, and each block is run by one', () => {
  for (const { fence } of languages) expect(codeBlocks(page, fence)).toHaveLength(1);
});
