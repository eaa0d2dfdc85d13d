import fc from 'fast-check';
import { afterAll, beforeAll, describe, it, type TestContext } from 'vitest';
import type { Store } from '../../../../src/backend/stores/store.js';
import type { DatabaseMaker } from './databases.js';
import { cpuMs } from './engine.js';
import { holdLimits } from './limits.js';
import { search } from './search.js';
import { anyBeginning, anyCommands, type Ground, runSequence } from './sequence.js';
import { holdPlatform } from './world.js';

/** What a failure has printed, to see the same again: `MODEL='<seed> <path> <replayPath>'`. */
const [seed, path, replayPath] = search.again?.split(' ') ?? [];
const again = seed === undefined ? {} : { seed: Number(seed), ...(path === undefined ? {} : { path }) };
/** The platform's own randomness is held by the time that the sequences are made. */
const [fresh = 0] = crypto.getRandomValues(new Uint32Array(1));
/** The same sequences each time; `npm run prove` looks for new ones. */
const usual = { seed: search.isProof ? fresh >>> 1 : 4873 };

/** On what the sequences are carried out besides a store, and how many. */
interface WorldOptions {
  /** The double of IndexedDB by default. */
  databases?: DatabaseMaker;
  /** Where the same are carried out each time; 300 by default. */
  few?: number;
  /** How much of the many fresh ones, where each takes long. */
  part?: number;
}

function runsOf({ few = 300, part = 1 }: WorldOptions): number {
  return search.isProof ? Math.ceil((search.runs ?? 50_000) * part) : (search.runs ?? few);
}

/**
 * Holds the model against a service on a store of one kind; all sequences share it, each as a game of its own.
 */
export function describeWorld(store: string, newStore: () => Store, options: WorldOptions = {}): void {
  describe(`the world, with a service on ${store}`, () => {
    let releases: (() => void)[] = [];
    beforeAll(async () => {
      releases = [holdLimits(), await holdPlatform(options.databases)];
    });
    afterAll(() => {
      for (const release of releases.reverse()) release();
    });

    it('loses nothing, doubles nothing and mixes nothing, whatever happens', { timeout: 10_800_000 }, ({ task }) =>
      holds(() => ({ store: newStore(), databases: options.databases }), runsOf(options), task),
    );
  });
}

async function holds(newGround: () => Ground, numRuns: number, { file }: TestContext['task']): Promise<void> {
  const commands = anyCommands(replayPath);
  let sequences = 0;
  let tookMs = 0;
  const property = fc.asyncProperty(anyBeginning, commands, async (begun, steps) => {
    const startedAt = cpuMs();
    await runSequence(begun, steps, newGround());
    sequences += 1;
    tookMs += cpuMs() - startedAt;
  });
  const result = await fc.check(property, {
    numRuns,
    unbiased: true,
    // What is sought needs no smaller case.
    endOnFailure: search.seek !== undefined,
    ...usual,
    ...again,
  });
  if (sequences > 0) console.info(`${(tookMs / sequences).toFixed(1)} ms for a sequence, of ${sequences}`);
  if (!result.failed) return;
  const [, replay = ''] = /replayPath="([^"]*)"/.exec(fc.stringify(result.counterexample)) ?? [];
  const run = `npx vitest run --project '${file.projectName}' ${file.name}`;
  const hint = `To see it again: MODEL='${result.seed} ${result.counterexamplePath} ${replay}' ${run}`;
  throw new Error(`${fc.defaultReportMessage(result)}\n${hint}\n`, { cause: result.errorInstance });
}
