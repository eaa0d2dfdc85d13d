import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHeldDevice, type SetCoin } from './held-device.js';

type Device = ReturnType<typeof createHeldDevice>;
type Command = readonly [name: string, tab: number, nth: number, is: boolean];

const acts: Record<string, (device: Device, tab: number, nth: number, is: boolean) => unknown> = {
  collect: (device, tab) => device.on(tab, 'collect'),
  send: (device, tab) => device.on(tab, 'send'),
  discard: (device, tab) => device.on(tab, 'discard'),
  fold: (device, tab) => device.on(tab, 'fold'),
  hide: (device, tab) => device.on(tab, 'hide'),
  hear: (device, tab) => device.on(tab, 'hear'),
  kill: (device, tab, _, isDone) => device.kill(tab, isDone),
  takeStep: (device, _, nth) => device.takeStep(nth),
  failStep: (device, _, nth) => device.failStep(nth),
  answerStep: (device, _, nth) => device.answerStep(nth),
  serve: (device, _, nth) => device.serve(nth),
  answer: (device, _, nth, isLost) => device.answer(nth, isLost),
  writeElsewhere: (device) => device.writeElsewhere(),
};

/** What a device does most: it plays and stores. */
const often = ['collect', 'collect', 'takeStep', 'takeStep', 'answerStep', 'answerStep'];
const commands = (isMeant: (name: string) => boolean = () => true): fc.Arbitrary<Command[]> => {
  const names = [...often, ...Object.keys(acts)].filter(isMeant);
  const command = fc.tuple(fc.constantFrom(...names), fc.nat({ max: 2 }), fc.nat({ max: 2 }), fc.boolean());
  return fc.array(command, { maxLength: 40, size: 'max' });
};

const isProof = process.env['PROVE'] === '1';
const runs = {
  seed: Number(process.env['SEED'] ?? 7321),
  numRuns: Number(process.env['RUNS'] ?? (isProof ? 20_000 : 500)),
};

/** Plays the commands on a device of three tabs, until nothing more comes. */
async function play(device: Device, played: readonly Command[]): Promise<void> {
  for (const tab of [0, 1, 2]) await device.open(tab);
  for (const [name, tab, nth, is] of played) {
    await acts[name]?.(device, tab, nth, is);
    await device.turns(2);
  }
  await device.settle();
}

it('counts each coin once and loses none that was acknowledged, whenever pages are hidden and killed', async () => {
  await fc.assert(
    fc.asyncProperty(commands(), async (played) => {
      const device = createHeldDevice();
      await play(device, played);
      const { saved, kept, unsent, journal } = await device.outcome();
      expect({ coins: saved.coins, unsent, journal }).toEqual({
        coins: saved.names.length,
        unsent: undefined,
        journal: [],
      });
      expect(saved.names).toEqual(expect.arrayContaining(kept));
    }),
    runs,
  );
});

it('counts both coins where the home has taken them, and the page of the second, which has heard of neither, is hidden', async () => {
  const device = createHeldDevice();
  const of = (name: string, tab = 0): Command => [name, tab, 0, false];
  await play(device, [of('collect'), of('collect', 1), of('takeStep'), of('takeStep'), of('hide', 1)]);
  expect((await device.outcome()).saved.coins).toBe(2);
});

it('ends without rules with a value after which no other was set and acknowledged', async () => {
  const isOrdered = (name: string): boolean => !['writeElsewhere', 'discard'].includes(name);
  await fc.assert(
    fc.asyncProperty(commands(isOrdered), async (played) => {
      // Which of two tabs was first is not known where neither has heard of the other yet.
      const device = createHeldDevice({}, { isLate: false });
      await play(device, played);
      const { saved, sets, unsent, journal } = await device.outcome();
      expect({ unsent, journal }).toEqual({ unsent: undefined, journal: [] });
      const last = sets.find(({ coin }) => saved.names.includes(coin));
      expect(sets.filter((set) => set.done !== undefined && isAfter(set, last))).toEqual([]);
    }),
    runs,
  );
});

/**
 * What is set while another is being stored may come before it or after it, unless one page sets both. What a killed page
 * has left comes before all that is set then.
 */
function isAfter(
  set: SetCoin,
  { page, begun, gone = Number.POSITIVE_INFINITY, done = gone }: Partial<SetCoin> = {},
): boolean {
  return begun === undefined || set.begun > done || (set.page === page && set.begun > begun);
}
