import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Store } from '../../../../src/backend/stores/store.js';
import { anyBeginning, anyCommands, runSequence } from './sequence.js';
import { holdPlatform } from './world.js';

const isProof = process.env['PROVE'] === '1';
const runs = Number(process.env['WORLD_RUNS'] ?? (isProof ? 50_000 : 300));

/** What a failure has printed, to see the same again: `MODEL='<seed> <path> <replayPath>'`. */
const [seed, path, replayPath] = (process.env['MODEL'] || undefined)?.split(' ') ?? [];
const again = seed === undefined ? {} : { seed: Number(seed), ...(path === undefined ? {} : { path }) };
/** The same sequences each time; `npm run prove` looks for new ones. The platform's own randomness is held by then. */
const usual = { seed: isProof ? randomInt(2 ** 31) : 4873 };

/** Of this process: what others do on the machine does not count. */
const cpuMs = (): number => process.cpuUsage().user / 1_000;

/**
 * Holds the model against a service on a store of one kind; all sequences share it, each as a game of its own. Of a store
 * that takes long, `part` of the fresh sequences.
 */
export function describeWorld(store: string, newStore: () => Store, part = 1): void {
  describe(`the world, with a service on ${store}`, () => {
    let release = (): void => {};
    beforeAll(async () => {
      release = await holdPlatform();
    });
    afterAll(() => release());

    it('loses nothing, doubles nothing and mixes nothing, whatever happens', { timeout: 10_800_000 }, () =>
      holds(newStore, isProof ? Math.ceil(runs * part) : runs),
    );
  });
}

async function holds(newStore: () => Store, numRuns: number): Promise<void> {
  const commands = anyCommands(replayPath);
  let sequences = 0;
  let tookMs = 0;
  const property = fc.asyncProperty(anyBeginning, commands, async (begun, steps) => {
    const startedAt = cpuMs();
    await runSequence(begun, steps, newStore());
    sequences += 1;
    tookMs += cpuMs() - startedAt;
  });
  const result = await fc.check(property, {
    numRuns,
    unbiased: true,
    // What is sought needs no smaller case.
    endOnFailure: process.env['WORLD_SEEK'] !== undefined,
    ...usual,
    ...again,
  });
  console.info(`${(tookMs / sequences).toFixed(1)} ms for a sequence, of ${sequences}`);
  if (!result.failed) return;
  const [, replay = ''] = /replayPath="([^"]*)"/.exec(fc.stringify(result.counterexample)) ?? [];
  const file = `npx vitest run ${expect.getState().testPath?.replace(/.*(?=test\/client)/, '')}`;
  const hint = `To see it again: MODEL='${result.seed} ${result.counterexamplePath} ${replay}' ${file}`;
  throw new Error(`${fc.defaultReportMessage(result)}\n${hint}\n`, { cause: result.errorInstance });
}
