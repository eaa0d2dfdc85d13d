import fc from 'fast-check';
import { afterAll, beforeAll, it, vi } from 'vitest';
import { holdTime } from '../world.js';
import { anyCommand } from './model/commands.js';
import { collections } from './model/values.js';
import { createModelWorld, type World } from './model/world.js';

const isProof = process.env['PROVE'] === '1';
const numRuns = isProof ? 5_000 : 300;

/** What a failure has printed, to see the same again: `MODEL='<seed> <path> <replayPath>'`. */
const [seed, path, replayPath] = (process.env['MODEL'] || undefined)?.split(' ') ?? [];
const again = seed === undefined ? {} : { seed: Number(seed), ...(path === undefined ? {} : { path }) };
/** The same sequences each time; `npm run prove` looks for new ones. */
const usual = isProof ? {} : { seed: 4873 };

beforeAll(() => holdTime());
afterAll(() => void vi.useRealTimers());

/** How two devices stand to each other as it begins; what comes is up to the commands. */
const beginning = fc.constantFrom('two players', 'one player', 'a conflict');

async function start(how: string): Promise<World> {
  const world = createModelWorld();
  const { turns } = world;
  const first = world.open(0, 0);
  const second = world.open(1, 0);
  await turns.rest();
  if (how === 'two players') return world;
  first.signIn('ada');
  if (how === 'one player') second.signOut();
  for (const name of collections) for (const game of [first, second]) game.write(name, 1);
  await turns.rest();
  second.signIn('ada');
  await turns.rest();
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
  const property = fc.asyncProperty(beginning, commands, async (how, steps) => {
    const world = await start(how);
    try {
      await fc.asyncModelRun(() => ({ model: world, real: world }), steps);
      await world.end();
    } finally {
      world.dispose();
    }
  });
  const result = await fc.check(property, { numRuns, unbiased: true, ...usual, ...again });
  if (!result.failed) return;
  const [, replay = ''] = /replayPath="([^"]*)"/.exec(String(result.counterexample)) ?? [];
  const file = 'npx vitest run --project node test/client/profile/model.test.ts';
  const hint = `To see it again: MODEL='${result.seed} ${result.counterexamplePath} ${replay}' ${file}`;
  throw new Error(`${fc.defaultReportMessage(result)}\n${hint}\n`, { cause: result.errorInstance });
});
