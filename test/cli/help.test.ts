import { describe, expect, it, vi } from 'vitest';
import type * as Arguments from '../../src/cli/arguments.js';
import { commands } from '../../src/cli/commands.js';
import { runCommand } from './in-process.js';

const taken = new Set<string>();

vi.mock('../../src/cli/arguments.js', async (original) => {
  const { readArguments } = await original<typeof Arguments>();
  const noted: typeof readArguments = (command, args, options) => {
    for (const name of Object.keys(options)) taken.add(name);
    return readArguments(command, args, options);
  };
  return { readArguments: noted };
});

/** The options that a text names. */
const optionsIn = (text: string): string[] =>
  [...text.matchAll(/(?<![\w-])--([a-z][a-z-]*)/g)].map(([, name]) => name ?? '');

/** The verbs of a command, such as `list`; one that is none for a command that has none. */
function verbsOf(name: string, help: string): string[] {
  const found = [...help.matchAll(new RegExp(`savepoint ${name} ([a-z][a-z|-]*)(?= |$)`, 'gm'))].flatMap(([, verbs]) =>
    String(verbs).split('|'),
  );
  return found.length === 0 ? ['nothing'] : [...new Set(found)];
}

describe.each(Object.entries(commands))('savepoint %s --help', (name, { help }) => {
  it('ends with 0, and fits into 120 characters', async () => {
    expect(await runCommand([name, '--help'])).toEqual({ code: 0, out: help, err: '' });
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(120);
  });

  it('names every option that there is, and no other one', async () => {
    taken.clear();
    for (const verb of verbsOf(name, help)) {
      expect((await runCommand([name, verb, '--no-such-option'])).code).toBe(2);
    }
    expect(taken.size).toBeGreaterThan(0);
    // What another command takes may be spoken of, behind its name.
    const own = help.replaceAll(/savepoint ([a-z-]+) --[a-z-]+/g, (text, other) => (other === name ? text : ''));
    expect(optionsIn(own)).toEqual(expect.arrayContaining([...taken]));
    expect([...taken, 'help']).toEqual(expect.arrayContaining(optionsIn(own)));
  });

  it('has an example with options that there are', () => {
    const [, examples = ''] = /^Example: (.+(?:\n {9}.+)*)$/m.exec(help) ?? [];
    expect(examples).toMatch(new RegExp(`(^|[A-Z_]+_FILE=\\S+ )savepoint ${name}( |$)`));
    expect(optionsIn(help.replace(examples, ''))).toEqual(expect.arrayContaining(optionsIn(examples)));
  });
});
