import { execFile } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { filesOf, templateNames } from '../../src/cli/init/templates.js';
import { runCommand } from './in-process.js';
import { bundleProgram, start } from './program.js';

let base: string;

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'savepoint-init-test-'));
  vi.spyOn(process, 'cwd').mockReturnValue(base);
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(base, { recursive: true, force: true });
});

const init = (...args: string[]) => runCommand(['init', ...args]);
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(base, folder, 'package.json'), 'utf8'));
const all = (): string[] => readdirSync(base, { recursive: true, encoding: 'utf8' }).sort();

/** Refused in one line, with exit code 2, and nothing has changed. */
async function isRefused(args: string[], message: RegExp): Promise<void> {
  const before = all();
  const { code, out, err } = await init(...args);
  expect([code, out]).toEqual([2, '']);
  expect(err).toMatch(message);
  expect(err).toMatch(/^savepoint: [^\n]+\n$/);
  expect(all()).toEqual(before);
}

describe('savepoint init', () => {
  it.each(templateNames)(
    'makes a game of the template %s, with its own name and the version that made it',
    async (name) => {
      const { code, out, err } = await init('my-game', '--template', name);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/cd my-game\n +npm install\n +npm run dev\n/);
      const manifest = manifestOf('my-game');
      expect([manifest.name, manifest.dependencies.savepoint]).toEqual(['my-game', '^1.2.3']);
      const top = readdirSync(join(base, 'my-game'));
      const usual = ['.gitignore', 'README.md', 'index.html', 'package.json', 'src', 'test', 'tsconfig.json'];
      expect(top).toEqual(expect.arrayContaining(usual));
      for (const path of all().filter((one) => /\.\w+$/.test(one))) {
        expect(readFileSync(join(base, path), 'utf8')).not.toContain('__');
      }
      // Nothing beside it is left over.
      expect(readdirSync(base)).toEqual(['my-game']);
    },
  );

  it('takes vanilla where nobody says another one and nobody can be asked', async () => {
    expect((await init('my-game')).code).toBe(0);
    expect(Object.keys(manifestOf('my-game').dependencies)).toEqual(['savepoint']);
  });

  it('fills an empty folder, makes those that it is in, and quotes a path with a space', async () => {
    mkdirSync(join(base, 'empty'));
    expect((await init('empty')).code).toBe(0);
    const { code, out } = await init('my games/first/game');
    expect([code, manifestOf('my games/first/game').name]).toEqual([0, 'game']);
    expect(out).toContain('cd "my games/first/game"');
  });

  it('names the commands of the package manager that runs it', async () => {
    const env = { npm_config_user_agent: 'pnpm/10.1.0 npm/? node/v20.20.2 linux x64' };
    expect((await runCommand(['init', 'my-game'], { env })).out).toMatch(/pnpm install\n +pnpm run dev/);
  });

  it.each([
    [['my-game', '--template', 'vue'], /--template must be vanilla, phaser, react or svelte/],
    [['my-game', '--template', 'raect'], /did you mean react\?/],
    [['my-game', '--template', 'common'], /--template must be/],
    [['my-game', '--template', '__proto__'], /--template must be/],
    [['my-game', '--template'], /--template needs a value/],
    [['my-game', '--templete', 'react'], /did you mean --template\?/],
    [['my-game', 'react'], /takes a folder and nothing more/],
    [[], /needs a folder, such as: savepoint init my-game/],
    [[''], /needs a folder/],
    [['.'], /makes a new folder/],
    [['..'], /makes a new folder/],
    [['/'], /makes a new folder/],
    [['My Game'], /"My Game" is no name for a package.*such as: my-game/],
    [['жук'], /no name for a package/],
    [['Café 🎮'], /such as: cafe\n/],
    [['_game'], /such as: game\n/],
    [['.game'], /such as: game\n/],
    [['-game'], /no option -g/],
    [['node_modules'], /a name that npm refuses/],
    [['http'], /a module of Node.*such as: http-game/],
    [['savepoint'], /needs; such as: savepoint-game|such as: savepoint-game/],
    [['vite'], /a package that the game itself needs/],
    [['a'.repeat(215)], /more than 214 letters/],
    [['a\0b'], /a character that no name can have/],
    [['a\nb'], /no name for a package/],
  ])('refuses %j with one clear line, and makes nothing', async (args, message) => {
    await isRefused(args, message);
  });

  it('never writes over anything: a folder with something in it, a file, a link', async () => {
    mkdirSync(join(base, 'used'));
    writeFileSync(join(base, 'used/notes.txt'), 'mine');
    writeFileSync(join(base, 'file'), 'mine');
    mkdirSync(join(base, 'elsewhere'));
    symlinkSync(join(base, 'elsewhere'), join(base, 'link'));
    await isRefused(['used'], /"used" is a folder with something in it/);
    await isRefused(['file'], /"file" cannot be made: a file has that name/);
    await isRefused(['file/game'], /cannot be made: a file has that name/);
    await isRefused(['link'], /"link" cannot be made/);
    // Node's own way of making folders does not end there.
    for (const path of ['/proc/game', '/proc/first/game']) await isRefused([path], /cannot be made/);
    expect(readFileSync(join(base, 'used/notes.txt'), 'utf8')).toBe('mine');
  });

  it('is refused where one may not write, and leaves nothing', async () => {
    const program = await bundleProgram();
    mkdirSync(join(base, 'theirs'));
    chmodSync(join(base, 'theirs'), 0o555);
    chmodSync(base, 0o755);
    // Root may write everywhere; whom it becomes need not be able to start this Node.
    const becomeNobody = 'data:text/javascript,process.setgid(65534);process.setuid(65534)';
    const nobody = process.getuid?.() === 0 ? ['--import', becomeNobody] : [];
    const ended = await new Promise<{ code: unknown; err: string }>((resolve) => {
      const options = { cwd: join(base, 'theirs') };
      execFile(process.execPath, [...nobody, program, 'init', 'my-game'], options, (error, _, err) =>
        resolve({ code: error?.code, err }),
      );
    });
    expect(ended).toEqual({ code: 2, err: 'savepoint: "my-game" cannot be made: you may not write there\n' });
    expect(readdirSync(join(base, 'theirs'))).toEqual([]);
  });

  it('where it is killed in the middle there is no folder of that name, and it can be run again', async () => {
    const program = await bundleProgram();
    for (let delay = 0; delay < 10; delay += 1) {
      const { child, ended } = start(program, ['init', 'my-game'], { cwd: base });
      // When a folder is begun it is stopped at once: each time it has come a little further.
      await vi.waitUntil(() => readdirSync(base).some((name) => !name.startsWith('.old')) || child.exitCode !== null, {
        interval: 1,
        timeout: 20_000,
      });
      child.kill('SIGKILL');
      await ended;
      if (readdirSync(base).includes('my-game')) {
        expect(readdirSync(join(base, 'my-game'))).toContain('package.json');
        rmSync(join(base, 'my-game'), { recursive: true });
      }
      for (const name of readdirSync(base)) rmSync(join(base, name), { recursive: true });
    }
    expect((await init('my-game')).code).toBe(0);
  });

  it('makes nothing where it is asked to end', async () => {
    const { code, err } = await runCommand(['init', 'my-game'], { stop: AbortSignal.abort() });
    expect([code, err]).toEqual([130, 'savepoint: interrupted: nothing was made; run it again\n']);
    expect(all()).toEqual([]);
  });
});

describe('at a terminal', () => {
  /** Answers in turn, and keeps what was asked. */
  function player(...answers: string[]) {
    const asked: string[] = [];
    const ask = async (question: string): Promise<string> => {
      asked.push(question);
      return answers.shift() ?? '';
    };
    return { asked, ask };
  }

  it('it asks for a name and a template, each with a default', async () => {
    const { asked, ask } = player('', '');
    const { code, out } = await runCommand(['init'], { ask });
    expect(code).toBe(0);
    expect(asked).toEqual(["The new folder's name (my-game): ", 'What is it written with (vanilla): ']);
    for (const name of templateNames) expect(out).toContain(`  ${name}`);
    expect(manifestOf('my-game').name).toBe('my-game');
  });

  it('it asks again for a template that is none', async () => {
    const { asked, ask } = player('angular', ' React ');
    expect((await runCommand(['init', 'my-game'], { ask })).code).toBe(0);
    expect(asked.length).toBe(2);
    expect(manifestOf('my-game').dependencies).toHaveProperty('react');
  });

  it('it asks nothing that was said', async () => {
    const { asked, ask } = player();
    await runCommand(['init', 'my-game', '--template', 'svelte'], { ask });
    expect(asked).toEqual([]);
  });
});

it('a name in a template is filled in wherever it stands', async () => {
  const folder = join(base, 'templates');
  mkdirSync(join(folder, 'common/src'), { recursive: true });
  mkdirSync(join(folder, 'react'));
  writeFileSync(join(folder, 'common/src/a.txt'), '__NAME__ __NAME__ $& __SAVEPOINT_VERSION__');
  writeFileSync(join(folder, 'react/gitignore'), 'dist/');
  const files = await filesOf('react', { folder, name: "a$&b$'", version: '4.5.6' });
  expect([...files]).toEqual([
    [join('src', 'a.txt'), "a$&b$' a$&b$' $& 4.5.6"],
    ['.gitignore', 'dist/'],
  ]);
});
