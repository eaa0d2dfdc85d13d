import fc from 'fast-check';
import { afterAll, beforeAll, it, vi } from 'vitest';
import { anyCommand } from './model/commands.js';
import { createModelWorld } from './model/world.js';

const isProof = process.env['PROVE'] === '1';
const numRuns = isProof ? 5_000 : 300;

/** What a failure has printed, to see the same again: `MODEL='<seed> <path> <replayPath>'`. */
const [seed, path, replayPath] = (process.env['MODEL'] || undefined)?.split(' ') ?? [];
const again = seed === undefined ? {} : { seed: Number(seed), ...(path === undefined ? {} : { path }) };

beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterAll(() => void vi.useRealTimers());

/** Two devices that are there, as everything starts; what comes is up to the commands. */
async function start() {
  const world = createModelWorld();
  for (const device of [0, 1]) world.open(device, 0);
  await world.turns.rest();
  return world;
}

it('loses nothing, doubles nothing and mixes nothing, whatever happens', {
  timeout: isProof ? 3_600_000 : 120_000,
}, async () => {
  const commands = fc.commands(anyCommand, {
    maxCommands: 40,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  const property = fc.asyncProperty(commands, async (steps) => {
    const world = await start();
    try {
      await fc.asyncModelRun(() => ({ model: world, real: world }), steps);
      await world.end();
    } finally {
      world.dispose();
    }
  });
  const result = await fc.check(property, { numRuns, ...again });
  if (!result.failed) return;
  const [, replay = ''] = /replayPath="([^"]*)"/.exec(String(result.counterexample)) ?? [];
  const file = 'npx vitest run --project node test/client/profile/model.test.ts';
  const hint = `To see it again: MODEL='${result.seed} ${result.counterexamplePath} ${replay}' ${file}`;
  throw new Error(`${fc.defaultReportMessage(result)}\n${hint}\n`, { cause: result.errorInstance });
});
