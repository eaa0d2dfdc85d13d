import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commands } from '../../src/cli/commands.js';

const folder = new URL('../../docs/operate/', import.meta.url);
const pages = readdirSync(folder).map((name) => ({ name, text: readFileSync(new URL(name, folder), 'utf8') }));
const monitoring = pages.find(({ name }) => name === 'monitoring.md')?.text ?? '';

/** Every call of the program in a page: in a block for a shell, or between back-ticks. */
function callsIn(text: string): string[] {
  const shell = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].flatMap(([, block = '']) => block.split('\n'));
  const inline = [...text.replaceAll(/```[\s\S]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
  return [...shell, ...inline].flatMap((line) =>
    [...line.matchAll(/(?:^|[;&|(] *|npx |[A-Z_]+=\S+ )savepoint ([a-z-]+[^;&|#)]*)/g)].map(([, call = '']) =>
      call.trim(),
    ),
  );
}

describe("the operators' pages", () => {
  it('call the program by commands and options that there are', () => {
    const calls = pages.flatMap(({ name, text }) => callsIn(text).map((call) => ({ name, call })));
    expect(calls.length).toBeGreaterThan(30);
    for (const { name, call } of calls) {
      if (call.startsWith('help ')) continue;
      const command = call.split(' ')[0] as keyof typeof commands;
      expect(Object.keys(commands), `${name}: savepoint ${call}`).toContain(command);
      for (const [option] of call.matchAll(/--[a-z][a-z-]+/g))
        expect(commands[command].help, `${name}: savepoint ${call}`).toContain(option);
    }
  });

  it('name metrics that there are', () => {
    for (const { name, text } of pages)
      for (const [metric] of text.matchAll(/\bsavepoint_(?!\()[a-z_]+[a-z](?![a-z_(])/g))
        expect(monitoring, `${name}: ${metric}`).toContain(metric.replace(/_(bucket|sum|count)$/, ''));
  });

  it('copy files of the deploy kit that there are', () => {
    const kit = readdirSync(new URL('../../deploy/', import.meta.url));
    const named = pages.flatMap(({ text }) => [...text.matchAll(/node_modules\/savepoint\/deploy\/(\{[^}]+\}|\S+)/g)]);
    expect(named.length).toBeGreaterThan(1);
    for (const [, files = ''] of named)
      for (const file of files.replace(/[{}]/g, '').split(',')) expect(kit).toContain(file);
  });
});
