import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBun } from '../../scripts/bun.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, startDev } from './program.js';

describe('savepoint dev on Bun', () => {
  let program: Program & { ready: { url: string } };

  beforeAll(async () => {
    program = await startDev(await bundleProgram(), [], { runtime: findBun() ?? 'bun' });
  });
  afterAll(() => program.child.kill('SIGKILL'));

  it('holds the whole contract', { timeout: 120_000 }, async () => {
    const env = { SAVEPOINT_PRIVATE_KEY: demoGame.privateKey };
    const { code, out } = await runCommand(['check', program.ready.url, '--game-id', demoGame.id, '--quick'], { env });
    expect(out.split('\n').filter((line) => line.includes('DIFF'))).toEqual([]);
    expect(code).toBe(0);
  });
});
