import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createHeldDevice } from './held-device.js';

type Device = ReturnType<typeof createHeldDevice>;
type Command = readonly [name: string, tab: number, nth: number, is: boolean];

const acts: Record<string, (device: Device, tab: number, nth: number, is: boolean) => unknown> = {
  collect: (device, tab) => device.on(tab, 'collect'),
  send: (device, tab) => device.on(tab, 'send'),
  discard: (device, tab) => device.on(tab, 'discard'),
  fold: (device, tab) => device.on(tab, 'fold'),
  hide: (device, tab) => device.on(tab, 'hide'),
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
const command: fc.Arbitrary<Command> = fc.tuple(
  fc.constantFrom(...often, ...Object.keys(acts)),
  fc.nat({ max: 2 }),
  fc.nat({ max: 2 }),
  fc.boolean(),
);

const isProof = process.env['PROVE'] === '1';

it('counts each coin once and loses none that was acknowledged, whenever pages are hidden and killed', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { maxLength: 40, size: 'max' }), async (commands) => {
      const device = createHeldDevice();
      await device.open(0);
      await device.open(1);
      await device.open(2);
      for (const [name, tab, nth, is] of commands) {
        await acts[name]?.(device, tab, nth, is);
        await device.turns(2);
      }
      await device.settle();
      const { saved, kept, unsent, journal } = await device.outcome();
      expect({ coins: saved.coins, unsent, journal }).toEqual({
        coins: saved.names.length,
        unsent: undefined,
        journal: [],
      });
      expect(saved.names).toEqual(expect.arrayContaining(kept));
    }),
    { seed: Number(process.env['SEED'] ?? 7321), numRuns: Number(process.env['RUNS'] ?? (isProof ? 20_000 : 500)) },
  );
});
