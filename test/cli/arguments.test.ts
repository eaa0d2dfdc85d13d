import { describe, expect, it } from 'vitest';
import { readArguments } from '../../src/cli/arguments.js';

const options = {
  device: { type: 'string' },
  json: { type: 'boolean' },
  port: { type: 'string', short: 'p' },
} as const;
const read = (...args: string[]) => readArguments({ command: 'players unlink' }, args, options).values;

describe('the arguments of a command', () => {
  it('may have a value that begins with a dash, as names of devices do', () => {
    expect(read('--device', '-Ab_c', '--json')).toEqual({ device: '-Ab_c', json: true });
    expect(read('--device=-Ab_c', '-p', '1')).toEqual({ device: '-Ab_c', port: '1' });
  });

  it('take no other option for the value that is missing', () => {
    for (const args of [['--device', '--json'], ['--device', '-p', '1'], ['--device', '--jsn'], ['--device']])
      expect(() => read(...args)).toThrow('--device needs a value');
    expect(() => read('--json', '-x')).toThrow('there is no option -x');
  });
});
