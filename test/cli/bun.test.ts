import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBun, howToInstallBun } from '../../scripts/bun.mjs';
import { demoGame } from '../../src/cli/demo.js';
import { runCommand } from './in-process.js';
import { bundleProgram, type Program, startDev } from './program.js';

const bun = findBun();
if (bun === null) {
  const message = `The test on Bun is left out. ${howToInstallBun}`;
  if (process.env['CI'] !== undefined) throw new Error(message);
  console.warn(message);
}

describe.skipIf(bun === null)('savepoint dev on Bun', () => {
  let program: Program & { ready: { url: string } };

  beforeAll(async () => {
    program = await startDev(await bundleProgram(), [], { runtime: bun ?? '' });
  });
  afterAll(() => program.child.kill('SIGKILL'));

  it('holds the whole contract', { timeout: 120_000 }, async () => {
    const env = { SAVEPOINT_PRIVATE_KEY: demoGame.privateKey };
    const { code, out } = await runCommand(['check', program.ready.url, '--game-id', demoGame.id, '--quick'], { env });
    expect(out.split('\n').filter((line) => line.includes('DIFF'))).toEqual([]);
    expect(code).toBe(0);
  });
});
